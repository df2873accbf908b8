#include "lib/stats/censored_times.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

namespace twofold::stats {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

CensoredTimes Of(std::initializer_list<int> ended_ms, std::initializer_list<int> open_ms) {
  CensoredTimes times;
  for (const int ms : ended_ms) times.ended.Record(milliseconds(ms));
  for (const int ms : open_ms) times.open.Record(milliseconds(ms));
  return times;
}

double Ms(const std::optional<CensoredTimes::Bound>& bound) {
  return bound ? ToSeconds(bound->value) * 1e3 : std::nan("");
}

TEST(CensoredTimes, WithoutOpenJobsAreThoseOfTheHistogram) {
  const CensoredTimes times = Of({10, 20, 30, 40}, {});
  EXPECT_EQ(times.Quantile(0.5)->value, *times.ended.Quantile(0.5));
  EXPECT_EQ(times.Mean()->value, *times.ended.Mean());
  EXPECT_EQ(times.Max()->value, milliseconds(40));
  EXPECT_FALSE(times.Max()->at_least);
  EXPECT_EQ(times.Known(), 1.0);
}

TEST(CensoredTimes, OfNothingAreNone) {
  EXPECT_FALSE(CensoredTimes().Quantile(0.5));
  EXPECT_FALSE(CensoredTimes().Mean());
  EXPECT_FALSE(CensoredTimes().Max());
}

// The example of Kaplan and Meier's paper, section 2: deaths at 0.8, 3.1, 5.4, 9.2 months, losses
// at 1.0, 2.7, 7.0, 12.1.
TEST(CensoredTimes, AgreeWithThePrintedExample) {
  const CensoredTimes times = Of({800, 3100, 5400, 9200}, {1000, 2700, 7000, 12100});
  // P(t) is 7/8 from 0.8 on, 7/10 from 3.1, 21/40 from 5.4, 21/80 from 9.2.
  EXPECT_NEAR(Ms(times.Quantile(0.12)), 800, 8);
  EXPECT_NEAR(Ms(times.Quantile(0.29)), 3100, 30);
  EXPECT_NEAR(Ms(times.Quantile(0.47)), 5400, 50);
  EXPECT_NEAR(Ms(times.Quantile(0.73)), 9200, 80);
  EXPECT_NEAR(times.Known(), 1 - 21.0 / 80, 1e-12);
  EXPECT_TRUE(times.Quantile(0.75)->at_least);
  EXPECT_EQ(times.Quantile(0.75)->value, milliseconds(12100));
}

TEST(CensoredTimes, YoungOpenJobsHideNothing) {
  const CensoredTimes times = Of({10, 20, 30, 40}, {1, 1, 1});
  EXPECT_FALSE(times.Max()->at_least);
  EXPECT_FALSE(times.Quantile(0.999)->at_least);
  EXPECT_NEAR(Ms(times.Mean()), 25, 0.2);
  EXPECT_EQ(times.Known(), 1.0);
}

TEST(CensoredTimes, AHungJobIsAtLeastAsLongAsItIsOld) {
  CensoredTimes times = Of({}, {9000});
  for (int i = 0; i < 99; ++i) times.ended.Record(milliseconds(100));
  EXPECT_NEAR(Ms(times.Quantile(0.99)), 100, 1);
  EXPECT_TRUE(times.Quantile(0.999)->at_least);
  EXPECT_EQ(times.Quantile(0.999)->value, seconds(9));
  EXPECT_TRUE(times.Max()->at_least);
  EXPECT_NEAR(Ms(times.Mean()), 0.99 * 100 + 0.01 * 9000, 1);
  EXPECT_TRUE(times.Mean()->at_least);
}

TEST(CensoredTimes, OnlyOpenJobsAreAtLeastTheOldest) {
  const CensoredTimes times = Of({}, {5, 7});
  EXPECT_EQ(times.Quantile(0.01)->value, milliseconds(7));
  EXPECT_TRUE(times.Quantile(0.01)->at_least);
  EXPECT_EQ(times.Known(), 0.0);
}

}  // namespace
}  // namespace twofold::stats
