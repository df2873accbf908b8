#pragma once

#include <nlohmann/json.hpp>

#include "cli/command/command.h"
#include "cli/local/state_folder.h"
#include "lib/common/result.h"

/// What the commands of `twofold local` have in common.
namespace twofold::cli {

/// That of --dir.
local::StateFolder Folder(const Globals& globals);

/// Prints a deployment, or a list of them, as the supervisor tells of them.
Status Show(const Result<nlohmann::ordered_json>& shown, const Globals& globals);

// The commands that have a file of their own: those that change what runs, and logs.
Action BindScale(CLI::App& app, const Globals& globals);
Action BindKill(CLI::App& app, const Globals& globals);
Action BindStart(CLI::App& app, const Globals& globals);
Action BindLogs(CLI::App& app, const Globals& globals);

}  // namespace twofold::cli
