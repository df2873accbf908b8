#include "lib/stats/steadiness.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "lib/stats/student.h"

namespace twofold::stats {
namespace {

double Mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// The sum of squared distances from the mean.
double Squares(std::span<const double> values) {
  const double mean = Mean(values);
  double sum = 0.0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return sum;
}

}  // namespace

HalfChange CompareHalves(std::span<const double> batches, double least_error) {
  const std::size_t half = batches.size() / 2;
  const auto first = batches.first(half);
  const auto second = batches.subspan(half);
  const double before = Mean(first);
  const double after = Mean(second);
  if (before == 0.0) return {after > 0.0 ? std::numeric_limits<double>::infinity() : 0.0, 0.0};
  const double degrees = static_cast<double>(batches.size()) - 2.0;
  const double scatter =
      std::sqrt((Squares(first) + Squares(second)) / degrees * 2.0 / static_cast<double>(half));
  // Each half has sqrt(2) times the error of the whole, their difference twice the error.
  const double error = std::max(scatter, least_error * (before + after));
  return {(after - before) / before, error / before * StudentFactor(0.99, degrees)};
}

double Drift(std::span<const double> parts) {
  const double mean = Mean(parts);
  if (mean == 0.0) return 0.0;
  const auto count = static_cast<double>(parts.size());
  double place = 0.5 - 0.5 * count;  // from the middle
  double products = 0.0;
  double squares = 0.0;
  for (const double part : parts) {
    products += place * part;
    squares += place * place;
    ++place;
  }
  return products / squares * count / mean;
}

Hole LongestHole(std::span<const double> parts) {
  const double little = 0.25 * Mean(parts);
  std::size_t run = 0;
  std::size_t longest = 0;
  std::size_t end = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    run = parts[i] < little ? run + 1 : 0;
    if (run <= longest) continue;
    longest = run;
    end = i + 1;
  }
  const auto count = static_cast<double>(parts.size());
  return {static_cast<double>(end - longest) / count, static_cast<double>(longest) / count};
}

}  // namespace twofold::stats
