#include "lib/stats/batch_means.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "lib/stats/student.h"

namespace twofold::stats {
namespace {

double Mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// The sum of products of distances from `mean`, of each value and the one `lag` places on.
double Products(std::span<const double> values, double mean, std::size_t lag) {
  double sum = 0.0;
  for (std::size_t i = lag; i < values.size(); ++i) {
    sum += (values[i] - mean) * (values[i - lag] - mean);
  }
  return sum;
}

double Correction(std::span<const double> batches, double mean, double squares) {
  if (squares == 0.0) return 1.0;
  const double correlation = Products(batches, mean, 1) / squares;
  const double significant = 1.645 / std::sqrt(static_cast<double>(batches.size()));
  return correlation > significant ? std::sqrt(1.0 + 2.0 * correlation) : 1.0;
}

}  // namespace

double RelativeError(std::span<const double> batches) {
  const double mean = Mean(batches);
  if (mean == 0.0) return 0.0;
  const auto k = static_cast<double>(batches.size());
  const double squares = Products(batches, mean, 0);
  return std::sqrt(squares / (k - 1.0) / k) / mean * Correction(batches, mean, squares);
}

HalfChange CompareHalves(std::span<const double> batches, double least_error) {
  const double mean = Mean(batches);
  if (mean == 0.0) return {};
  const std::size_t half = batches.size() / 2;
  const auto first = batches.first(half);
  const auto second = batches.subspan(half);
  const double squares = Products(first, Mean(first), 0) + Products(second, Mean(second), 0);
  const double degrees = static_cast<double>(batches.size()) - 2.0;
  const double scatter = std::sqrt(squares / degrees * 2.0 / static_cast<double>(half)) / mean;
  // Each half has sqrt(2) times the error of the whole, their difference twice the error.
  const double error = std::max(scatter, 2.0 * least_error);
  return {(Mean(second) - Mean(first)) / mean, error * StudentFactor(0.99, degrees)};
}

}  // namespace twofold::stats
