#include "lib/words/change.h"

#include <algorithm>
#include <cmath>

#include "lib/stats/comparison.h"
#include "lib/stats/power.h"

namespace twofold {
namespace {

/// The scatter that makes the interval of the mean what it is: of looks, more than values have.
double ScatterOf(const v1::MetricResult& metric) {
  if (!metric.looked() || metric.n() < 2) return metric.sd();
  const auto n = static_cast<double>(metric.n());
  return metric.half_width() * std::sqrt(n) / stats::StudentFactor(0.95, n - 1.0);
}

stats::Summary SummaryOf(const v1::MetricResult& metric) {
  return {.n = metric.n(),
          .mean = metric.mean(),
          .median = metric.median(),
          .least = metric.least(),
          .most = metric.most(),
          .sd = ScatterOf(metric)};
}

}  // namespace

stats::Change ChangeOf(const v1::MetricResult& base, const v1::MetricResult& now) {
  return stats::ChangeOfMean(SummaryOf(base), SummaryOf(now));
}

std::size_t RepetitionsToTell(const v1::MetricResult& base, const v1::MetricResult& now,
                              double confidence) {
  const std::size_t needed = stats::RepetitionsToTell(SummaryOf(base), SummaryOf(now), confidence);
  return needed > std::min(base.n(), now.n()) ? needed : 0;
}

std::string_view ChangeWord(double difference, double p, v1::Better better) {
  if (!IsChanged(p)) return "-";
  const bool more = difference > 0.0;
  if (better == v1::BETTER_NONE) return more ? "more" : "less";
  return more == (better == v1::BETTER_HIGHER) ? "better" : "worse";
}

}  // namespace twofold
