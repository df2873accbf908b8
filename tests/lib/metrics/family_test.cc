#include "lib/metrics/family.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

namespace twofold::metrics {
namespace {

using Buckets = std::vector<prometheus::ClientMetric::Bucket>;

Buckets BucketsOf(const stats::Histogram& times) {
  Family family("seconds", "Times.", MetricType::Histogram);
  family.Add({}, times);
  return family.Take().metric.at(0).histogram.bucket;
}

/// As PromQL's histogram_quantile does it.
double QuantileOf(const Buckets& buckets, double q) {
  const double rank = q * static_cast<double>(buckets.back().cumulative_count);
  std::size_t at = 0;
  while (static_cast<double>(buckets[at].cumulative_count) < rank) ++at;
  const double lowest = at == 0 ? 0 : buckets[at - 1].upper_bound;
  const double before = at == 0 ? 0 : static_cast<double>(buckets[at - 1].cumulative_count);
  const double inside = static_cast<double>(buckets[at].cumulative_count) - before;
  return lowest + (buckets[at].upper_bound - lowest) * (rank - before) / inside;
}

TEST(FamilyOfTimes, AQuantileFromTheBucketsIsLessThanAQuarterOffAtEveryScale) {
  for (double seconds = 1.01e-4; seconds < 3'600; seconds *= 1.013) {
    stats::Histogram times;
    for (int i = 0; i < 100; ++i) times.Record(FromSeconds(seconds));
    const Buckets buckets = BucketsOf(times);
    for (const double q : {0.01, 0.5, 0.99}) {
      EXPECT_LT(QuantileOf(buckets, q) / seconds, 1.26) << seconds;
      EXPECT_GT(QuantileOf(buckets, q) / seconds, 0.79) << seconds;
    }
  }
}

TEST(FamilyOfTimes, QuantilesOfRandomWaitsAreWithinFivePerCent) {
  for (const double mean : {1e-3, 0.02, 0.189, 3.0}) {
    const auto quantile = [mean](double q) { return -mean * std::log(1 - q); };
    constexpr int kValues = 100'000;
    stats::Histogram times;
    for (int i = 0; i < kValues; ++i) times.Record(FromSeconds(quantile((i + 0.5) / kValues)));
    const Buckets buckets = BucketsOf(times);
    for (const double q : {0.5, 0.9, 0.95, 0.99, 0.999}) {
      EXPECT_NEAR(QuantileOf(buckets, q) / quantile(q), 1, 0.05) << mean << " s, quantile " << q;
    }
  }
}

}  // namespace
}  // namespace twofold::metrics
