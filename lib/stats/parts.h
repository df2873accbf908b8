#pragma once

#include <array>
#include <cstddef>
#include <span>

/// What the parts of a window show: whether they differ more than by chance.
namespace twofold::stats {

/// The step that the mean of some values most likely takes.
struct Step {
  std::size_t at = 0;   ///< the first value after it
  double change = 0.0;  ///< (after - before) / before: -1 at least; infinity if nothing was before
  double chance = 0.0;  ///< chance explains a change up to this, at 99.8 % for all places together
};

/// Looks for it at each place between two of `batches`, of which there are four or more. The
/// scatter is taken on both sides of the place, so a step cannot hide itself. `least_error` is a
/// lower bound of the relative standard error of the whole mean, known from elsewhere.
Step LargestStep(std::span<const double> batches, double least_error);

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

/// The number of equal parts of a window from which its noise is computed.
inline constexpr std::size_t kParts = 64;
using Parts = std::array<double, kParts>;

}  // namespace twofold::stats
