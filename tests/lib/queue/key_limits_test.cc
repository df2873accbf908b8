#include "lib/queue/key_limits.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace twofold::queue {
namespace {

class KeyLimitsTest : public testing::Test {
 protected:
  Slot Enter(std::uint32_t limit, int priority = 0) {
    const auto options = std::make_shared<const JobOptions>(
        JobOptions{.priority = priority, .limit_key = "k", .key_limit = limit});
    const Slot slot = jobs.Add(options, {}, ++sequence);
    jobs[slot].state = JobState::kParked;
    limits.Enter(slot);
    return slot;
  }

  /// Carries out the moves: "+1" to the line, "-1" out of it.
  std::string Settle() {
    std::string moves;
    while (const auto move = limits.NextMove("k")) {
      jobs[move->slot].state = move->to_line ? JobState::kWaiting : JobState::kParked;
      moves += (move->to_line ? "+" : "-") + std::to_string(move->slot);
    }
    return moves;
  }

  void Start(Slot slot) {
    limits.Start(slot);
    jobs[slot].state = JobState::kRunning;
  }

  JobTable jobs{1, 0};
  WaitingLine line{jobs, Duration(0)};
  KeyLimits limits{jobs, line};
  std::uint64_t sequence = 0;
};

TEST_F(KeyLimitsTest, AsManyAsMayStandInTheLine) {
  for (int i = 0; i < 4; ++i) Enter(2);
  EXPECT_EQ(Settle(), "+0+1");
  EXPECT_EQ(limits.parked(), 2U);
}

TEST_F(KeyLimitsTest, ThoseThatRunTakeTheirPlaces) {
  const Slot first = Enter(1);
  Settle();
  Start(first);
  Enter(1);
  EXPECT_EQ(Settle(), "");
  limits.Leave(first);
  EXPECT_EQ(Settle(), "+1");
}

TEST_F(KeyLimitsTest, FirstByPrecedenceStandInTheLine) {
  Enter(1);
  Settle();
  Enter(1, 5);
  EXPECT_EQ(Settle(), "+1-0");
}

TEST_F(KeyLimitsTest, PutBackJobIsOneThatWaits) {
  const Slot first = Enter(1);
  Settle();
  Start(first);
  Enter(1, 5);
  jobs[first].state = JobState::kParked;
  limits.PutBack(first);
  EXPECT_EQ(Settle(), "+1");
}

TEST_F(KeyLimitsTest, LoweredLimitParksTheLast) {
  for (int i = 0; i < 3; ++i) Enter(3);
  EXPECT_EQ(Settle(), "+0+1+2");
  Enter(1);
  EXPECT_EQ(Settle(), "-2-1");
}

TEST_F(KeyLimitsTest, NobodyRaisesWhatAnotherJobOfTheKeyHasAskedFor) {
  const Slot modest = Enter(1);
  Settle();
  Start(modest);
  for (int i = 0; i < 3; ++i) Enter(3);
  EXPECT_EQ(Settle(), "");
  limits.Leave(modest);
  EXPECT_EQ(Settle(), "+1+2+3") << "it is the others' to say now";
}

TEST_F(KeyLimitsTest, AttemptThatMayStillRunHasItsSay) {
  const Slot stopped = Enter(1);
  Settle();
  Start(stopped);
  const JobOptions options = *jobs[stopped].options;
  limits.Keep(options);
  limits.Leave(stopped);
  Enter(2);
  EXPECT_EQ(Settle(), "");
  limits.Release(options);
  EXPECT_EQ(Settle(), "+1");
}

TEST_F(KeyLimitsTest, LimitOfNoneIsOne) {
  Enter(0);
  Enter(0);
  EXPECT_EQ(Settle(), "+0");
}

TEST_F(KeyLimitsTest, KeyIsForgottenWithItsLastJob) {
  const Slot first = Enter(5);
  Settle();
  limits.Leave(first);
  Enter(1);
  Enter(1);
  EXPECT_EQ(Settle(), "+1") << "the old limit is forgotten";
}

}  // namespace
}  // namespace twofold::queue
