#include "lib/stats/share.h"

#include <gtest/gtest.h>

namespace twofold::stats {
namespace {

// Clopper and Pearson's chart has these.
TEST(IntervalOfShare, IsTheExactOne) {
  const ShareInterval half = IntervalOfShare(5, 10);
  EXPECT_NEAR(half.lower, 0.1871, 1e-4);
  EXPECT_NEAR(half.upper, 0.8129, 1e-4);
  const ShareInterval none = IntervalOfShare(0, 100);
  EXPECT_EQ(none.lower, 0.0);
  EXPECT_NEAR(none.upper, 0.0362, 1e-4);
  const ShareInterval all = IntervalOfShare(100, 100);
  EXPECT_NEAR(all.lower, 0.9638, 1e-4);
  EXPECT_EQ(all.upper, 1.0);
}

TEST(JudgeShare, OneIsTooManyWhereNoneIsAllowed) {
  EXPECT_EQ(JudgeShare(0, 100, 0.0), Verdict::kPass);
  EXPECT_EQ(JudgeShare(1, 1'000'000, 0.0), Verdict::kFail);
}

TEST(JudgeShare, IsUndecidedWhileChanceExplainsThatThereAreMore) {
  EXPECT_EQ(JudgeShare(1, 100, 0.01), Verdict::kPass);
  EXPECT_EQ(JudgeShare(2, 100, 0.01), Verdict::kUndecided);
  EXPECT_EQ(JudgeShare(20, 1000, 0.01), Verdict::kFail);
  EXPECT_EQ(JudgeShare(20, 1000, 0.01, 0.999), Verdict::kUndecided);
}

TEST(JudgeShare, OfAnUnknownNumberOfTrialsIsThatOfNoneAllowed) {
  EXPECT_EQ(JudgeShare(0, 0, 0.01), Verdict::kPass);
  EXPECT_EQ(JudgeShare(3, 0, 0.01), Verdict::kFail);
}

}  // namespace
}  // namespace twofold::stats
