#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "cli/local/cluster.h"
#include "lib/common/result.h"

namespace twofold::local {

/// Runs a local cluster until it is told to stop: the loop around Cluster, its HTTP API and the
/// probe of the frontend.
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
  void Loop();
  bool Advance(Duration& pause);
  void HandleSignals();
  void Wake() const;
  bool Settled();

  const StateFolder folder_;
  int signals_ = -1;  // a signalfd
  int wake_ = -1;     // an eventfd
  std::mutex mutex_;
  Cluster cluster_;  // GUARDED_BY(mutex_)
};

}  // namespace twofold::local
