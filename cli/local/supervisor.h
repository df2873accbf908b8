#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/local/cluster.h"
#include "lib/common/mutex.h"
#include "lib/common/result.h"

namespace twofold::local {

/// The values of `twofold_worker_processes{queue="..."}` in a page of metrics.
Registrations ParseRegistrations(std::string_view metrics);

/// Runs a local cluster until it is told to stop: the loop around Cluster, its HTTP API, and a
/// thread that asks the frontend again and again which worker processes are registered.
///
/// Threads  Run is for the main thread. The other methods are safe.
class Supervisor {
 public:
  Supervisor(StateFolder folder, const std::vector<DeploymentSpec>& plan,
             const DeploymentPolicy& policy);
  ~Supervisor();
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  /// Returns when all processes have ended, after Down, SIGTERM or SIGINT.
  /// Errors   kUnavailable: its API cannot listen. kInvalidArgument: the folder is not writable.
  Status Run();

  std::vector<DeploymentStatus> Snapshot();
  Result<DeploymentStatus> Find(const std::string& name);
  Status Scale(const std::string& name, int replicas);
  void Down();

 private:
  struct Question {
    std::string frontend;  ///< host:port
    std::uint64_t generation = 0;
  };

  void Loop();
  bool Advance(Duration& pause);
  void HandleSignals();
  void Wake() const;
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
