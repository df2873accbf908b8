#pragma once

#include "cli/command/command.h"

/// Commands that change what runs in a local cluster.
namespace twofold::cli {

Action BindScale(CLI::App& app, const Globals& globals);
Action BindKill(CLI::App& app, const Globals& globals);
Action BindStart(CLI::App& app, const Globals& globals);

}  // namespace twofold::cli
