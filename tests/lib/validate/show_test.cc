#include "lib/validate/show.h"

#include <gtest/gtest.h>

namespace twofold::validate {
namespace {

TEST(IntervalSoFarTest, OfAnyPods) {
  EXPECT_EQ(IntervalSoFar(Answer("ratio_lower 1.85\nratio_upper 2.1234567\n"
                                 "these_lower 1.9\nthese_upper 2.1\n")),
            "1.85..2.123");
}

TEST(IntervalSoFarTest, OfThesePodsWhereItSaysNothingOfOthers) {
  EXPECT_EQ(IntervalSoFar(Answer("ratio_lower 0.0007927\nratio_upper 4676\n"
                                 "these_lower 1.9\nthese_upper 2.1\n")),
            "these pods: 1.9..2.1");
}

TEST(IntervalSoFarTest, TooEarlyIsSaid) {
  EXPECT_EQ(IntervalSoFar(Answer("ratio_lower 0\nratio_upper inf\n")), "too early for an interval");
  EXPECT_EQ(IntervalSoFar(Answer("ratio_lower 0\nratio_upper inf\n"
                                 "these_lower 0.2\nthese_upper 20\n")),
            "too early for an interval");
}

}  // namespace
}  // namespace twofold::validate
