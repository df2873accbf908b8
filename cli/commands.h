#pragma once

#include <vector>

#include "cli/command/command.h"

namespace twofold::cli {

/// Those of all rooms, in the order of --help.
std::vector<Command> AllCommands();

}  // namespace twofold::cli
