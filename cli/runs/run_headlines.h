#pragma once

#include <vector>

#include "cli/runs/driver.h"
#include "twofold/v1/queue.pb.h"

namespace twofold::cli {

/// The headlines of a finished job's result, in its order. Of a job whose worker reports no
/// measurements: its run time.
std::vector<run::Headline> HeadlinesOf(const v1::Job& job);

}  // namespace twofold::cli
