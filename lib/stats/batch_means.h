#pragma once

#include <span>

namespace twofold::stats {

/// The relative standard error of the mean of `batches` (two or more, equal lengths of one window,
/// in order): s / sqrt(k) / mean. If neighbours are significantly alike (lag-1 autocorrelation r
/// above 1.645 / sqrt(k)), batches say less than they seem to, and it is sqrt(1 + 2r) times that.
/// 0 if the mean is 0.
double RelativeError(std::span<const double> batches);

/// How the second half of a window differs from the first, relative to the mean of both.
struct HalfChange {
  double change = 0.0;  ///< (second - first) / mean
  double chance = 0.0;  ///< a change up to this is explained by chance, at 99 %
};

/// Compares the halves of `batches` (an even number, four or more). The scatter is that inside the
/// halves, so a step between them does not hide itself; `least_error` is the least relative
/// standard error of the whole mean to believe in, from other knowledge.
HalfChange CompareHalves(std::span<const double> batches, double least_error);

}  // namespace twofold::stats
