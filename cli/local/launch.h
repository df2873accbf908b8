#pragma once

#include <sys/types.h>

#include <string>

#include "cli/local/plan.h"
#include "cli/local/state_folder.h"
#include "lib/common/result.h"

namespace twofold::local {

/// Starts a supervisor as a process of its own that outlives us; with `foreground` it dies with us
/// and logs to our stderr instead of a file. Call while there is one thread only.
///
/// Returns its process id as soon as its API serves.
/// Errors   kInvalidArgument: the plan or the folder. kFailedPrecondition: a cluster runs there.
///          kUnavailable: it ended at once; with the end of its log.
Result<pid_t> LaunchSupervisor(const StateFolder& folder, const ClusterOptions& options,
                               bool foreground);

/// Waits until all deployments are ready.
/// Errors   kUnavailable: a program cannot run, or is not ready after `timeout`; which one, how it
///          ended, and the end of its log.
Status WaitReady(const StateFolder& folder, Duration timeout);

/// Ends the cluster of this folder, or removes what a dead one has left. True: one was running.
/// Errors   kUnavailable: it does not end.
Result<bool> TakeDown(const StateFolder& folder);

}  // namespace twofold::local
