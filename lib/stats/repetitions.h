#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "lib/stats/summary.h"

/// Repetitions that somebody looked at after each one, until their mean was known well enough, and
/// repetitions that are not independent (docs/statistics.md, "Looks until it is known"). Pure.
namespace twofold::stats {

/// Fewer values than this do not end a series of looks: they agree by chance too often, and values
/// of two kinds are all of one kind too often.
inline constexpr std::size_t kLeastForLooks = 8;

/// The interval of the mean of values, in the order in which they were measured, for who looks at
/// it after each value and stops when it is narrow. It is that of IntervalOfMean at
/// kConfidenceOfLooks, wider by sqrt((1 + r) / (1 - r)) for a correlation r from each value to the
/// next. r is what the values show, without the bias of few values, and its standard error more:
/// looks stop where values seem independent by chance.
///
/// Source   Y. S. Chow, H. Robbins, Annals of Mathematical Statistics 36 (1965); F. Marriott,
///          J. Pope, "Bias in the estimation of autocorrelations", Biometrika 41 (1954).
MeanInterval IntervalOfLooks(std::span<const double> values);

/// Summarize; if somebody `looked` at the values after each one, with the half width of
/// IntervalOfLooks.
Summary SummarizeRepetitions(std::vector<double> values, bool looked);

/// What speaks against the interval of a mean.
enum class MeanDoubt : std::uint8_t {
  kNone,
  kCorrelated,  ///< each value is like the one before it: they are fewer than they look
  kClusters,    ///< values are of two kinds with nothing between: rare ones may be missing
};

/// "", "correlated", "clusters"
std::string_view Name(MeanDoubt doubt);

/// Looks for it in values, in the order in which they were measured. Fewer than kLeastForLooks say
/// nothing.
///
/// Correlated: the correlation from each value to the next is above 0 by 1.645 standard errors,
/// as it is by chance in one of twenty.
/// Clusters: cut in two where they are furthest apart, two values or more on each side, the squares
/// that are left are less than a tenth.
///
/// Cost     O(n log n).
MeanDoubt DoubtOfMean(std::span<const double> values);

}  // namespace twofold::stats
