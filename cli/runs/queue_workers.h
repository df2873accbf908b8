#pragma once

#include <string>
#include <vector>

#include "cli/queues/frontend.h"
#include "cli/runs/placement.h"

namespace twofold::cli {

/// The workers of a queue that take jobs.
Result<std::vector<run::Worker>> WorkersOf(const Frontend& frontend, const std::string& queue);

}  // namespace twofold::cli
