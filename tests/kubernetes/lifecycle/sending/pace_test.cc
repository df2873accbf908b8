#include "kubernetes/lifecycle/sending/pace.h"

#include <gtest/gtest.h>

#include <vector>

namespace twofold::lifecycle {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Instant kBegin = Instant{} + seconds(1000);

std::vector<Pace::Turn> TakeAll(Pace& pace) {
  std::vector<Pace::Turn> turns;
  while (const auto turn = pace.Take()) turns.push_back(*turn);
  return turns;
}

TEST(Pace, ARateIsPlannedInstants) {
  Pace pace({.count = 3, .rate = 10}, kBegin);
  const auto turns = TakeAll(pace);
  ASSERT_EQ(turns.size(), 3);
  EXPECT_EQ(turns[2].planned, kBegin + milliseconds(200));
  EXPECT_EQ(turns[2].wave, 0U);
  EXPECT_TRUE(pace.IsOver());
}

TEST(Pace, WithoutARateNothingIsWaitedFor) {
  Pace pace({.count = 3}, kBegin);
  for (const auto& turn : TakeAll(pace)) EXPECT_FALSE(turn.planned);
}

TEST(Pace, AWaveWaitsForAllAnswersOfTheOneBefore) {
  Pace pace({.count = 5, .rate = 10, .wave = 2, .delay = seconds(1)}, kBegin);
  EXPECT_EQ(TakeAll(pace).size(), 2);
  EXPECT_FALSE(pace.IsOver());
  EXPECT_FALSE(pace.Answer(kBegin + seconds(3)));
  EXPECT_FALSE(pace.Take());
  EXPECT_TRUE(pace.Answer(kBegin + seconds(4)));
  const auto second = TakeAll(pace);
  ASSERT_EQ(second.size(), 2);
  EXPECT_EQ(second[0].wave, 2U);
  EXPECT_EQ(second[0].planned, kBegin + seconds(5)) << "the delay begins with the last answer";
  EXPECT_EQ(second[1].planned, kBegin + seconds(5) + milliseconds(100));
}

TEST(Pace, TheLastWaveMayBeSmallerAndHasNoneAfterIt) {
  Pace pace({.count = 3, .rate = 10, .wave = 2}, kBegin);
  TakeAll(pace);
  pace.Answer(kBegin);
  EXPECT_TRUE(pace.Answer(kBegin));
  const auto last = TakeAll(pace);
  ASSERT_EQ(last.size(), 1);
  EXPECT_EQ(last[0].index, 2U);
  EXPECT_TRUE(pace.IsOver());
  EXPECT_FALSE(pace.Answer(kBegin));
  EXPECT_FALSE(pace.Take());
}

TEST(Pace, AWaveOfAllIsNoWave) {
  Pace pace({.count = 2, .wave = 2, .delay = seconds(9)}, kBegin);
  EXPECT_EQ(TakeAll(pace).size(), 2);
  EXPECT_FALSE(pace.Answer(kBegin));
  EXPECT_FALSE(pace.Answer(kBegin)) << "nothing comes after it";
}

TEST(Pace, WavesWithoutARateBeginTogether) {
  Pace pace({.count = 4, .wave = 2, .delay = seconds(1)}, kBegin);
  TakeAll(pace);
  pace.Answer(kBegin);
  pace.Answer(kBegin + seconds(2));
  for (const auto& turn : TakeAll(pace)) EXPECT_EQ(turn.planned, kBegin + seconds(3));
}

}  // namespace
}  // namespace twofold::lifecycle
