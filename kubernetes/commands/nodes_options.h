#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kubernetes/commands/cluster_options.h"
#include "kubernetes/nodes/simulation.h"
#include "lib/common/address.h"
#include "lib/common/instant.h"
#include "lib/common/result.h"
#include "lib/metrics/page.h"

namespace CLI {
class App;
}

namespace twofold::nodes {

/// The command line of `twofold nodes up`, as it was typed.
struct UpOptions {
  cli::ClusterOptions cluster;
  std::string run = "sim";
  std::uint32_t count = 1;
  std::string cpu = "64";
  std::string memory = "512Gi";
  std::vector<std::string> resources;
  std::vector<std::string> labels;
  std::vector<std::string> taints;
  std::string topology;
  std::string gpu = "H100";
  std::uint64_t seed = 1;
  std::string start = "1s";
  std::string run_time = "10s";
  std::string stop = "0s";
  std::string start_file;
  std::string run_file;
  double failures = 0;
  int exit_code = 1;
  double evictions = 0;
  std::string evict_after = "exp:1m";
  std::string utilisation = "80-100";
  std::string loss_after;
  std::string loss_time = "2m";
  std::vector<std::string> losses;
  int connections = 4;
  double report_seconds = 10;
  bool keep = false;
  metrics::PageOptions page = {
      .http_address = "localhost:9400", .http_security = {}, .ready_file = {}};
};
void Declare(CLI::App& app, UpOptions& options);

/// Reads the files that they name.
/// Errors   kInvalidArgument: which option, which value, what is allowed.
Result<SimulationPlan> Read(const UpOptions& options);

/// The run of `down` and `status`.
void DeclareRun(CLI::App& app, std::string& run, const std::string& help);

}  // namespace twofold::nodes
