#include "lib/stats/long_run.h"

#include <cmath>
#include <numbers>
#include <numeric>

namespace twofold::stats {
namespace {

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

Parts Even() {
  Parts even{};
  even.fill(1.0 / double{kParts});
  return even;
}

}  // namespace

LongRunError ErrorOfMean(const Parts& parts, double lives_per_part) {
  static const std::array<Parts, kWaves> waves = MakeWaves();
  static const Parts even = Even();
  const double mean = Product(even, parts);
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
  return {std::sqrt(seen / expected * Variance(even, likeness)),
          expected * expected / expected_squares};
}

}  // namespace twofold::stats
