#include "lib/stats/summary.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "lib/stats/mean_interval.h"

namespace twofold::stats {
namespace {

double Median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return std::midpoint(*std::max_element(values.begin(), middle), *middle);
}

double DeviationFrom(double mean, const std::vector<double>& values) {
  double squares = 0.0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / (static_cast<double>(values.size()) - 1.0));
}

}  // namespace

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
    summary.sd = DeviationFrom(interval.mean, values);
  }
  summary.median = Median(values);
  return summary;
}

Rate MeanRate(const Summary& summary) {
  if (summary.n < 2 || summary.mean <= 0.0) {
    return {.throughput = summary.mean, .log_error = std::numeric_limits<double>::infinity()};
  }
  const auto n = static_cast<double>(summary.n);
  return {.throughput = summary.mean,
          .log_error = summary.sd / std::sqrt(n) / summary.mean,
          .degrees = n - 1.0,
          .seconds = n};
}

}  // namespace twofold::stats
