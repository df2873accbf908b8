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

/// So many of the first values are a warm-up, by the cut of a validation (WarmUpOf): they are lower
/// or higher than later ones by more than chance. 0 of fewer than kBlocks values.
std::size_t WarmUpOfRepetitions(std::span<const double> values);

/// The interval of the mean of values, in the order in which they were measured, for who looks at
/// it after each value and stops when it is narrow. A warm-up is left out. Each look holds the mean
/// with 97 %, over all that the correlation from each value to the next may be: none, or up
/// to 0.9, each as likely as the values make it.
///
/// Cost     O(n), 20 us.
/// Source   Y. S. Chow, H. Robbins, Annals of Mathematical Statistics 36 (1965), for such looks;
///          A. Zellner, "An Introduction to Bayesian Inference in Econometrics" (1971), chapter 4,
///          for a mean whose noise is correlated.
MeanInterval IntervalOfLooks(std::span<const double> values);

/// Summarize; if somebody `looked` at the values after each one, without their warm-up and with the
/// half width of IntervalOfLooks.
Summary SummarizeRepetitions(std::vector<double> values, bool looked);

/// What speaks against the interval of a mean.
enum class MeanDoubt : std::uint8_t {
  kNone,
  kCorrelated,  ///< each value is like the one before it: they are fewer than they look
  kClusters,    ///< values are of two kinds with nothing between: rare ones may be missing
  kWarmUp,      ///< the first values differ from later ones
};

/// "", "correlated", "clusters", "warm-up"
std::string_view Name(MeanDoubt doubt);

/// Looks for it in values, in the order in which they were measured. Fewer than kLeastForLooks say
/// nothing.
///
/// Correlated: the correlation from each value to the next is above 0 by 1.645 standard errors,
/// as it is by chance in one of twenty.
/// Clusters: cut in two where they are furthest apart, two values or more on each side, the squares
/// that are left are less than a tenth. Both are looked for behind a warm-up.
///
/// Cost     O(n log n).
MeanDoubt DoubtOfMean(std::span<const double> values);

}  // namespace twofold::stats
