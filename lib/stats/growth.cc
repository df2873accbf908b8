#include "lib/stats/growth.h"

#include <absl/strings/str_format.h>

#include <Eigen/QR>
#include <algorithm>
#include <array>
#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <map>

#include "lib/stats/comparison.h"
#include "lib/stats/many.h"
#include "lib/stats/relative_fit.h"
#include "lib/stats/summary.h"

namespace twofold::stats {
namespace {

constexpr double kSide = 0.05;      // error of each side of the interval
constexpr double kKneeGain = 10.0;  // AICc; Burnham & Anderson: "essentially no support" without
constexpr std::size_t kLeastForGrowth = 3;
constexpr std::size_t kFewEnough = 10;
constexpr std::size_t kMostAdvised = 10'000;
constexpr double kNothing = std::numeric_limits<double>::infinity();

/// A point in logarithms.
struct LogPoint {
  double x = 0.0;
  double y = 0.0;
};
using LogPoints = std::vector<LogPoint>;

struct Line {
  double slope = 0.0;
  double at_zero = 0.0;
  double squares = 0.0;  ///< of what the line does not explain
  double spread = 0.0;   ///< sum of squares of x
};

double ShapeAt(Shape shape, double n) {
  switch (shape) {
    case Shape::kLog:
      return std::log2(n);
    case Shape::kLinear:
      return n;
    case Shape::kLogTimes:
      return n * std::log2(n);
    case Shape::kSquare:
      return n * n;
    default:
      return 1.0;
  }
}

Line FitLine(const LogPoints& points) {
  const auto n = static_cast<double>(points.size());
  LogPoint mean;
  for (const LogPoint& point : points) {
    mean.x += point.x / n;
    mean.y += point.y / n;
  }
  Line line;
  double products = 0.0;
  for (const LogPoint& point : points) {
    line.spread += (point.x - mean.x) * (point.x - mean.x);
    products += (point.x - mean.x) * (point.y - mean.y);
  }
  line.slope = products / line.spread;
  line.at_zero = mean.y - line.slope * mean.x;
  for (const LogPoint& point : points) {
    const double error = point.y - line.at_zero - line.slope * point.x;
    line.squares += error * error;
  }
  return line;
}

/// The points of each size.
std::map<double, std::vector<double>> SizesOf(const LogPoints& points) {
  std::map<double, std::vector<double>> sizes;
  for (const LogPoint& point : points) sizes[point.x].push_back(point.y);
  return sizes;
}

LogPoints MeansOf(const std::map<double, std::vector<double>>& sizes) {
  LogPoints means;
  for (const auto& [x, ys] : sizes) means.push_back({x, Mean(ys)});
  return means;
}

/// Whether means of sizes are farther from the line than repetitions explain.
bool IsBent(const std::map<double, std::vector<double>>& sizes, const Line& line, std::size_t n) {
  if (n == sizes.size()) return false;
  double pure = 0.0;
  for (const auto& [x, ys] : sizes) pure += Squares(ys);
  const auto between = static_cast<double>(sizes.size() - 2);
  const auto within = static_cast<double>(n - sizes.size());
  const double lack = std::max(line.squares - pure, 0.0) / between;
  if (pure <= 0.0) return lack > 0.0;
  const boost::math::fisher_f_distribution<double> f(between, within);
  return lack / (pure / within) > quantile(complement(f, kSide));
}

double MedianSlope(const LogPoints& means) {
  std::vector<double> slopes;
  for (std::size_t i = 0; i < means.size(); ++i) {
    for (std::size_t j = i + 1; j < means.size(); ++j) {
      slopes.push_back((means[j].y - means[i].y) / (means[j].x - means[i].x));
    }
  }
  return Median(std::move(slopes));
}

/// The best two lines that meet at `knot`: y = a + b min(x - knot, 0) + c max(x - knot, 0).
struct Bent {
  Knee knee;
  double squares = 0.0;
};

Bent FitBent(const LogPoints& points, double knot) {
  const auto n = static_cast<Eigen::Index>(points.size());
  Eigen::MatrixX3d shapes(n, 3);
  Eigen::VectorXd values(n);
  for (Eigen::Index i = 0; const LogPoint& point : points) {
    shapes.row(i) << 1.0, std::min(point.x - knot, 0.0), std::max(point.x - knot, 0.0);
    values[i++] = point.y;
  }
  const Eigen::Vector3d fit = shapes.colPivHouseholderQr().solve(values);
  return {{std::exp(knot), fit[1], fit[2]}, (values - shapes * fit).squaredNorm()};
}

std::optional<Knee> FindKnee(const LogPoints& points, const LogPoints& means, const Line& line) {
  double best = Aicc(line.squares, points.size(), 3) - kKneeGain;
  std::optional<Knee> knee;
  for (std::size_t i = 1; i + 1 < means.size(); ++i) {
    const Bent bent = FitBent(points, means[i].x);
    const double aicc = Aicc(bent.squares, points.size(), 5);
    if (aicc >= best) continue;
    best = aicc;
    knee = bent.knee;
  }
  return knee;
}

/// The shape of the costs themselves with the least AICc.
Shape BestShape(std::span<const Observation> costs, const Line& power_line) {
  Shape best = Shape::kConstant;
  double least = kNothing;
  const auto consider = [&](Shape shape, double aicc) {
    if (aicc >= least) return;
    least = aicc;
    best = shape;
  };
  for (const Shape shape :
       {Shape::kConstant, Shape::kLog, Shape::kLinear, Shape::kLogTimes, Shape::kSquare}) {
    std::vector<ShapeRow> rows;
    for (const Observation& one : costs) rows.push_back({{1.0, ShapeAt(shape, one.x), 0.0}, one.y});
    consider(shape, RelativeFit(rows, shape == Shape::kConstant ? 1 : 2, false).aicc());
  }
  consider(Shape::kPower, Aicc(power_line.squares, costs.size(), 3));
  return best;
}

/// A slope and how well it is known.
struct KnownSlope {
  double value = 0.0;
  double error = 0.0;
  double degrees = 1.0;

