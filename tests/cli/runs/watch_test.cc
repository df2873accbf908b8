#include "cli/runs/watch.h"

#include <gmock/gmock.h>

#include "tests/cli/runs/expansions.h"
#include "tests/cli/runs/fake_jobs.h"

namespace twofold::run {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class WatchTest : public testing::Test {
 protected:
  /// Watches a run from where it is to its end.
  Wish Watched(Driver& driver, FakeWatcher& watcher) {
    for (const auto& [id, seen] : jobs.jobs) driver.See(seen);
    driver.Begin();
    const auto ending = Watch(jobs, driver, watcher, [&] { return watcher.clock; });
    EXPECT_TRUE(ending.ok()) << ending.status();
    return ending.value_or(Wish::kNone);
  }

  std::size_t CountOf(Phase phase) const {
    std::size_t count = 0;
    for (const auto& [id, seen] : jobs.jobs) count += seen.phase == phase ? 1U : 0U;
    return count;
  }

  FakeJobs jobs;
};

TEST_F(WatchTest, RunsEveryJobOnceAndShowsHowItGoes) {
  const spec::Expansion expansion = ExpansionOf(2, 3);
  Driver driver({}, expansion);
  FakeWatcher watcher;
  EXPECT_EQ(Watched(driver, watcher), Wish::kNone);
  EXPECT_THAT(jobs.submitted, SizeIs(6));
  EXPECT_EQ(CountOf(Phase::kSucceeded), 6U);
  EXPECT_THAT(watcher.shown, SizeIs(testing::Gt(3)));
}

TEST_F(WatchTest, AnotherProcessGoesOnWithoutRunningAnythingTwice) {
  const spec::Expansion expansion = ExpansionOf(2, 3);
  {
    Driver first({}, expansion);
    FakeWatcher impatient(Wish::kDetach, 4);
    EXPECT_EQ(Watched(first, impatient), Wish::kDetach);
  }
  Driver second({}, expansion);
  FakeWatcher watcher;
  EXPECT_EQ(Watched(second, watcher), Wish::kNone);
  EXPECT_THAT(jobs.submitted, SizeIs(6));
  EXPECT_EQ(CountOf(Phase::kSucceeded), 6U);
}

TEST_F(WatchTest, WaitsForAFrontendThatIsAwayAndSaysSoOnce) {
  const spec::Expansion expansion = ExpansionOf(1, 2);
  Driver driver({}, expansion);
  FakeWatcher watcher;
  jobs.faults = {absl::UnavailableError("no frontend answers"),
                 absl::UnavailableError("no frontend answers")};
  EXPECT_EQ(Watched(driver, watcher), Wish::kNone);
  EXPECT_THAT(watcher.notes,
              ElementsAre("no frontend answers; trying again", "the frontend answers again"));
}

TEST_F(WatchTest, WhatTheFrontendTookWithoutSayingSoIsNotSubmittedAgain) {
  const spec::Expansion expansion = ExpansionOf(1, 3);
  Driver driver({}, expansion);
  FakeWatcher watcher;
  jobs.mute = true;
  jobs.submit_faults = {absl::UnavailableError("broke off")};
  EXPECT_EQ(Watched(driver, watcher), Wish::kNone);
  EXPECT_THAT(jobs.submitted, SizeIs(3));
}

TEST_F(WatchTest, AFullQueueGetsTheRestLater) {
  const spec::Expansion expansion = ExpansionOf(1, 7);
  Driver driver({}, expansion);
  FakeWatcher watcher;
  jobs.room = 2;
  EXPECT_EQ(Watched(driver, watcher), Wish::kNone);
  EXPECT_THAT(jobs.submitted, SizeIs(7));
  EXPECT_EQ(CountOf(Phase::kSucceeded), 7U);
}

TEST_F(WatchTest, OtherErrorsEndIt) {
  const spec::Expansion expansion = ExpansionOf(1, 1);
  Driver driver({}, expansion);
  FakeWatcher watcher;
  jobs.faults = {absl::NotFoundError("no such queue")};
  driver.Begin();
  EXPECT_EQ(Watch(jobs, driver, watcher).status().message(), "no such queue");
}

TEST_F(WatchTest, FailFastCancelsTheRest) {
  const spec::Expansion expansion = ExpansionOf(1, 5);
  Driver driver({.fail_fast = true}, expansion);
  FakeWatcher watcher;
  jobs.failing = {{1, 2, false}};
  EXPECT_EQ(Watched(driver, watcher), Wish::kNone);
  EXPECT_EQ(driver.stopped(), Stop::kFailFast);
  EXPECT_EQ(CountOf(Phase::kSucceeded), 1U);
  EXPECT_EQ(CountOf(Phase::kFailed), 1U);
  EXPECT_EQ(CountOf(Phase::kWithdrawn), 3U);
  EXPECT_THAT(jobs.cancelled, SizeIs(3));  // each once
}

TEST_F(WatchTest, TheTimeLimitCancelsTheRest) {
  const spec::Expansion expansion = ExpansionOf(1, 100);
  Driver driver({.limit = std::chrono::seconds(2)}, expansion);
  FakeWatcher watcher;
  EXPECT_EQ(Watched(driver, watcher), Wish::kNone);
  EXPECT_EQ(driver.stopped(), Stop::kLimit);
  EXPECT_GT(CountOf(Phase::kWithdrawn), 50U);
}

TEST_F(WatchTest, APauseWithdrawsWhatWaitsAndLetsTheRestEnd) {
  const spec::Expansion expansion = ExpansionOf(1, 5);
  {
    Driver driver({}, expansion);
    FakeWatcher watcher(Wish::kPause, 2);
    EXPECT_EQ(Watched(driver, watcher), Wish::kPause);
  }
  EXPECT_EQ(CountOf(Phase::kWaiting), 0U);
  EXPECT_EQ(CountOf(Phase::kRunning), 1U);
  Driver driver({}, expansion);
  FakeWatcher watcher;
  EXPECT_EQ(Watched(driver, watcher), Wish::kNone);
  EXPECT_EQ(CountOf(Phase::kSucceeded), 5U);
}

TEST_F(WatchTest, ARestLeavesNothingThatWaitsOrRunsAndGoesOnLater) {
  const spec::Expansion expansion = ExpansionOf(1, 5);
  {
    Driver driver({}, expansion);
    FakeWatcher watcher(Wish::kRest, 2);
    EXPECT_EQ(Watched(driver, watcher), Wish::kRest);
    EXPECT_THAT(driver.Open(false), IsEmpty());
  }
  EXPECT_EQ(CountOf(Phase::kWaiting), 0U);
  EXPECT_EQ(CountOf(Phase::kRunning), 0U);
  EXPECT_GT(CountOf(Phase::kWithdrawn), 0U);
  Driver driver({}, expansion);
  FakeWatcher watcher;
  EXPECT_EQ(Watched(driver, watcher), Wish::kNone);
  EXPECT_EQ(CountOf(Phase::kSucceeded), 5U);
}

TEST_F(WatchTest, ARestWaitsForNoFrontendThatIsAway) {
  const spec::Expansion expansion = ExpansionOf(1, 5);
  Driver driver({}, expansion);
  FakeWatcher watcher(Wish::kRest, 1);
  jobs.faults = {absl::UnavailableError("gone"), absl::UnavailableError("gone")};
  EXPECT_EQ(Watched(driver, watcher), Wish::kRest);
}

TEST_F(WatchTest, ACancelledRunEndsAtOnce) {
  const spec::Expansion expansion = ExpansionOf(1, 5);
  Driver driver({}, expansion);
  FakeWatcher watcher(Wish::kCancel, 1);
  EXPECT_EQ(Watched(driver, watcher), Wish::kNone);
  EXPECT_EQ(driver.stopped(), Stop::kAsked);
  EXPECT_EQ(CountOf(Phase::kSucceeded), 0U);
}

TEST_F(WatchTest, SubmitAllNeedsNobodyToWatch) {
  const spec::Expansion expansion = ExpansionOf(2, 2);
  Driver driver({}, expansion);
  driver.Begin();
  EXPECT_TRUE(SubmitAll(jobs, driver).ok());
  EXPECT_THAT(jobs.submitted, SizeIs(4));
  jobs.room = 0;
  Driver other({}, expansion);
  other.Begin();
  EXPECT_TRUE(absl::IsResourceExhausted(SubmitAll(jobs, other)));
}

}  // namespace
}  // namespace twofold::run
