#pragma once

#include <csignal>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/common/result.h"

namespace twofold::local {

/// In the order in which they are started: frontends once the database serves, backends and clients
/// once all frontends do. They end the other way round.
enum class Kind { kDatabase, kFrontend, kBackend, kClient };

std::string ToString(Kind kind);  ///< "database", "frontend", "backend", "client"

/// What the name of each deployment begins with, as on Kubernetes. People may leave it out.
inline constexpr std::string_view kNamePrefix = "scalability-tester-";

/// What the one frontend is called, and any of several: with a number they are deployments.
inline constexpr const char* kFrontendName = "scalability-tester-frontend";

/// Whether `given` is how people call the deployment or process `name`: as it is, or without
/// kNamePrefix.
bool IsCalled(std::string_view name, std::string_view given);

/// One program of the cluster, and how to run a replica of it.
struct DeploymentSpec {
  std::string name;
  Kind kind = Kind::kBackend;
  std::string queue;  ///< empty for the frontend
  int replicas = 1;
  std::string program;
  /// Ready-file key to address: {"http", "127.0.0.1:9998"} becomes --http-address 127.0.0.1:9998.
  /// The program has a ready file if this is not empty.
  std::map<std::string, std::string> listen;
  /// {client} and {worker} stand for the addresses of the frontends, {store} for the database's.
  std::vector<std::string> arguments;

  /// Of a database: the file in which it says that it serves, and how it is reached then. A name in
  /// braces stands for an address in arguments of others.
  std::string pid_file = {};
  std::map<std::string, std::string> serves = {};
  int stop_signal = SIGTERM;
};

/// A cluster for the jobs of one run: a frontend with a store, and workers of one queue. No load
/// clients.
struct RunCluster {
  std::string queue;
  std::vector<std::string> workload;  ///< of the workers: {"fio"}
  std::string store = {};             ///< of the frontend: a file, of which nothing is forgotten
  std::string label;                  ///< of the workers: KEY=VALUE
};

/// A cluster for one load: a frontend, and for each number of slots a queue with one worker process
/// that runs so many jobs at once. No load clients.
struct LoadCluster {
  std::vector<std::string> workload;  ///< of the workers: {"./my-program", "--fast"}
  std::vector<int> slots;
};

/// The queue of a LoadCluster with so many slots.
std::string QueueOfSlots(int slots);

struct ClusterOptions {
  /// NAME=TIME,...: how long their workers sleep for a job, lib/common/distribution; NAME: they
  /// run `workload`.
  std::string queues = "sleep=0.2";
  std::vector<std::string> workload{};  ///< {"gpu", "{...}"}
  std::vector<std::string> allow{};     ///< options of all workers: what specs may ask for
  int replicas = 1;                     ///< of each backend, to start with
  bool free_ports = false;              ///< instead of 9997, 9998, 9999 and 9996 downwards
  double grace_seconds = 30;            ///< from SIGTERM to SIGKILL
  int frontends = 1;                    ///< several share a PostgreSQL database
  std::string store{};                  ///< of the frontends, "sqlite:PATH" or "postgresql://..."
  std::string store_file{};             ///< with the address of the store in it
  bool postgres = false;                ///< the store is a server of the cluster's own
  double ttl_seconds = 0;               ///< of several frontends; 0: theirs
  std::vector<std::string> shards{};    ///< QUEUE=N: of the queues that have several
  std::string programs;                 ///< folder of the programs
  std::optional<RunCluster> run{};      ///< instead of `queues`
  std::optional<LoadCluster> load{};    ///< the same
};

/// The frontends first, then a backend and a client for each queue, or the backends of the run or
/// load. Not the database.
/// Errors   kInvalidArgument: the part of `queues` that is wrong, and what is allowed; a store that
///          several frontends cannot share; or a program that is not there.
Result<std::vector<DeploymentSpec>> MakePlan(const ClusterOptions& options);

}  // namespace twofold::local
