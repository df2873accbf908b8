#pragma once

#include <sys/types.h>

#include <string>

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
/// Errors   kInvalidArgument: the plan, the folder, or what a program is told. kFailedPrecondition:
/// a
///          cluster runs there. kInternal: the supervisor or a program breaks down again and again.
///          kDeadlineExceeded: one is not ready after `timeout`. With which one, how it ended, and
///          the end of its log.
Result<pid_t> Launch(const StateFolder& folder, const ClusterOptions& options, Life life,
                     Duration timeout);

/// Ends the cluster of this folder, or removes what a dead one has left. True: one was running.
/// Errors   kDeadlineExceeded: it does not end. kPermissionDenied: others can write to the folder.
Result<bool> TakeDown(const StateFolder& folder);

}  // namespace twofold::local
