#include "lib/stats/summary.h"

#include <gtest/gtest.h>

#include <cmath>

namespace twofold::stats {
namespace {

TEST(Summary, OfNothingIsNothing) {
  const Summary summary = Summarize({});
  EXPECT_EQ(summary.n, 0u);
  EXPECT_EQ(summary.mean, 0.0);
  EXPECT_EQ(summary.Cv(), 0.0);
}

TEST(Summary, OfOneValueHasNoSpread) {
  const Summary summary = Summarize({7.5});
  EXPECT_EQ(summary.n, 1u);
  EXPECT_EQ(summary.mean, 7.5);
  EXPECT_EQ(summary.median, 7.5);
  EXPECT_EQ(summary.least, 7.5);
  EXPECT_EQ(summary.most, 7.5);
  EXPECT_EQ(summary.sd, 0.0);
  EXPECT_EQ(summary.half_width, 0.0);
}

// Worked by hand: deviations -2.5 -0.5 -1.5 4.5, squares 29, sd = sqrt(29 / 3).
TEST(Summary, HasTheTextbookFormulas) {
  const Summary summary = Summarize({3, 5, 4, 10});
  EXPECT_DOUBLE_EQ(summary.mean, 5.5);
  EXPECT_DOUBLE_EQ(summary.median, 4.5);
  EXPECT_EQ(summary.least, 3.0);
  EXPECT_EQ(summary.most, 10.0);
  EXPECT_NEAR(summary.sd, 3.109126351, 1e-9);
  EXPECT_NEAR(summary.Cv(), 0.565295700, 1e-9);
  EXPECT_NEAR(summary.half_width, 3.182446305 * 3.109126351 / 2, 1e-8);
}

TEST(Summary, MedianOfAnOddNumberIsTheOneInTheMiddle) {
  EXPECT_EQ(Summarize({9, 1, 100}).median, 9.0);
}

TEST(Summary, CvIsAShareOfTheSizeOfTheMean) {
  EXPECT_NEAR(Summarize({-9, -11}).Cv(), 0.141421356, 1e-9);
  EXPECT_EQ(Summarize({-1, 1}).Cv(), 0.0);  // not known
}

TEST(Summary, EqualValuesHaveAnIntervalOfNoWidth) {
  const Summary summary = Summarize({2, 2, 2});
  EXPECT_EQ(summary.sd, 0.0);
  EXPECT_EQ(summary.half_width, 0.0);
}

}  // namespace
}  // namespace twofold::stats
