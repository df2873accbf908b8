#include "lib/stats/median_ratio.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "lib/stats/summary.h"

namespace twofold::stats {
namespace {

constexpr std::size_t kDraws = 1999;

double DrawnMedian(std::span<const double> values, std::mt19937_64& random) {
  std::uniform_int_distribution<std::size_t> which(0, values.size() - 1);
  std::vector<double> drawn(values.size());
  for (double& value : drawn) value = values[which(random)];
  return Median(std::move(drawn));
}

/// The share of `sorted` on the rarer side of 1; those at 1 are on both.
double RarerSide(const std::vector<double>& sorted) {
  const auto at_most = std::upper_bound(sorted.begin(), sorted.end(), 1.0) - sorted.begin();
  const auto at_least = sorted.end() - std::lower_bound(sorted.begin(), sorted.end(), 1.0);
  return static_cast<double>(std::min(at_most, at_least) + 1) /
         static_cast<double>(sorted.size() + 1);
}

}  // namespace

MedianRatio CompareMedians(std::span<const double> base, std::span<const double> now,
                           double confidence, std::uint64_t seed) {
  constexpr double kUnknown = std::numeric_limits<double>::infinity();
  if (base.empty() || now.empty()) return {{0.0, 0.0, kUnknown}, 1.0};
  const double ratio = Median({now.begin(), now.end()}) / Median({base.begin(), base.end()});
  const auto is_positive = [](double value) { return value > 0.0; };
  if (std::min(base.size(), now.size()) < kLeastForMedian ||
      !std::all_of(base.begin(), base.end(), is_positive) ||
      !std::all_of(now.begin(), now.end(), is_positive)) {
    return {{ratio, 0.0, kUnknown}, 1.0};
  }
  std::mt19937_64 random(seed);
  std::vector<double> ratios(kDraws);
  for (double& each : ratios) {
    const double drawn = DrawnMedian(now, random);
    each = drawn / DrawnMedian(base, random);
  }
  std::sort(ratios.begin(), ratios.end());
  const auto rank = static_cast<std::size_t>((1.0 - confidence) / 2.0 * (kDraws + 1));
  return {{ratio, ratios[rank - 1], ratios[kDraws - rank]}, std::min(1.0, 2.0 * RarerSide(ratios))};
}

}  // namespace twofold::stats
