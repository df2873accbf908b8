#pragma once

#include "cli/command/command.h"

namespace twofold::cli {

// The commands of this room that have a file of their own.
Action BindHistory(CLI::App& app, const Globals& globals);

}  // namespace twofold::cli
