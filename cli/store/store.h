#pragma once

#include <string>

#include "lib/common/instant.h"
#include "lib/common/result.h"
#include "lib/results/store_copy.h"

namespace twofold::cli {

/// One line for people: "copying measured: 1200000 of 5000000 rows (24 %), 120000 rows/s, 32 s
/// left". `since` is how long this phase has taken so far.
std::string ProgressText(const results::CopyProgress& progress, Duration since);

/// Of a copy into `to`, which nothing was left of if tables differ.
/// Errors   kInternal: which ones do.
Status StatusOfCopy(const results::CopiedStore& copied, const std::string& to);

}  // namespace twofold::cli
