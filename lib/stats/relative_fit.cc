#include "lib/stats/relative_fit.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace twofold::stats {
namespace {

using Matrix = Eigen::Matrix3d;

constexpr double kUnbounded = std::numeric_limits<double>::infinity();

// Values that agree to this, relatively, are the same: what remains is rounding.
constexpr double kRounding = 1e-9;

/// Least squares as its normal equations: products of columns, and of columns with the target.
struct NormalEquations {
  Matrix products = Matrix::Zero();
  Coefficients target = Coefficients::Zero();
};

// A part of a matrix, without memory of its own on the heap.
using Part = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMostShapes, kMostShapes>;

// The smallest pivot of a matrix with ones on its diagonal whose columns count as independent.
constexpr double kLeastPivot = 1e-13;

/// The inverse over the unknowns of `set` (bits), 0 elsewhere. nullopt: columns depend on each
/// other.
std::optional<Matrix> Inverse(const Matrix& matrix, unsigned set) {
  std::vector<int> in;
  for (int i = 0; i < static_cast<int>(kMostShapes); ++i) {
    if ((set >> i & 1U) != 0) in.push_back(i);
  }
  const Part part = matrix(in, in);
  if (!(part.diagonal().minCoeff() > 0.0)) return std::nullopt;
  const Part to_ones = part.diagonal().cwiseSqrt().cwiseInverse().asDiagonal();
  const Eigen::LDLT<Part> factors(to_ones * part * to_ones);
  if (!(factors.vectorD().minCoeff() > kLeastPivot)) return std::nullopt;
  Matrix inverse = Matrix::Zero();
  inverse(in, in) = to_ones * factors.solve(to_ones);
  return inverse;
}

/// The least squares with all unknowns >= 0: the best of the sets of unknowns whose solution has
/// no negative one.
Coefficients LeastAtLeastZero(const NormalEquations& normal, std::size_t shapes) {
  Coefficients best = Coefficients::Zero();
  double most_explained = 0.0;
  for (unsigned set = 1; set < 1U << shapes; ++set) {
    const auto inverse = Inverse(normal.products, set);
    if (!inverse) continue;
    const Coefficients a = *inverse * normal.target;
    const double explained = a.dot(normal.target);
    if (a.minCoeff() < 0.0 || explained <= most_explained) continue;
    best = a;
    most_explained = explained;
  }
  return best;
}

/// Gauss-Newton's linear problem around a curve: sum of w (goal - shapes . a / curve)^2.
template <typename Curve>
NormalEquations Around(std::span<const ShapeRow> rows, const Curve& curve) {
  NormalEquations normal;
  for (const ShapeRow& row : rows) {
    const double there = curve(row);
    const double goal = 1.0 + std::log(row.value / there);
    const Coefficients shapes = row.shapes / there;
    normal.target += row.weight * goal * shapes;
    normal.products += row.weight * shapes * shapes.transpose();
  }
  return normal;
}

}  // namespace

double Aicc(double squares, std::size_t rows, std::size_t parameters) {
  const auto n = static_cast<double>(rows);
  const auto p = static_cast<double>(parameters);
  if (n - p - 1.0 <= 0.0) return kUnbounded;
  return n * std::log(std::max(squares / n, kRounding * kRounding)) + 2.0 * p +
         2.0 * p * (p + 1.0) / (n - p - 1.0);
}

RelativeFit::RelativeFit(std::span<const ShapeRow> rows, std::size_t shapes, bool known_errors)
    : rows_(rows.begin(), rows.end()), shapes_(shapes), known_errors_(known_errors) {
  for (ShapeRow& row : rows_) row.shapes.tail(kMostShapes - shapes_).setZero();
  best_ = LeastAtLeastZero(Around(rows_, [](const ShapeRow& row) { return row.value; }), shapes_);
  squares_ = SquaresOf(best_);
  Improve();
  Linearize();
}

