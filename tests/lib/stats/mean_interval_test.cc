#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "lib/stats/summary.h"

namespace twofold::stats {
namespace {

TEST(IntervalOfMean, OfAKnownSampleIsThatOfTheTables) {
  // Mean 5, standard deviation sqrt(10), t(4, 0.975) = 2.776.
  const MeanInterval interval = IntervalOfMean(std::vector<double>{1, 3, 5, 7, 9});
  EXPECT_DOUBLE_EQ(interval.mean, 5.0);
  EXPECT_NEAR(interval.half_width, 2.776445 * std::sqrt(10.0) / std::sqrt(5.0), 1e-5);
  EXPECT_NEAR(interval.Relative(), interval.half_width / 5.0, 1e-12);
}

TEST(IntervalOfMean, OfOneValueOrNoneIsUnknown) {
  EXPECT_TRUE(std::isinf(IntervalOfMean({}).Relative()));
  EXPECT_TRUE(std::isinf(IntervalOfMean(std::vector<double>{3.0}).Relative()));
}

TEST(IntervalOfMean, OfEqualValuesIsNothingWide) {
  EXPECT_EQ(IntervalOfMean(std::vector<double>{4, 4, 4}).Relative(), 0.0);
  EXPECT_EQ(IntervalOfMean(std::vector<double>{0, 0}).Relative(), 0.0);
}

TEST(IntervalOfMean, AroundZeroOrOfWhatIsNoNumberIsUnknown) {
  EXPECT_TRUE(std::isinf(IntervalOfMean(std::vector<double>{-1, 1}).Relative()));
  EXPECT_TRUE(std::isinf(
      IntervalOfMean(std::vector<double>{1, std::numeric_limits<double>::quiet_NaN()}).Relative()));
}

TEST(IntervalOfMean, OfANegativeMeanIsRelativeToItsSize) {
  EXPECT_GT(IntervalOfMean(std::vector<double>{-9, -10, -11}).Relative(), 0.0);
}

TEST(IntervalOfMean, HoldsTheMeanAsOftenAsItSays) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal(100.0, 15.0);
  int held = 0;
  constexpr int kTrials = 20'000;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> values(5);
    for (double& value : values) value = normal(random);
    const MeanInterval interval = IntervalOfMean(values);
    held += std::abs(interval.mean - 100.0) <= interval.half_width ? 1 : 0;
  }
  EXPECT_NEAR(held / double{kTrials}, 0.95, 0.006);  // four standard errors
}

}  // namespace
}  // namespace twofold::stats
