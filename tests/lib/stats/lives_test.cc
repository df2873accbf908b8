#include "lib/stats/lives.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>

namespace twofold::stats {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(Lives, ExpectedDensityIsTheMeanOverLongerLives) {
  Lives lives;
  for (const int s : {1, 2, 4}) lives.Add(seconds(s), true);
  const auto expected = lives.ExpectedDensity();
  EXPECT_DOUBLE_EQ(expected(milliseconds(0)), (1.0 + 0.5 + 0.25) / 3.0);
  EXPECT_DOUBLE_EQ(expected(milliseconds(1500)), (0.5 + 0.25) / 2.0);
  EXPECT_DOUBLE_EQ(expected(milliseconds(3000)), 0.25);
}

TEST(Lives, OlderThanEveryLifeIsAboutToEnd) {
  Lives lives;
  lives.Add(seconds(1), true);
  EXPECT_DOUBLE_EQ(lives.ExpectedDensity()(seconds(100)), 0.01);
}

TEST(Lives, ExpectedDensityIsNeverMoreThanOneJob) {
  Lives lives;
  lives.Add(seconds(1), true);
  const auto expected = lives.ExpectedDensity();
  for (int ms = 990; ms < 1100; ++ms) {
    EXPECT_LE(expected(milliseconds(ms)) * ms / 1000.0, 1.0 + 1e-12) << ms;
  }
}

TEST(Lives, FailuresExpectNoCredit) {
  Lives lives;
  lives.Add(seconds(1), false);
  lives.Add(seconds(2), true);
  const auto expected = lives.ExpectedDensity();
  EXPECT_DOUBLE_EQ(expected(milliseconds(0)), 0.25);    // half of the jobs succeed, at 1/2 per s
  EXPECT_DOUBLE_EQ(expected(milliseconds(1500)), 0.5);  // those that fail are over by now
  EXPECT_DOUBLE_EQ(expected(seconds(10)), 0.5 * 0.1);   // nothing is known: share of successes
}

TEST(Lives, RenewalErrorIsVariationOverRootOfCount) {
  Lives lives;
  for (const int s : {1, 3, 1, 3}) lives.Add(seconds(s), true);
  EXPECT_DOUBLE_EQ(lives.MeanSeconds(), 2.0);
  EXPECT_DOUBLE_EQ(lives.RenewalError(), std::sqrt(4.0 / 3.0) / 2.0 / std::sqrt(4.0));
}

TEST(Lives, RenewalErrorOfEqualLivesIsExactlyZero) {
  Lives lives;
  for (int i = 0; i < 1000; ++i) lives.Add(milliseconds(700), true);
  EXPECT_EQ(lives.RenewalError(), 0.0);
}

TEST(Lives, RenewalErrorOfEqualLivesWithFailuresIsBinomial) {
  Lives lives;
  for (int i = 0; i < 100; ++i) lives.Add(seconds(1), i % 4 != 0);
  EXPECT_DOUBLE_EQ(lives.RenewalError(), std::sqrt(0.25 / 0.75 / 100.0));
}

TEST(Lives, RenewalErrorIsUnknownFromOneLifeOrWithoutSuccess) {
  Lives lives;
  lives.Add(seconds(1), false);
  EXPECT_TRUE(std::isinf(lives.RenewalError()));
  lives.Add(seconds(1), false);
  EXPECT_TRUE(std::isinf(lives.RenewalError()));
  lives.Add(seconds(1), true);
  EXPECT_TRUE(std::isfinite(lives.RenewalError()));
}

}  // namespace
}  // namespace twofold::stats
