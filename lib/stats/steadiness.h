#pragma once

#include <span>

namespace twofold::stats {

/// How the second half of a window differs from the first, relative to the first.
struct HalfChange {
  double change =
      0.0;  ///< (second - first) / first: -1 at least; infinity if the first has nothing
  double chance = 0.0;  ///< a change up to this is explained by chance, at 99 %
};

/// Compares the halves of `batches` (an even number, four or more). The scatter is taken inside
/// the halves, so a step between them cannot hide itself. `least_error` is a lower bound of the
/// relative standard error of the whole mean, known from elsewhere.
HalfChange CompareHalves(std::span<const double> batches, double least_error);

/// How much the straight line through `parts` (least squares) changes from the begin of the first
/// to the end of the last, relative to their mean. 0 if the mean is 0.
double Drift(std::span<const double> parts);

/// A stretch of a window in which almost nothing was done.
struct Hole {
  double begin = 0.0;   ///< as a share of the window
  double length = 0.0;  ///< the same; 0: there is none
};

/// The longest run of `parts` that each have less than a quarter of the mean.
Hole LongestHole(std::span<const double> parts);

}  // namespace twofold::stats
