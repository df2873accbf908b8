#include "lib/stats/plateau_fit.h"

#include <algorithm>
#include <boost/math/distributions/fisher_f.hpp>
#include <cmath>
#include <set>
#include <vector>

#include "lib/stats/relative_fit.h"

namespace twofold::stats {
namespace {

constexpr std::size_t kParameters = 2;
constexpr int kSteps = 200;  // of the interval on each side

using Rows = std::span<const PlateauRow>;

/// A weighted mean of logarithms.
struct LogMean {
  double weights = 0.0;
  double sum = 0.0;

  void Add(double weight, double value) {
    weights += weight;
    sum += weight * value;
  }
  [[nodiscard]] double Mean() const { return sum / weights; }
};

/// ln(rate), if throughput is level from `from` on.
LogMean RateAt(Rows rows, double from) {
  LogMean rate;
  for (const PlateauRow& row : rows) rate.Add(row.weight, std::log(row.y / std::min(row.x, from)));
  return rate;
}

double SquaresAt(Rows rows, double from) {
  const double rate = RateAt(rows, from).Mean();
  double squares = 0.0;
  for (const PlateauRow& row : rows) {
    const double error = std::log(row.y / std::min(row.x, from)) - rate;
    squares += row.weight * error * error;
  }
  return squares;
}

/// Where the level begins if sizes up to `last` are below it and those from `next` on are not: the
/// two sides have means of their own, unless their lines meet elsewhere.
double FromBetween(Rows rows, double last, double next) {
  LogMean rate;
  LogMean level;
  for (const PlateauRow& row : rows) {
    if (row.x <= last) {
      rate.Add(row.weight, std::log(row.y / row.x));
    } else {
      level.Add(row.weight, std::log(row.y));
    }
  }
  return std::clamp(std::exp(level.Mean() - rate.Mean()), last, next);
}

/// The farthest value from `best` towards `end`, on a grid, that the likelihood does not exclude.
double Bound(Rows rows, double best, double end, double most) {
  double bound = best;
  for (int i = 1; i <= kSteps; ++i) {
    const double from = best * std::pow(end / best, static_cast<double>(i) / kSteps);
    if (SquaresAt(rows, from) > most) return from;
    bound = from;
  }
  return bound;
}

/// exp(mean) with an interval of errors whose variance is `variance` at weight 1.
Bounded Exp(const LogMean& mean, double variance, double factor) {
  const double half = factor * std::sqrt(variance / mean.weights);
  return {std::exp(mean.Mean()), std::exp(mean.Mean() - half), std::exp(mean.Mean() + half)};
}

}  // namespace

PlateauFit FitPlateau(Rows rows, bool known_errors, double confidence) {
  std::set<double> sizes;
  double weights = 0.0;
  for (const PlateauRow& row : rows) {
    sizes.insert(row.x);
    weights += row.weight;
  }
  double from = *sizes.begin();
  for (auto next = std::next(sizes.begin()); next != sizes.end(); ++next) {
    const double there = FromBetween(rows, *std::prev(next), *next);
    if (SquaresAt(rows, there) < SquaresAt(rows, from)) from = there;
  }
  const auto n = static_cast<double>(rows.size());
  const double degrees = n - static_cast<double>(kParameters);
  const double squares = SquaresAt(rows, from);
  double variance = squares / degrees;
  if (known_errors) variance = std::max(variance, 1.0);
  const boost::math::fisher_f_distribution<double> f(1.0, degrees);
  const double most = squares + variance * quantile(f, confidence);
  LogMean rate;
  LogMean level;
  for (const PlateauRow& row : rows) {
    if (row.x <= from) rate.Add(row.weight, std::log(row.y / row.x));
    if (row.x >= from) level.Add(row.weight, std::log(row.y));
  }
  const double factor = StudentFactor(confidence, degrees);
  PlateauFit fit{.aicc = Aicc(n * squares / weights, rows.size(), kParameters + 1)};
  fit.from = {from, Bound(rows, from, *sizes.begin(), most),
              Bound(rows, from, *sizes.rbegin(), most)};
  fit.rate = Exp(rate, variance, factor);
  fit.level = Exp(level, variance, factor);
  fit.rate.value = std::exp(RateAt(rows, from).Mean());
  fit.level.value = fit.rate.value * from;
  return fit;
}

}  // namespace twofold::stats
