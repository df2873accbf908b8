#pragma once

#include <cstddef>
#include <span>

#include "lib/stats/summary.h"

/// How many repetitions tell two measurements apart whose difference may be chance so far
/// (docs/statistics.md, "Repetitions"). Pure.
namespace twofold::stats {

/// The share of comparisons with so many repetitions that say "changed", if there is a difference
/// as large as the one that was seen.
inline constexpr double kPowerToTell = 0.8;

/// More are not worth a word.
inline constexpr std::size_t kMostToTell = 1000;

/// So many repetitions of each side tell a difference of means like that of base and now, by
/// ChangeOfMean at `confidence`, if values scatter as theirs do. What few values say of the scatter
/// is doubtful; the share kPowerToTell is that over all values which might have been seen. 0:
/// nobody knows (there is no difference or no scatter, a side has one value), or more than
/// kMostToTell.
///
/// Cost     0.1 ms.
/// Source   S. Julious, R. Owen, "Sample size calculations for clinical studies allowing for
///          uncertainty about the variance", Pharmaceutical Statistics 5 (2006).
std::size_t RepetitionsToTell(const Summary& base, const Summary& now, double confidence = 0.95);

/// The same of medians by ChangeOfMedian, if values of the one side are above those of the other as
/// often as they are now.
///
/// Cost     O(n log n).
/// Source   G. Noether, "Sample size determination for some common nonparametric tests", JASA 82
///          (1987).
std::size_t RepetitionsToTellMedians(std::span<const double> base, std::span<const double> now,
                                     double confidence = 0.95);

}  // namespace twofold::stats
