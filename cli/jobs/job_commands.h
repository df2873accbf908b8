#pragma once

#include "cli/command/command.h"

namespace twofold::cli {

// The commands of group "job" that have a file of their own.
Action BindSubmit(CLI::App& app, const Globals& globals);
Action BindLogs(CLI::App& app, const Globals& globals);
Action BindWatch(CLI::App& app, const Globals& globals);
Action BindOutput(CLI::App& app, const Globals& globals);
Action BindRequeue(CLI::App& app, const Globals& globals);

}  // namespace twofold::cli
