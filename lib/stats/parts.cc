#include "lib/stats/parts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "lib/stats/summary.h"

namespace twofold::stats {
namespace {

constexpr double kChanceOfStep = 0.002;
constexpr std::size_t kWaves = 12;

std::array<Parts, kWaves> MakeWaves() {
  std::array<Parts, kWaves> waves{};
  for (std::size_t wave = 0; wave < kWaves; ++wave) {
    const double step = std::numbers::pi * static_cast<double>(wave + 1) / double{kParts};
    for (std::size_t i = 0; i < kParts; ++i) {
      waves[wave][i] = std::cos(step * (static_cast<double>(i) + 0.5));
    }
  }
  return waves;
}

double Product(const Parts& one, const Parts& other) {
  return std::inner_product(one.begin(), one.end(), other.begin(), 0.0);
}

/// The variance of the sum of weight x noise, for noise of variance 1 whose correlation falls by
/// the factor `likeness` from each part to the next.
double Variance(const Parts& weights, double likeness) {
  double before = 0.0;  // what the noise so far says about the next part
  double sum = 0.0;
  for (const double weight : weights) {
    sum += weight * (weight + 2.0 * before);
    before = likeness * (before + weight);
  }
  return sum;
}

}  // namespace

Step LargestStep(std::span<const double> batches, double least_error) {
  const auto count = static_cast<double>(batches.size());
  const double factor = StudentFactor(1.0 - kChanceOfStep / (count - 1.0), count - 2.0);
  const double least = least_error * least_error * count * Mean(batches) * Mean(batches);
  Step largest;
  double height = -1.0;  // of its difference, in errors
  for (std::size_t at = 1; at < batches.size(); ++at) {
    const auto first = batches.first(at);
    const auto second = batches.subspan(at);
    const double before = Mean(first);
    const double difference = Mean(second) - before;
    const double variance = std::max((Squares(first) + Squares(second)) / (count - 2.0), least);
    const double share = 1.0 / static_cast<double>(at) + 1.0 / static_cast<double>(second.size());
    const double error = std::sqrt(variance * share);
    const double seen = difference == 0.0 ? 0.0 : std::abs(difference) / error;
    if (seen <= height) continue;
    height = seen;
    const double unit = before > 0.0 ? before : 0.0;
    largest = {at, difference / unit, unit > 0.0 ? error * factor / unit : 0.0};
    if (difference == 0.0) largest.change = 0.0;
  }
  return largest;
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

LongRunError ErrorOfMean(const Parts& parts, double lives_per_part) {
  static const std::array<Parts, kWaves> waves = MakeWaves();
  const double mean = Mean(parts);
  if (mean == 0.0) return {};
  const double likeness = std::exp(-lives_per_part / kLastingLives);
  double seen = 0.0;
  double expected = 0.0;
  double expected_squares = 0.0;
  for (const Parts& wave : waves) {
    const double amplitude = Product(wave, parts) / mean;
    const double variance = Variance(wave, likeness);
    seen += amplitude * amplitude;
    expected += variance;
    expected_squares += variance * variance;
  }
  Parts even{};
  even.fill(1.0 / double{kParts});
  return {std::sqrt(seen / expected * Variance(even, likeness)),
          expected * expected / expected_squares};
}

}  // namespace twofold::stats
