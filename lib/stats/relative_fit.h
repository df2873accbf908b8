#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <span>
#include <vector>

#include "lib/stats/comparison.h"

/// Curves that are sums of known shapes with weights of at least 0, fitted on relative errors: the
/// solver under laws and shapes. Pure.
namespace twofold::stats {

inline constexpr std::size_t kMostShapes = 3;
using Coefficients = Eigen::Vector3d;

/// One observation: what each shape has there, and what was measured, above 0.
struct ShapeRow {
  Coefficients shapes;
  double value = 0.0;
  double weight = 1.0;  ///< 1 / (relative error)^2, up to a common factor
};

/// Akaike's criterion for few rows, from the sum of squares of what a fit does not explain. The
/// scatter counts as one of the `parameters`. Infinite if there are not two rows more than
/// parameters. Source   Burnham & Anderson (2002), 2.4.
double Aicc(double squares, std::size_t rows, std::size_t parameters);

/// value = a[0] shapes[0] + a[1] shapes[1] + ..., each a >= 0: the least sum of
/// weight x ln(value / curve)^2.
///
/// Gauss-Newton: each step is a linear least-squares problem, for which all sets of unknowns that
/// are not 0 are tried, so it needs no start and cannot get stuck at a bound. Steps that make the
/// sum worse are halved. Intervals come from the same linear problem *without* bounds, by Student's
/// t; ratios of two sums of coefficients have Fieller's interval (docs/statistics.md, "Laws of
/// throughput").
///
/// Cost     O(rows) a step, ten steps or so.
/// Source   E. Fieller, "Some problems in interval estimation", JRSS B 16 (1954).
class RelativeFit {
 public:
  /// `shapes` (1..3) of each row count. There are more rows than shapes, and all values are finite
  /// and above 0. With `known_errors` weights are 1 / (relative error)^2 as they stand, and rows
  /// that scatter less than that are luck.
  RelativeFit(std::span<const ShapeRow> rows, std::size_t shapes, bool known_errors);

  [[nodiscard]] const Coefficients& coefficients() const { return best_; }
  [[nodiscard]] double At(const Coefficients& shapes) const { return best_.dot(shapes); }
  [[nodiscard]] double aicc() const;

  /// What the fit does not explain: the sum of weight x ln(value / curve)^2.
  [[nodiscard]] double squares() const { return squares_; }

  /// Interval of `sum` . a. The bounds are at least 0.
  [[nodiscard]] Bounded Sum(const Coefficients& sum, double confidence) const;

  /// Interval of (`above` . a) / (`below` . a), at least 0. The upper bound is infinite where
  /// `below` may be 0.
  [[nodiscard]] Bounded Ratio(const Coefficients& above, const Coefficients& below,
                              double confidence) const;

 private:
  [[nodiscard]] double SquaresOf(const Coefficients& a) const;
  [[nodiscard]] double Covariance(const Coefficients& left, const Coefficients& right) const;
  void Improve();
  void Linearize();

  std::vector<ShapeRow> rows_;
  std::size_t shapes_;
  bool known_errors_;
  Coefficients best_;
  double squares_ = 0.0;
  Coefficients free_;  // without bounds, linear around best_
  Eigen::Matrix3d inverse_;
  double variance_ = 0.0;
};

}  // namespace twofold::stats