double RelativeFit::SquaresOf(const Coefficients& a) const {
  double sum = 0.0;
  for (const ShapeRow& row : rows_) {
    const double curve = a.dot(row.shapes);
    if (!(curve > 0.0)) return kUnbounded;
    const double error = std::log(row.value / curve);
    sum += row.weight * error * error;
  }
  return sum;
}

void RelativeFit::Improve() {
  for (int step = 0; step < 50; ++step) {
    const double before = squares_;
    const Coefficients goal = LeastAtLeastZero(
        Around(rows_, [&](const ShapeRow& row) { return At(row.shapes); }), shapes_);
    for (double share = 1.0; share > 1e-3; share /= 2.0) {
      const Coefficients next = best_ + share * (goal - best_);
      const double squares = SquaresOf(next);
      if (squares >= squares_) continue;
      best_ = next;
      squares_ = squares;
      break;
    }
    if (before - squares_ <= 1e-12 * before) return;
  }
}

void RelativeFit::Linearize() {
  const NormalEquations normal = Around(rows_, [&](const ShapeRow& row) { return At(row.shapes); });
  const auto inverse = Inverse(normal.products, (1U << shapes_) - 1);
  const double degrees = static_cast<double>(rows_.size() - shapes_);
  if (!inverse) {
    free_ = best_;
    variance_ = kUnbounded;
    return;
  }
  inverse_ = *inverse;
  free_ = inverse_ * normal.target;
  double squares = 0.0;
  for (const ShapeRow& row : rows_) {
    const double there = At(row.shapes);
    const double error = 1.0 + std::log(row.value / there) - free_.dot(row.shapes) / there;
    squares += row.weight * error * error;
  }
  variance_ = squares / degrees;
  if (known_errors_) variance_ = std::max(variance_, 1.0);
}

double RelativeFit::aicc() const {
  double weights = 0.0;
  for (const ShapeRow& row : rows_) weights += row.weight;
  const auto n = static_cast<double>(rows_.size());
  return Aicc(n * squares_ / weights, rows_.size(), shapes_ + 1);
}

double RelativeFit::Covariance(const Coefficients& left, const Coefficients& right) const {
  if (!std::isfinite(variance_)) return kUnbounded;
  return variance_ * left.dot(inverse_ * right);
}

Bounded RelativeFit::Sum(const Coefficients& sum, double confidence) const {
  const double t = StudentFactor(confidence, static_cast<double>(rows_.size() - shapes_));
  const double half = t * std::sqrt(Covariance(sum, sum));
  const double value = sum.dot(best_);
  const double middle = sum.dot(free_);
  return {value, std::clamp(middle - half, 0.0, value), std::max(middle + half, value)};
}

Bounded RelativeFit::Ratio(const Coefficients& above, const Coefficients& below,
                           double confidence) const {
  const double value_below = below.dot(best_);
  const double value = value_below > 0.0 ? above.dot(best_) / value_below : kUnbounded;
  const double t = StudentFactor(confidence, static_cast<double>(rows_.size() - shapes_));
  const double top = above.dot(free_);
  const double bottom = below.dot(free_);
  // Those r for which top - r bottom may be 0: a r^2 - 2 b r + c <= 0.
  const double a = bottom * bottom - t * t * Covariance(below, below);
  const double b = top * bottom - t * t * Covariance(above, below);
  const double c = top * top - t * t * Covariance(above, above);
  const double root = b * b - a * c;
  if (!std::isfinite(root) || (a <= 0.0 && root <= 0.0)) return {value, 0.0, kUnbounded};
  const double one = (b - std::sqrt(std::max(root, 0.0))) / a;
  const double other = (b + std::sqrt(std::max(root, 0.0))) / a;
  const double low = std::min(one, other);
  const double high = std::max(one, other);
  if (a > 0.0) {
    // Wholly below 0: `below` is negative, and the bounded ratio has no end.
    if (high < 0.0) return {value, value, std::max(value, 0.0)};
    return {value, std::min(std::max(low, 0.0), value), std::max(high, value)};
  }
  return {value, low >= 0.0 ? 0.0 : std::min(std::max(high, 0.0), value), kUnbounded};
}

}  // namespace twofold::stats
