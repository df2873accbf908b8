#pragma once

#include <optional>
#include <span>

#include "lib/stats/comparison.h"

namespace twofold::stats {

/// The quantile `q` (0..1) of `sorted` (smallest first) by the nearest rank: the smallest value
/// such that at least the share `q` of them is <= it. Values may be infinite: what never came. The
/// bounds are two of the values, by the binomial distribution of how many lie below the true
/// quantile, so they hold for independent values of any distribution; with too few values they are
/// infinite. nullopt: there are no values.
///
/// Cost     O(sqrt(values)).
/// Source   G. Hahn, W. Meeker, "Statistical Intervals" (1991), 5.2.
std::optional<Bounded> QuantileOf(std::span<const double> sorted, double q,
                                  double confidence = 0.95);

}  // namespace twofold::stats
