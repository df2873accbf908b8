#pragma once

#include <string>

#include "cli/command/command.h"
#include "cli/runs/run_command.h"
#include "cli/runs/run_session.h"
#include "lib/common/result.h"

namespace twofold::cli {

/// A record and all that its text comes to.
Result<KnownRun> Expanded(RunRecord record);

/// The run that `text`, a benchmark called `command.file`, comes to. Its id is that of the command,
/// else that of the text (metadata.runid), else made up. Nothing is begun.
///
/// Asks the frontend only where the text chooses from the nodes of the queue's workers.
/// Errors   kInvalidArgument: the text, with file, line and column, or the id.
///          kFailedPrecondition: no worker is there whose node could be chosen. Those of the
///          frontend.
Result<KnownRun> NewRun(const RunCommand& command, std::string text, const Globals& globals);

}  // namespace twofold::cli
