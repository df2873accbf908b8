#pragma once

#include <span>

#include "lib/stats/comparison.h"

/// A throughput that grows as its workers up to some number, and is level from there on. Pure.
namespace twofold::stats {

/// A throughput `y` of `x` workers, both above 0.
struct PlateauRow {
  double x = 0.0;
  double y = 0.0;
  double weight = 1.0;  ///< 1 / (relative error)^2, up to a common factor
};

/// y = rate min(x, from), with intervals.
struct PlateauFit {
  Bounded rate{};
  Bounded from{};
  Bounded level{};  ///< rate x from
  double aicc = 0.0;
};

/// The least sum of weight x ln(y / curve)^2, for rows of three sizes or more. With `known_errors`
/// weights are as they stand, and rows that scatter less are luck. The interval of `from` is that
/// of the likelihood ratio, those of rate and level are Student's.
///
/// Cost     O(rows x sizes), and as much for each of 400 points of the interval.
/// Source   D. Hudson, "Fitting segmented curves whose join points have to be estimated", JASA 61
///          (1966).
PlateauFit FitPlateau(std::span<const PlateauRow> rows, bool known_errors, double confidence);

}  // namespace twofold::stats
