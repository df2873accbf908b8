#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/command/command.h"
#include "cli/local/state_folder.h"
#include "lib/common/result.h"

namespace CLI {
class Option;
}

/// What the commands of `twofold local` have in common.
namespace twofold::cli {

/// That of --dir.
local::StateFolder Folder(const Globals& globals);

/// Prints a deployment, or a list of them, as the supervisor tells of them.
Status Show(const Result<nlohmann::ordered_json>& shown, const Globals& globals);

/// Declares --allow-path, --allow-options and --allow-env, which become options of the workers of a
/// cluster on this machine.
std::vector<CLI::Option*> DeclareAllowances(CLI::App& app, std::vector<std::string>& allow);

// The commands that have a file of their own: those that change what runs, and logs.
Action BindScale(CLI::App& app, const Globals& globals);
Action BindKill(CLI::App& app, const Globals& globals);
Action BindStart(CLI::App& app, const Globals& globals);
Action BindLocalLogs(CLI::App& app, const Globals& globals);

}  // namespace twofold::cli
