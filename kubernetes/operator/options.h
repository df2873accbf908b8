#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "cli/command/command.h"
#include "kubernetes/commands/cluster_options.h"
#include "lib/common/address.h"
#include "lib/common/result.h"
#include "lib/security/options.h"

namespace CLI {
class App;
}

namespace twofold::benchmarks {

/// In place of a namespace.
inline constexpr const char* kAllNamespaces = "*";

/// The command line of twofold-operator.
struct Options {
  cli::Globals frontend;        ///< which one, and how to get in
  std::string frontends;        ///< folder of what gets in at Frontends; empty: there are none
  cli::ClusterOptions cluster;  ///< of Kubernetes
  std::string space;            ///< whose Benchmarks; empty: of all namespaces
  std::string lease = "twofold-operator";
  std::string lease_space;     ///< empty: where this pod is, or what the kubeconfig says
  double lease_seconds = 15;   ///< how long the lease of a leader that has died holds
  bool perftest = false;       ///< kube-perftest's objects, too
  bool measurements = false;   ///< Validations, LoadTests and LifecycleTests, too
  std::string job_image;       ///< of their pods; has the program twofold
  std::string job_frontend;    ///< as these reach it; empty: JobFrontend says it
  std::string job_tls_secret;  ///< of their namespaces, see MeasurementSettings
  std::string job_token_secret;
  std::string worker_pools;  ///< whose; kAllNamespaces; empty: none are looked after
  bool own_workers = false;  ///< of Benchmarks that ask for some, pools and pods
  /// Where the WorkerPools are by which objects of kube-perftest have some, too; empty: nowhere.
  std::string perftest_workers;
  int workers = 4;          ///< Benchmarks that are looked at at the same time
  double poll_seconds = 1;  ///< between two looks at a run
  std::string http_address = "127.0.0.1:9995";
  security::ServerOptions http_security;
  std::string ready_file;
  std::string print_crds;  ///< of which group; empty: none are asked for
  bool check_config = false;
  bool verbose = false;

  HostPort http;  ///< http_address; filled by Check
};

/// Ties the options to the command line.
void Bind(CLI::App& app, Options& options);

/// kInvalidArgument names the option.
Status Check(Options& options);

/// The namespaces whose WorkerPools are looked after; "" alone: all.
std::set<std::string> PoolSpaces(const Options& options);

/// The frontend, as pods of other namespaces than `space`, which is this program's, reach it.
std::string JobFrontend(const Options& options, const std::string& space);

}  // namespace twofold::benchmarks
