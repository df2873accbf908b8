#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "kubernetes/cluster/metrics_page.h"
#include "kubernetes/cluster/options.h"
#include "kubernetes/lifecycle/journal.h"
#include "kubernetes/lifecycle/limits.h"
#include "kubernetes/lifecycle/moments/kind.h"
#include "kubernetes/lifecycle/output.h"
#include "kubernetes/lifecycle/templates/template.h"
#include "lib/common/instant.h"
#include "lib/common/result.h"
#include "suites/lifecycle/spec.pb.h"

namespace CLI {
class App;
}

namespace twofold::lifecycle {

/// When the watching ends, and what is left of it.
struct EndOptions {
  OutputOptions output;
  JournalOptions journal;
  v1::suites::LifecycleSpec spec;  ///< what jobs of the suite can be told, too
  std::string compat;
};
void DeclareEnd(CLI::App& app, EndOptions& options);
void DeclareCompat(CLI::App& app, EndOptions& options);  ///< --compat alone

struct EndSettings {
  bool until_ready = false;  ///< a workload that is ready need not be waited for
  Duration settle = FromSeconds(Defaults().settle());
};

/// Errors   kInvalidArgument: workloads of this kind never come so far.
Result<EndSettings> ReadEnd(const EndOptions& options, const Kind& kind);

/// The command line of `twofold lifecycle run`, as it was typed.
struct RunOptions : EndOptions {
  cli::ClusterOptions cluster;
  std::string name;
  std::string template_file;
  std::string store;  ///< file that is to have the run; empty: none
  cli::PageOptions page;
  LimitOptions limits;
  bool events = false;
  std::vector<std::string> audit;
  bool keep = false;
  bool dry_run = false;
};
void Declare(CLI::App& app, RunOptions& options);

/// Only those of sending.
void DeclareSending(CLI::App& app, RunOptions& options);

/// What they mean.
struct RunSettings : EndSettings, LimitSettings {
  const Kind* kind = nullptr;
  std::string name;
  std::uint32_t count = Defaults().count();
  double rate = Defaults().rate();  ///< workloads a second; 0: as soon as a connection is free
  int connections = static_cast<int>(Defaults().connections());  ///< that create workloads
  std::string text;                                              ///< of the template
  Settings each;
  JournalOptions journal;
  bool events = false;             ///< watch them, to compare
  std::vector<std::string> audit;  ///< logs of the API server, to be read after the run
};

/// Reads the files that they name. `space` is for workloads of which nothing else is said; `now` is
/// for the name of a run that has none.
/// Errors   kInvalidArgument: which option, which value, what is allowed.
Result<RunSettings> Read(const RunOptions& options, const std::string& space,
                         std::chrono::system_clock::time_point now);

/// The name of a run is part of the names of its workloads.
Status CheckRunName(const std::string& name);

/// The objects of workload `index`.
Result<std::vector<Object>> RenderOne(const RunSettings& settings, std::uint32_t index);

}  // namespace twofold::lifecycle
