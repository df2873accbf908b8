#include "lib/stats/mean_interval.h"

#include <cmath>
#include <limits>
#include <numeric>

#include "lib/stats/student.h"

namespace twofold::stats {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::infinity();

}  // namespace

double MeanInterval::Relative() const {
  if (!std::isfinite(mean) || !std::isfinite(half_width)) return kUnknown;
  if (half_width == 0.0) return 0.0;
  return half_width / std::abs(mean);
}

MeanInterval IntervalOfMean(std::span<const double> values, double confidence) {
  if (values.empty()) return {0.0, kUnknown};
  const auto n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  if (values.size() == 1) return {mean, kUnknown};
  double squares = 0.0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  const double error = std::sqrt(squares / (n - 1.0) / n);
  return {mean, StudentFactor(confidence, n - 1.0) * error};
}

}  // namespace twofold::stats
