#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

/// Curves that are sums of known shapes with weights of at least 0, fitted on relative errors: the
/// solver under laws and shapes. Pure.
namespace twofold::stats {

/// A value and the interval that holds the true one; infinite bounds are no bounds.
struct Bounded {
  double value = 0.0;
  double lower = 0.0;
  double upper = 0.0;
};

inline constexpr std::size_t kMostShapes = 3;
using Coefficients = std::array<double, kMostShapes>;

/// One observation: what each shape has there, and what was measured, above 0.
struct ShapeRow {
  Coefficients shapes{};
  double value = 0.0;
  double weight = 1.0;  ///< 1 / (relative error)^2, up to a common factor
};

/// value = a[0] shapes[0] + a[1] shapes[1] + ..., each a >= 0: the least sum of
/// weight x ln(value / curve)^2.
///
/// The curve is linear in `a`, so Gauss-Newton's steps are least squares with weights of at least 0
/// for at most three unknowns, solved by Eigen's Cholesky factors. All sets of unknowns that are
/// not 0 are tried, so a step needs no start and cannot get stuck at a bound. Steps that make the
/// sum worse are halved.
///
/// Intervals come from the same linear problem *without* bounds, by Student's t. Ratios of two sums
/// of coefficients have Fieller's interval. Both keep their coverage where a coefficient truly is
/// 0, where a likelihood profile or a bootstrap of the bounded fit does not.
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
  [[nodiscard]] double At(const Coefficients& shapes) const;

  /// Sum of weight x ln(value / curve)^2.
  [[nodiscard]] double squares() const { return squares_; }

  /// Akaike's criterion for few rows; the scatter counts as a parameter. Infinite if there are not
  /// two rows more than parameters. Source: Burnham & Anderson (2002), 2.4.
  [[nodiscard]] double Aicc() const;

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
  const std::size_t shapes_;
  const bool known_errors_;
  Coefficients best_{};
  double squares_ = 0.0;
  Coefficients free_{};  // without bounds, linear around best_
  std::array<Coefficients, kMostShapes> inverse_{};
  double variance_ = 0.0;
};

}  // namespace twofold::stats
