#pragma once

#include "cli/command/command.h"

namespace twofold::cli {

// The commands about results that have a file of their own.
Action BindResults(CLI::App& app, const Globals& globals);
Action BindCompare(CLI::App& app, const Globals& globals);
Action BindExport(CLI::App& app, const Globals& globals);
Action BindImport(CLI::App& app, const Globals& globals);

}  // namespace twofold::cli
