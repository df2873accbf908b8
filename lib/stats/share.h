#pragma once

#include <cstdint>

#include "lib/stats/comparison.h"

/// How well a share of some trials is known. Pure.
namespace twofold::stats {

struct ShareInterval {
  double lower = 0.0;
  double upper = 1.0;
};

/// The interval of the true share when `some` of `all` trials (more than 0) had it.
/// Source   C. Clopper, E. Pearson (1934): exact, so rather too wide.
ShareInterval IntervalOfShare(std::uint64_t some, std::uint64_t all, double confidence = 0.95);

/// Whether more than `allowed` of all trials have what `some` of `all` had: pass if not more of
/// these did, fail if the interval is above it, too, and undecided in between. Of 0 that are
/// allowed one is too many, however many trials there were.
Verdict JudgeShare(std::uint64_t some, std::uint64_t all, double allowed, double confidence = 0.95);

}  // namespace twofold::stats
