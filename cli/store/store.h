#pragma once

#include <string>

#include "lib/common/instant.h"
#include "lib/results/store_copy.h"

namespace twofold::cli {

/// One line for people: "copying measured: 1200000 of 5000000 rows (24 %), 120000 rows/s, 32 s
/// left". `since` is how long this phase has taken so far.
std::string ProgressText(const results::CopyProgress& progress, Duration since);

}  // namespace twofold::cli
