#pragma once

#include <string>
#include <vector>

#include "cli/commands/frontend.h"
#include "cli/run/placement.h"

namespace twofold::cli {

/// The workers of a queue that take jobs.
Result<std::vector<run::Worker>> WorkersOf(const Frontend& frontend, const std::string& queue);

}  // namespace twofold::cli
