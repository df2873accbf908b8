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

// Behind a slow beginning they go up and down.
Values WarmingUp(std::size_t slow) {
  Values values;
  for (std::size_t i = 0; i < 32; ++i)
    values.push_back(kUpAndDown[i % 5] + (i < slow ? 30.0 : 0.0));
  return values;
}

TEST(WarmUpOfRepetitions, IsWhatDiffersAtFirstAndHalfAsMuchAgain) {
  EXPECT_EQ(WarmUpOfRepetitions(WarmingUp(2)), 4U);
  EXPECT_EQ(WarmUpOfRepetitions(WarmingUp(4)), 6U);
  EXPECT_EQ(WarmUpOfRepetitions(WarmingUp(0)), 0U);
}

TEST(WarmUpOfRepetitions, IsNotSeenInFewerThanSixteen) {
  Values values = WarmingUp(2);
  values.resize(15);
  EXPECT_EQ(WarmUpOfRepetitions(values), 0U);
}

TEST(WarmUpOfRepetitions, IsLeftOutByLooksAlone) {
  const Values values = WarmingUp(2);
  const Values rest(values.begin() + 4, values.end());
  EXPECT_EQ(IntervalOfLooks(values).mean, IntervalOfMean(rest).mean);
  const Summary looked = SummarizeRepetitions(values, true);
  EXPECT_EQ(looked.n, rest.size());
  EXPECT_EQ(looked.mean, Summarize(rest).mean);
  EXPECT_EQ(looked.half_width, IntervalOfLooks(values).half_width);
  EXPECT_EQ(SummarizeRepetitions(values, false).n, values.size());
}

TEST(Doubt, IsSeenInValuesThatDifferAtFirst) {
  EXPECT_EQ(DoubtOfMean(WarmingUp(2)), MeanDoubt::kWarmUp);
  EXPECT_EQ(Name(MeanDoubt::kWarmUp), "warm-up");
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
