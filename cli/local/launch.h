#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/local/plan.h"
#include "cli/local/state_folder.h"
#include "lib/common/result.h"

namespace twofold::local {

/// How a supervisor lives beside the process that has started it.
enum class Life {
  kOwn,         ///< outlives us; logs to a file
  kForeground,  ///< ends with us; logs to our stderr
  kEmbedded,    ///< ends with us; logs to a file, and hears no Ctrl-C of our terminal
};

/// Starts a supervisor as a process of its own, and waits until all deployments are ready; else
/// ends them again. Call while there is one thread only.
///
/// Returns its process id.
/// Errors   kInvalidArgument: the plan, the folder, or what a program is told. kInternal: the
///          supervisor or a program breaks down again and again. kDeadlineExceeded: one is not
///          ready after `timeout`. With which one, how it ended, and the end of its log.
///          kFailedPrecondition: a cluster runs there.
Result<pid_t> Launch(const StateFolder& folder, const ClusterOptions& options, Life life,
                     Duration timeout);

/// Ends the cluster of this folder, or removes what a dead one has left. True: one was running.
/// Errors   kDeadlineExceeded: it does not end. kPermissionDenied: others can write to the folder.
Result<bool> TakeDown(const StateFolder& folder);

/// A cluster on this machine for one load, in a new folder beside other temporary files. It ends
/// with this object or with this process, however that ends, and leaves nothing behind.
class OwnCluster {
 public:
  /// One worker process for each number of slots, each with the queue QueueOfSlots. Call
  /// while there is one thread only.
  ///
  /// Errors   Those of Launch; kInvalidArgument: no folder can be made.
  static Result<std::unique_ptr<OwnCluster>> Start(const std::string& programs,
                                                   const std::vector<std::string>& workload,
                                                   const std::vector<int>& slots);
  ~OwnCluster();
  OwnCluster(const OwnCluster&) = delete;
  OwnCluster& operator=(const OwnCluster&) = delete;

  /// HOST:PORT for clients.
  [[nodiscard]] const std::string& frontend() const { return frontend_; }

 private:
  explicit OwnCluster(std::string dir) : folder_(std::move(dir)) {}

  StateFolder folder_;
  std::string frontend_;
};

}  // namespace twofold::local
