#include "cli/runs/driver.h"

#include <gmock/gmock.h>

#include "tests/cli/runs/expansions.h"

namespace twofold::run {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr Duration kEarly{0};
constexpr spec::Until kUntil = {0.03, 10};

JobKey Key(std::uint64_t permutation, std::uint32_t repetition) {
  return {permutation, repetition, false};
}
JobKey WarmUp(std::uint64_t permutation) { return {permutation, 1, true}; }

TEST(Driver, SubmitsAllAtOnceInTheOrderOfTheExpansion) {
  const spec::Expansion expansion = ExpansionOf(2, 2, 1);
  Driver driver({}, expansion);
  driver.Begin();
  EXPECT_THAT(driver.TakeDue(kEarly),
              ElementsAre(WarmUp(1), Key(1, 1), Key(1, 2), WarmUp(2), Key(2, 1), Key(2, 2)));
  EXPECT_THAT(driver.TakeDue(kEarly), IsEmpty());
  EXPECT_FALSE(driver.over());
}

TEST(Driver, IsOverWhenAllHasEnded) {
  const spec::Expansion expansion = ExpansionOf(1, 2);
  Driver driver({}, expansion);
  driver.Begin();
  driver.TakeDue(kEarly);
  driver.See(Succeeded(Key(1, 1), 7, 1));
  EXPECT_FALSE(driver.over());
  driver.See(In(Phase::kFailed, Key(1, 2), 8));
  EXPECT_THAT(driver.TakeDue(kEarly), IsEmpty());
  EXPECT_TRUE(driver.over());
  EXPECT_EQ(driver.stopped(), Stop::kNone);
}

TEST(Driver, NeverSubmitsWhatTheFrontendHas) {
  const spec::Expansion expansion = ExpansionOf(1, 5);
  Driver driver({}, expansion);
  driver.See(In(Phase::kWaiting, Key(1, 1), 1));
  driver.See(In(Phase::kRunning, Key(1, 2), 2));
  driver.See(Succeeded(Key(1, 3), 3, 1));
  driver.See(In(Phase::kFailed, Key(1, 4), 4));
  driver.Begin();
  EXPECT_THAT(driver.TakeDue(kEarly), ElementsAre(Key(1, 5)));
}

TEST(Driver, SubmitsAgainWhatWasWithdrawnWhenItGoesOn) {
  const spec::Expansion expansion = ExpansionOf(1, 1);
  Driver driver({}, expansion);
  driver.See(In(Phase::kWithdrawn, Key(1, 1), 4));
  driver.Begin();
  EXPECT_THAT(driver.TakeDue(kEarly), ElementsAre(Key(1, 1)));
  driver.See(In(Phase::kWithdrawn, Key(1, 1), 4));  // the frontend still lists the old one
  EXPECT_FALSE(driver.over());
  driver.See(Succeeded(Key(1, 1), 5, 1));
  driver.TakeDue(kEarly);
  EXPECT_TRUE(driver.over());
}

TEST(Driver, LeavesWithdrawnJobsAloneIfItOnlyLooks) {
  const spec::Expansion expansion = ExpansionOf(1, 1);
  Driver driver({}, expansion);
  driver.See(In(Phase::kWithdrawn, Key(1, 1), 4));
  EXPECT_THAT(driver.TakeDue(kEarly), IsEmpty());
  EXPECT_TRUE(driver.over());
}

TEST(Driver, TheNewestJobOfAKeyCounts) {
  const spec::Expansion expansion = ExpansionOf(1, 1);
  Driver driver({}, expansion);
  driver.See(In(Phase::kFailed, Key(1, 1), 4));
  driver.See(In(Phase::kRunning, Key(1, 1), 9));  // it was requeued
  driver.See(In(Phase::kFailed, Key(1, 1), 4));
  driver.Begin();
  EXPECT_THAT(driver.TakeDue(kEarly), IsEmpty());
  EXPECT_THAT(driver.Open(false), ElementsAre(9));
}

TEST(Driver, AJobGoesForwardOnlyWhateverOldNewsCome) {
  const spec::Expansion expansion = ExpansionOf(1, 1);
  Driver driver({}, expansion);
  driver.Begin();
  driver.TakeDue(kEarly);
  driver.See(Succeeded(Key(1, 1), 4, 1));
  driver.See(In(Phase::kRunning, Key(1, 1), 4));
  driver.TakeDue(kEarly);
  EXPECT_TRUE(driver.over());
}

TEST(Driver, JobsOfOtherPermutationsAreNotItsOwn) {
  const spec::Expansion expansion = ExpansionOf(1, 1);
  Driver driver({}, expansion);
  EXPECT_FALSE(driver.See(In(Phase::kWaiting, Key(2, 1), 1)));
  EXPECT_EQ(driver.jobs().size(), 1U);
}

TEST(Driver, WhatCouldNotBeSubmittedIsDueAgain) {
  const spec::Expansion expansion = ExpansionOf(1, 2);
  Driver driver({}, expansion);
  driver.Begin();
  driver.TakeDue(kEarly);
  driver.See(In(Phase::kWaiting, Key(1, 1), 1));
  driver.PutBack(Key(1, 2));
  EXPECT_THAT(driver.TakeDue(kEarly), ElementsAre(Key(1, 2)));
}

TEST(Driver, AProgramThatIsNotThereEndsTheRunAtOnce) {
  const spec::Expansion expansion = ExpansionOf(5, 3);
  Driver driver({}, expansion);
  driver.Begin();
  driver.TakeDue(kEarly);
  Seen failed = In(Phase::kFailed, Key(1, 1), 1);
  failed.misses_program = true;
  driver.See(failed);
  EXPECT_EQ(driver.stopped(), Stop::kNoProgram);
  EXPECT_THAT(driver.TakeDue(kEarly), IsEmpty());
}

TEST(Driver, AProgramThatSomeWorkersHaveEndsNothing) {
  const spec::Expansion expansion = ExpansionOf(1, 3);
  Driver driver({}, expansion);
  driver.Begin();
  driver.TakeDue(kEarly);
  driver.See(Succeeded(Key(1, 1), 1, 1));
  Seen failed = In(Phase::kFailed, Key(1, 2), 2);
  failed.misses_program = true;
  driver.See(failed);
  EXPECT_EQ(driver.stopped(), Stop::kNone);
}

TEST(Driver, FailFastEndsTheRunAtTheFirstFailure) {
  const spec::Expansion expansion = ExpansionOf(1, 3);
  Driver driver({.fail_fast = true}, expansion);
  driver.Begin();
  driver.TakeDue(kEarly);
  driver.See(In(Phase::kFailed, Key(1, 1), 1));
  driver.See(In(Phase::kRunning, Key(1, 2), 2));
  driver.See(In(Phase::kWaiting, Key(1, 3), 3));
  EXPECT_EQ(driver.stopped(), Stop::kFailFast);
  EXPECT_THAT(driver.Open(false), ElementsAre(2, 3));
  EXPECT_THAT(driver.Open(true), ElementsAre(3));
  driver.See(In(Phase::kWithdrawn, Key(1, 2), 2));
  driver.See(In(Phase::kWithdrawn, Key(1, 3), 3));
  EXPECT_TRUE(driver.over());
}

TEST(Driver, FailuresOfEarlierTimesDoNotEndARunThatGoesOn) {
  const spec::Expansion expansion = ExpansionOf(1, 2);
  Driver driver({.fail_fast = true}, expansion);
  driver.See(In(Phase::kFailed, Key(1, 1), 1));
  driver.Begin();
  driver.See(In(Phase::kFailed, Key(1, 1), 1));
  EXPECT_THAT(driver.TakeDue(kEarly), ElementsAre(Key(1, 2)));
}

TEST(Driver, TheTimeLimitEndsTheRun) {
  const spec::Expansion expansion = ExpansionOf(1, 1);
  Driver driver({.limit = std::chrono::seconds(60)}, expansion);
  driver.Begin();
  driver.TakeDue(std::chrono::seconds(59));
  EXPECT_EQ(driver.stopped(), Stop::kNone);
  driver.TakeDue(std::chrono::seconds(60));
  EXPECT_EQ(driver.stopped(), Stop::kLimit);
}

TEST(Driver, WhatIsOverWasNotEndedByTheTimeLimit) {
  const spec::Expansion expansion = ExpansionOf(1, 1);
  Driver driver({.limit = std::chrono::seconds(60)}, expansion);
  driver.Begin();
  driver.TakeDue(kEarly);
  driver.See(Succeeded(Key(1, 1), 1, 1));
  driver.TakeDue(kEarly);
  driver.TakeDue(std::chrono::seconds(60));
  EXPECT_EQ(driver.stopped(), Stop::kNone);
}

TEST(Driver, RepeatsUntilTheHeadlineIsKnown) {
  const spec::Expansion expansion = ExpansionOf(2, 8);
  Driver driver({.repetitions = 8, .until = kUntil}, expansion);
  driver.Begin();
  driver.TakeDue(kEarly);
  std::uint64_t id = 0;
  for (std::uint32_t r = 1; r <= 8; ++r) driver.See(Succeeded(Key(1, r), ++id, 10.0));
  for (std::uint32_t r = 1; r <= 8; ++r) driver.See(Succeeded(Key(2, r), ++id, 10.0 * r));
  EXPECT_FALSE(driver.over());
  EXPECT_THAT(driver.TakeDue(kEarly), ElementsAre(Key(2, 9)));  // 1 is known well enough
  driver.See(Succeeded(Key(2, 9), ++id, 10.0));
  EXPECT_THAT(driver.TakeDue(kEarly), ElementsAre(Key(2, 10)));
  driver.See(Succeeded(Key(2, 10), ++id, 90.0));
  EXPECT_THAT(driver.TakeDue(kEarly), IsEmpty());  // ten is the most
  EXPECT_TRUE(driver.over());
}

TEST(Driver, FailedRepetitionsCountForTheMost) {
  const spec::Expansion expansion = ExpansionOf(1, 3);
  Driver driver({.repetitions = 3, .until = kUntil}, expansion);
  driver.Begin();
  driver.TakeDue(kEarly);
  for (std::uint32_t r = 1; r <= 10; ++r) {
    driver.See(In(Phase::kFailed, Key(1, r), r));
    const bool more = r >= 3 && r < 10;
    EXPECT_EQ(driver.TakeDue(kEarly).size(), more ? 1U : 0U) << r;
  }
  EXPECT_TRUE(driver.over());
}

TEST(Driver, KnowsFurtherRepetitionsOfEarlierTimes) {
  const spec::Expansion expansion = ExpansionOf(1, 3);
  Driver driver({.repetitions = 3, .until = kUntil}, expansion);
  for (std::uint32_t r = 1; r <= 3; ++r) driver.See(Succeeded(Key(1, r), r, 10.0 * r));
  driver.See(In(Phase::kRunning, Key(1, 4), 4));
  driver.Begin();
  EXPECT_THAT(driver.TakeDue(kEarly), IsEmpty());
  EXPECT_EQ(driver.jobs().size(), 4U);
}

TEST(Driver, ACancelledJobIsNotRepeated) {
  const spec::Expansion expansion = ExpansionOf(1, 3);
  Driver driver({.repetitions = 3, .until = kUntil}, expansion);
  driver.Begin();
  driver.TakeDue(kEarly);
  for (std::uint32_t r = 1; r <= 3; ++r) driver.See(In(Phase::kWithdrawn, Key(1, r), r));
  EXPECT_THAT(driver.TakeDue(kEarly), IsEmpty());
  EXPECT_TRUE(driver.over());
}

TEST(Driver, NothingIsDueOnceSomebodyHasStoppedIt) {
  const spec::Expansion expansion = ExpansionOf(1, 1);
  Driver driver({}, expansion);
  driver.Begin();
  driver.StopNow();
  EXPECT_THAT(driver.TakeDue(kEarly), IsEmpty());
  EXPECT_TRUE(driver.over());
}

}  // namespace
}  // namespace twofold::run
