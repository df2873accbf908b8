#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/local/cluster.h"
#include "lib/common/mutex.h"
#include "lib/common/result.h"
#include "lib/http/message.h"

namespace twofold::local {

/// The values of `twofold_worker_processes{queue="..."}` in a page of metrics.
Registrations ParseRegistrations(std::string_view metrics);

/// Runs a local cluster until it is told to stop: the loop around Cluster, its HTTP API, and a
/// thread that asks the frontends again and again which worker processes are registered.
///
/// The API is for the command line and scripts:
///
///   GET  /deployments                        all of them, JSON
///   GET  /deployments/NAME                   JSON, or `key value` lines with ?type=plain
///   PUT  /deployments/NAME/scale?replicas=N  scales a backend; returns at once, with its state
///   PUT  /deployments/NAME/kill?signal=N     what ends by it stays away; returns at once
///   PUT  /deployments/NAME/start             starts it again, and lets go on what SIGSTOP holds
///   GET  /services/NAME                      where a program serves HTTP; JSON, or the URL alone
///   POST /down                               ends all; returns at once
///
/// Every request has to show the secret of the state folder, as a bearer token.
///
/// Threads  For the main thread.
class Supervisor {
 public:
  Supervisor(StateFolder folder, const std::vector<DeploymentSpec>& plan,
             const DeploymentPolicy& policy);
  ~Supervisor();
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  /// Returns when all processes have ended, after SIGTERM, SIGINT or as its API was told to.
  /// Errors   kUnavailable: its API cannot listen. kInvalidArgument: the folder is not writable.
  Status Run();

 private:
  struct Question {
    std::vector<std::string> frontends;  ///< host:port
    std::uint64_t generation = 0;
  };

  void Loop();
  bool Advance(Duration& pause);
  void HandleSignals();
  http::Handler Api();
  void AskFrontend();
  bool NextQuestion(Question& question);

  const StateFolder folder_;
  int signals_ = -1;  // a signalfd
  int wake_ = -1;     // an eventfd
  Mutex mutex_;
  Condition ended_changed_;
  bool ended_ ABSL_GUARDED_BY(mutex_) = false;  // no more questions
  Cluster cluster_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace twofold::local
