#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "lib/stats/comparison.h"
#include "lib/stats/summary.h"

/// Whether repetitions of a measurement differ from earlier ones, and by how much: the one way of
/// `twofold compare`, reports and limits (docs/statistics.md, "Repetitions"). Pure.
namespace twofold::stats {

struct Change {
  double p = 1.0;  ///< two-sided: how rarely measurements that do not differ look so different
  /// now - base; infinite bounds: not known.
  Bounded difference{};
  /// now / base; 0 .. infinity: only how much is known, not how well. nullopt: values of the base
  /// are 0 or below, and the base is not clearly above 0, so only the difference says something.
  std::optional<Bounded> ratio{};
};

/// Of means. Its p and intervals belong together: where p is above 1 - `confidence`, the interval
/// of the difference holds 0 and that of the ratio 1. Welch's t; for unequal numbers of repetitions
/// with the degrees of freedom of the smaller side, as Welch's say "changed" too often there. Means
/// that agree to 1e-12 are equal. What tools round away is part of the doubt: values that scatter
/// by less than half a digit may all be off by that much.
///
/// Source   B. Welch, Biometrika 34 (1947); E. Fieller, JRSS B 16 (1954).
Change ChangeOfMean(const Summary& base, const Summary& now, double confidence = 0.95);

/// Fewer values than this say nothing about their median's interval: the least and the most of
/// five hold it in 94 %.
inline constexpr std::size_t kLeastForMedian = 5;

/// Of medians. p is that of the ranks, by all ways to divide the values into two sides (with many
/// values by the normal distribution), so it needs no distribution, and few outliers do no harm.
/// The intervals are percentiles of the bootstrap: both sides are drawn again 1999 times, with
/// `seed`.
///
/// Cost     O(2000 values), and O(values^4) up to 50 values in all: 0.2 ms for five on each side,
///          4 ms for 25.
/// Source   F. Wilcoxon, Biometrics Bulletin 1 (1945); B. Efron, R. Tibshirani, "An Introduction to
///          the Bootstrap" (1993), chapter 13.
Change ChangeOfMedian(std::span<const double> base, std::span<const double> now,
                      double confidence = 0.95, std::uint64_t seed = 1);

/// The same where one side or both were repeated until a mean was known, at kConfidenceOfLooks. `p`
/// is raised as much as the risk of its interval is less, so that p < 0.05 means what it says.
Change ChangeOfMedianOfLooks(std::span<const double> base, std::span<const double> now);

/// That ChangeOfMedian has where ChangeOfMedianOfLooks has `confidence`.
double ConfidenceOfMedianOfLooks(double confidence);

/// The last digit that tools printed: the largest of 1, 0.1, 0.01 ... of which all values are
/// multiples; 0: they have nine digits or more.
double ResolutionOf(std::span<const double> values);

}  // namespace twofold::stats