  [[nodiscard]] double Half() const { return StudentFactor(1.0 - 2.0 * kSide, degrees) * error; }

  /// How rarely a slope at `margin` looks so far from it.
  [[nodiscard]] double ChanceAt(double margin) const {
    const double distance = std::abs(value - margin);
    if (error <= 0.0) return distance == 0.0 ? 0.5 : 0.0;
    return cdf(complement(boost::math::students_t_distribution<double>(degrees), distance / error));
  }
};

KnownSlope SlopeOf(const LogPoints& points, const Line& line) {
  const double degrees = static_cast<double>(points.size()) - 2.0;
  return {line.slope, std::sqrt(line.squares / degrees / line.spread), degrees};
}

/// The class, how sure it is, and what would decide it.
void JudgeGrowth(const KnownSlope& all, const KnownSlope& sizes, double margin, Growth& growth) {
  if (growth.exponent.lower > margin) growth.verdict = ScalingClass::kIssue;
  if (growth.exponent.upper < margin) growth.verdict = ScalingClass::kClose;
  growth.p = std::max(all.ChanceAt(margin), sizes.ChanceAt(margin));
  const double distance = all.value - margin;
  if (growth.verdict != ScalingClass::kPossible || distance == 0.0 || growth.bent) return;
  const double half = all.Half();
  const double each = static_cast<double>(growth.n) / static_cast<double>(growth.sizes);
  // What differs from size to size may stay.
  if (growth.n > growth.sizes && sizes.Half() > half) return;
  const double needed = std::ceil(each * (half / distance) * (half / distance) + 1.0);
  if (needed <= kMostAdvised) growth.repetitions_needed = static_cast<std::size_t>(needed);
}

Status CheckValues(std::span<const Observation> values, Shape ideal) {
  for (const Observation& one : values) {
    if (!(one.x > 0.0) || !std::isfinite(one.x)) {
      return absl::InvalidArgumentError(absl::StrFormat("size: %g is not above 0", one.x));
    }
    if (!(one.y > 0.0) || !std::isfinite(one.y)) {
      return absl::InvalidArgumentError(
          absl::StrFormat("value at size %g: %g is not above 0", one.x, one.y));
    }
    if (!(ShapeAt(ideal, one.x) > 0.0)) {
      return absl::InvalidArgumentError(
          absl::StrFormat("size: the ideal log n needs sizes above 1, one is %g", one.x));
    }
  }
  return absl::OkStatus();
}

/// The costs beside their ideal.
LogPoints InLogs(std::span<const Observation> values, Shape ideal, bool more_is_better) {
  LogPoints points;
  for (const Observation& one : values) {
    const double log = std::log(one.y / ShapeAt(ideal, one.x));
    points.push_back({std::log(one.x), more_is_better ? -log : log});
  }
  return points;
}

}  // namespace

std::string_view Name(Shape shape) {
  constexpr std::array<std::string_view, 6> kNames = {"constant", "log n", "n",
                                                      "n log n",  "n^2",   "power"};
  return kNames[static_cast<std::size_t>(shape)];
}

std::string_view GradeOf(const Growth& growth) {
  if (growth.verdict != ScalingClass::kIssue) return "";
  if (growth.exponent.lower > 1.0) return "superlinear";
  return growth.exponent.upper < 1.0 ? "sublinear" : "linear";
}

Result<Growth> FitGrowth(std::span<const Observation> values, const GrowthOptions& options) {
  if (const Status status = CheckValues(values, options.ideal); !status.ok()) return status;
  const LogPoints points = InLogs(values, options.ideal, options.more_is_better);
  const auto sizes = SizesOf(points);
  if (sizes.size() < kLeastForGrowth) {
    return absl::InvalidArgumentError(
        absl::StrFormat("not enough sizes: %d where %d are needed", sizes.size(), kLeastForGrowth));
  }
  const LogPoints means = MeansOf(sizes);
  const Line line = FitLine(points);
  Growth growth{.n = points.size(), .sizes = sizes.size(), .theil_sen = MedianSlope(means)};
  growth.bent = IsBent(sizes, line, points.size());
  const KnownSlope all = SlopeOf(points, line);
  const KnownSlope each = SlopeOf(means, FitLine(means));
  growth.exponent = {all.value, std::min(all.value - all.Half(), each.value - each.Half()),
                     std::max(all.value + all.Half(), each.value + each.Half())};
  JudgeGrowth(all, each, options.margin, growth);
  growth.knee = FindKnee(points, means, line);
  growth.shape = BestShape(values, FitLine(InLogs(values, Shape::kConstant, false)));
  return growth;
}

bool CorrectForMany(std::span<Growth> all) {
  if (all.size() <= kFewEnough) return false;
  std::vector<double> p;
  for (const Growth& growth : all) p.push_back(growth.p);
  const std::vector<double> adjusted = AdjustedForShare(p);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (adjusted[i] > kSide) all[i].verdict = ScalingClass::kPossible;
  }
  return true;
}

}  // namespace twofold::stats
