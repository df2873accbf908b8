#pragma once

#include <optional>

#include "lib/common/instant.h"
#include "lib/stats/histogram.h"

namespace twofold::stats {

/// Times of jobs, of which some are still open: each of these takes longer than its age.
///
/// Quantiles and mean are those of Kaplan and Meier: an open job counts among those that take
/// longer, up to its age, and says nothing beyond. Without open jobs they are those of the
/// histogram; with some, a mean is within 1/256.
///
/// Empty    Quantile, Max and Mean are nullopt, never 0.
/// Threads  Not thread-safe.
/// Cost     Quantile O(buckets that are not empty). 82 KiB.
/// Source   E. Kaplan, P. Meier, "Nonparametric estimation from incomplete observations" (1958).
struct CensoredTimes {
  Histogram ended;
  Histogram open;  ///< ages

  /// A time, or what it is at least.
  struct Bound {
    Duration value{};
    bool at_least = false;  ///< open jobs are older than all that ended: it is this or more
  };

  [[nodiscard]] std::optional<Bound> Quantile(double q) const;
  /// The interval that holds it with 95 % (RanksOfQuantile), open jobs among the values. nullopt:
  /// an end that is not known, as there are too few jobs, or open ones hide it.
  struct Interval {
    std::optional<Duration> lower{};
    std::optional<Duration> upper{};
  };
  [[nodiscard]] Interval IntervalOfQuantile(double q) const;
  /// Quantiles above this share are not known; 1: all are.
  [[nodiscard]] double Known() const;
  [[nodiscard]] std::optional<Bound> Max() const;
  [[nodiscard]] std::optional<Bound> Mean() const;
};

}  // namespace twofold::stats
