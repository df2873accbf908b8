#include "lib/stats/summary.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "lib/stats/comparison.h"

namespace twofold::stats {
namespace {

constexpr double kUnlimited = std::numeric_limits<double>::infinity();

}  // namespace

double Mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double Squares(std::span<const double> values) {
  const double mean = Mean(values);
  double sum = 0.0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return sum;
}

double Median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return std::midpoint(*std::max_element(values.begin(), middle), *middle);
}

double MeanInterval::Relative() const {
  if (!std::isfinite(mean) || !std::isfinite(half_width)) return kUnlimited;
  if (half_width == 0.0) return 0.0;
  return half_width / std::abs(mean);
}

MeanInterval IntervalOfMean(std::span<const double> values, double confidence) {
  if (values.empty()) return {.half_width = kUnlimited};
  if (values.size() == 1) return {.mean = values.front(), .half_width = kUnlimited};
  const auto n = static_cast<double>(values.size());
  const double variance = Squares(values) / (n - 1.0);
  return {Mean(values), std::sqrt(variance),
          StudentFactor(confidence, n - 1.0) * std::sqrt(variance / n)};
}

double Summary::Cv() const { return mean == 0.0 ? 0.0 : sd / std::abs(mean); }

Summary Summarize(std::vector<double> values) {
  Summary summary{.n = values.size()};
  if (values.empty()) return summary;
  const MeanInterval interval = IntervalOfMean(values);
  summary.mean = interval.mean;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  summary.least = *least;
  summary.most = *most;
  if (values.size() > 1) {
    summary.half_width = interval.half_width;
    summary.sd = interval.sd;
  }
  summary.median = Median(std::move(values));
  return summary;
}

}  // namespace twofold::stats
