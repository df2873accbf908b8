#include "kubernetes/aggregated/decisions.h"

#include <gtest/gtest.h>

namespace twofold::aggregated {
namespace {

constexpr Instant kStart{};

TEST(AggregatedDecisions, HoldForTenSeconds) {
  Decisions decisions;
  EXPECT_EQ(decisions.Find("a", kStart), std::nullopt);
  decisions.Note("a", true, kStart);
  decisions.Note("b", false, kStart);
  EXPECT_EQ(decisions.Find("a", kStart + Decisions::kFresh - Duration(1)), true);
  EXPECT_EQ(decisions.Find("b", kStart + Decisions::kFresh - Duration(1)), false);
  EXPECT_EQ(decisions.Find("a", kStart + Decisions::kFresh), std::nullopt);
  decisions.Note("a", false, kStart + Decisions::kFresh);
  EXPECT_EQ(decisions.Find("a", kStart + Decisions::kFresh), false);
}

TEST(AggregatedDecisions, TheOldestGoesForANewOne) {
  Decisions decisions;
  for (std::size_t i = 0; i <= Decisions::kMost; ++i) {
    decisions.Note(std::to_string(i), true, kStart + Duration(i));
  }
  const Instant now = kStart + std::chrono::seconds(1);
  EXPECT_EQ(decisions.Find("0", now), std::nullopt);
  EXPECT_EQ(decisions.Find("1", now), true);
  EXPECT_EQ(decisions.Find(std::to_string(Decisions::kMost), now), true);
}

TEST(AggregatedDecisions, AnAnswerThatCameSecondIsNoOlderThanTheFirst) {
  Decisions decisions;
  decisions.Note("a", true, kStart);
  decisions.Note("a", false, kStart + std::chrono::seconds(9));
  EXPECT_EQ(decisions.Find("a", kStart + std::chrono::seconds(9)), false);
  EXPECT_EQ(decisions.Find("a", kStart + Decisions::kFresh), std::nullopt);
}

}  // namespace
}  // namespace twofold::aggregated
