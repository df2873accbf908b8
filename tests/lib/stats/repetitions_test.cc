#include "lib/stats/repetitions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace twofold::stats {
namespace {

using Values = std::vector<double>;

const Values kUpAndDown = {10, 12, 9, 11, 10, 12, 9, 11, 10, 12};

TEST(IntervalOfLooks, IsWiderThanThatOfOneLook) {
  EXPECT_GT(IntervalOfLooks(kUpAndDown).half_width, IntervalOfMean(kUpAndDown).half_width);
  EXPECT_EQ(IntervalOfLooks(kUpAndDown).mean, IntervalOfMean(kUpAndDown).mean);
}

TEST(IntervalOfLooks, OfTheSameValuesInOrderIsWiderStill) {
  Values rising = kUpAndDown;
  std::sort(rising.begin(), rising.end());
  EXPECT_GT(IntervalOfLooks(rising).half_width, 2.0 * IntervalOfLooks(kUpAndDown).half_width);
}

TEST(IntervalOfLooks, OfEqualValuesHasNoWidthAndOfOneNoEnd) {
  EXPECT_EQ(IntervalOfLooks(Values(8, 5.0)).half_width, 0.0);
  EXPECT_TRUE(std::isinf(IntervalOfLooks(Values{5.0}).half_width));
  EXPECT_TRUE(std::isinf(IntervalOfLooks({}).half_width));
}

TEST(Doubt, IsSeenInValuesThatAreLikeTheOneBefore) {
  EXPECT_EQ(DoubtOfMean(Values{1, 2, 3, 4, 5, 6, 7, 8}), MeanDoubt::kCorrelated);
  EXPECT_EQ(DoubtOfMean(kUpAndDown), MeanDoubt::kNone);
}

TEST(Doubt, IsSeenInValuesOfTwoKinds) {
  EXPECT_EQ(DoubtOfMean(Values{10.1, 20, 10, 10.2, 20.1, 9.9, 10, 20.2}), MeanDoubt::kClusters);
  EXPECT_EQ(Name(MeanDoubt::kClusters), "clusters");
}

TEST(Doubt, NeedsEightValuesThatDiffer) {
  EXPECT_EQ(DoubtOfMean(Values{1, 2, 3, 4, 5, 6, 7}), MeanDoubt::kNone);
  EXPECT_EQ(DoubtOfMean(Values(20, 5.0)), MeanDoubt::kNone);
  EXPECT_EQ(DoubtOfMean(Values{1, 2, 3, 4, 5, 6, 7, std::nan("")}), MeanDoubt::kNone);
  EXPECT_EQ(DoubtOfMean({}), MeanDoubt::kNone);
}

}  // namespace
}  // namespace twofold::stats
