#include "tests/lib/queue/queue_fixture.h"

namespace twofold::queue {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using QueueWorkers = QueueTest;

// ---- Who gets the next job

TEST_F(QueueWorkers, JobsSpreadOverIdleProcesses) {
  Join(1, 2);
  Join(2, 2);
  Join(3, 2);
  std::vector<std::uint64_t> processes;
  for (int i = 0; i < 6; ++i) Submit();
  for (const Assigned& assigned : effects.Of<Assigned>()) {
    processes.push_back(Number(assigned.process));
  }
  EXPECT_THAT(processes, ElementsAre(0, 1, 2, 0, 1, 2));
}

TEST_F(QueueWorkers, BatchesOfPlacedJobsAreNotCutBesideAnIdleProcessThatDoesNotSuit) {
  JoinOn("other", 1, 64);
  JoinOn("wanted", 2, 64);
  JoinOn("wanted", 3, 64);
  for (int batch = 0; batch < 8; ++batch) {
    for (int i = 0; i < 7; ++i) Submit({.placement = "node wanted\n"});
    queue.Step(now, input::EndTurn{}, effects);
  }
  const std::vector<Assigned> all = effects.Of<Assigned>();
  ASSERT_EQ(all.size(), 56U);
  for (std::size_t i = 0; i < all.size(); ++i) {
    ASSERT_EQ(Number(all[i].process), 1 + i / 7 % 2) << "job " << i;
  }
}

TEST_F(QueueWorkers, ProcessGetsNoMoreThanItHasSlots) {
  const ProcessId process = Join(1, 3);
  for (int i = 0; i < 5; ++i) Submit();
  EXPECT_EQ(HandedOut().size(), 3U);
  EXPECT_EQ(queue.waiting(), 2U);
  Complete(process, HandedOut().front());
  EXPECT_EQ(HandedOut().size(), 4U);
}

TEST_F(QueueWorkers, ProcessWithoutSlotsHasOne) {
  Join(1, 0);
  Submit();
  Submit();
  EXPECT_EQ(HandedOut().size(), 1U);
}

// ---- What has not been sent yet

class QueueWithUnsentLimit : public QueueTest {
 protected:
  QueueWithUnsentLimit() : QueueTest({.unsent_limit = 1000}) {}

  void SubmitBytes(std::size_t bytes) { TrySubmit({}, kAda, std::string(bytes, 'x')); }

  /// As a frontend does whose worker reads: a batch is a turn, and what is asked for comes soon.
  void SubmitBatch(int jobs) {
    const std::size_t before = effects.Of<Assigned>().size();
    for (int i = 0; i < jobs; ++i) SubmitBytes(100);
    queue.Step(now, input::EndTurn{}, effects);
    const std::vector<Assigned> all = effects.Of<Assigned>();
    for (std::size_t i = before; i < all.size(); ++i) {
      if (all[i].ask_sent) queue.Step(now, input::Sent{all[i].process}, effects);
    }
  }
};

TEST_F(QueueWithUnsentLimit, ProcessGetsNoMoreThanThatUntilSent) {
  const ProcessId process = Join(1, 100);
  for (int i = 0; i < 12; ++i) SubmitBytes(99);
  EXPECT_EQ(HandedOut().size(), 11U) << "the last one passes the limit";
  queue.Step(now, input::Sent{process}, effects);
  EXPECT_EQ(HandedOut().size(), 12U);
}

TEST_F(QueueWithUnsentLimit, SentIsAskedForOnceWithHalfOfIt) {
  const ProcessId process = Join(1, 100);
  const auto asked_with = [&] {
    std::vector<std::size_t> with;
    const std::vector<Assigned> all = effects.Of<Assigned>();
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].ask_sent) with.push_back(i + 1);
    }
    return with;
  };
  for (int i = 0; i < 11; ++i) SubmitBytes(100);
  EXPECT_THAT(asked_with(), ElementsAre(5));
  queue.Step(now, input::Sent{process}, effects);
  for (int i = 11; i < 20; ++i) SubmitBytes(100);
  EXPECT_THAT(asked_with(), ElementsAre(5, 15));
}

TEST_F(QueueWithUnsentLimit, BatchesOfProcessesThatReadAreNotCut) {
  Join(1, 1000);
  Join(2, 1000);
  for (int i = 0; i < 100; ++i) SubmitBatch(7);
  const std::vector<Assigned> all = effects.Of<Assigned>();
  ASSERT_EQ(all.size(), 700U);
  for (std::size_t i = 0; i < all.size(); ++i) {
    ASSERT_EQ(Number(all[i].process), i / 7 % 2) << "job " << i;
  }
}

// ---- Leases

TEST_F(QueueWorkers, LeaseLastsUntilItsDeadlineAndNoLonger) {
  Join(1);
  Submit();
  EXPECT_EQ(queue.NextDeadline(), now + seconds(15));
  TickAfter(seconds(15) - nanoseconds(1));
  EXPECT_THAT(effects.Of<Replied>(), IsEmpty());
  TickAfter(nanoseconds(1));
  EXPECT_EQ(OnlyReply().outcome, Outcome::kLost);
  EXPECT_EQ(queue.NextDeadline(), std::nullopt);
}

TEST_F(QueueWorkers, AnySignOfLifeRenewsAllThatTheProcessHolds) {
  const ProcessId process = Join(1, 3);
  const JobId first = Submit();
  Submit();
  const auto heard_by = [&](auto sign) {
    TickAfter(seconds(10));
    sign();
    return queue.NextDeadline() == now + seconds(15);
  };
  EXPECT_TRUE(heard_by([&] { queue.Step(now, input::Renewed{process}, effects); }));
  EXPECT_TRUE(heard_by([&] { Complete(process, first); }));
  EXPECT_TRUE(heard_by([&] { queue.Step(now, input::WorkerDraining{process}, effects); }));
  EXPECT_EQ(queue.Stats().running, 1U);
}

TEST_F(QueueWorkers, LeaseCanBeRenewedUntilTickHasEndedIt) {
  const ProcessId process = Join(1);
  const JobId job = Submit();
  now += minutes(1);
  queue.Step(now, input::Renewed{process}, effects);
  TickAfter(Duration(0));
  EXPECT_TRUE(Complete(process, job));
}

TEST_F(QueueWorkers, IdleProcessNeedNotBeHeardAndItsLeaseStartsWithItsNextJob) {
  Join(1);
  EXPECT_EQ(queue.NextDeadline(), std::nullopt);
  TickAfter(minutes(10));
  EXPECT_EQ(queue.Stats().workers_idle, 1U);
  Submit();
  EXPECT_EQ(queue.NextDeadline(), now + seconds(15));
}

TEST_F(QueueWorkers, LeaseEndsWithTheLastAttempt) {
  const ProcessId process = Join(1, 2);
  const JobId first = Submit();
  const JobId second = Submit();
  Complete(process, first);
  EXPECT_EQ(queue.NextDeadline(), now + seconds(15));
  Complete(process, second);
  EXPECT_EQ(queue.NextDeadline(), std::nullopt);
}

TEST_F(QueueWorkers, SilentProcessGetsNoJobsUntilItIsHeard) {
  const ProcessId process = Join(1, 2);
  Submit();
  TickAfter(seconds(15));
  effects.Clear();
  const JobId job = Submit();
  EXPECT_THAT(HandedOut(), IsEmpty());
  EXPECT_EQ(queue.Stats().processes, 1U);
  EXPECT_EQ(queue.Stats().workers_idle, 0U);
  queue.Step(now, input::Renewed{process}, effects);
  EXPECT_THAT(HandedOut(), ElementsAre(job));
}

TEST_F(QueueWorkers, LateResultFreesTheSlotOfTheAttemptThatWasLost) {
  const ProcessId process = Join(1);
  const JobId lost = Submit();
  TickAfter(seconds(15));
  const JobId next = Submit();
  effects.Clear();
  queue.Step(now, input::Renewed{process}, effects);
  EXPECT_THAT(HandedOut(), IsEmpty()) << "it still runs the lost one, for all we know";
  EXPECT_FALSE(Complete(process, lost));
  EXPECT_EQ(queue.Stats().refused_results, 1U);
  EXPECT_THAT(HandedOut(), ElementsAre(next));
}

TEST_F(QueueWorkers, JobOfASilentProcessDoesNotGoToOneThatIsDueInTheSameTick) {
  Join(1);
  Submit({.max_attempts = 2});
  Join(2, 2);
  Submit({.max_attempts = 2});
  effects.Clear();
  TickAfter(seconds(15));
  EXPECT_THAT(HandedOut(), IsEmpty());
  EXPECT_EQ(queue.waiting(), 2U);
}

// ---- Coming and going

TEST_F(QueueWorkers, ProcessThatRunsNothingIsForgottenAtOnce) {
  const ProcessId process = Join(1);
  queue.Step(now, input::WorkerGone{process}, effects);
  EXPECT_THAT(effects.Of<Removed>(), ElementsAre(Removed{process}));
  EXPECT_EQ(queue.NextDeadline(), std::nullopt);
  EXPECT_EQ(Join(2), process) << "ids are dense";
}

TEST_F(QueueWorkers, WhatAProcessHasWhenItLeavesInOrderRunsElsewhereAndUsesNoAttempt) {
  const ProcessId leaving = Join(1);
  const JobId job = Submit();
  queue.Step(now, input::WorkerLeft{leaving}, effects);
  EXPECT_THAT(effects.Of<Removed>(), ElementsAre(Removed{leaving}));
  EXPECT_THAT(effects.Of<Replied>(), IsEmpty());
  Join(2);
  ASSERT_EQ(HandedOut().size(), 2U);
  EXPECT_EQ(HandedOut().back(), job);
}

TEST_F(QueueWorkers, ProcessThatIsAwayGetsNoJobs) {
  const ProcessId process = Join(1, 2);
  Submit();
  queue.Step(now, input::WorkerGone{process}, effects);
  Submit();
  EXPECT_EQ(HandedOut().size(), 1U);
  EXPECT_EQ(queue.Stats().processes, 0U);
  EXPECT_EQ(queue.Stats().running, 1U);
}

TEST_F(QueueWorkers, LeaseDoesNotEndWhatTheGracePeriodProtects) {
  const ProcessId process = Join(1);
  Submit();
  now += seconds(14);
  queue.Step(now, input::WorkerGone{process}, effects);
  TickAfter(seconds(9));
  EXPECT_THAT(effects.Of<Replied>(), IsEmpty());
  EXPECT_EQ(queue.NextDeadline(), now + seconds(1));
}

TEST_F(QueueWorkers, SlotsMayChangeWithANewStream) {
  const ProcessId process = Join(1, 2);
  const JobId first = Submit();
  const JobId second = Submit();
  Join(1, 1, {{first, 1}, {second, 1}});
  const JobId third = Submit();
  effects.Clear();
  Complete(process, first);
  EXPECT_THAT(HandedOut(), IsEmpty()) << "one slot, one job in it";
  Complete(process, second);
  EXPECT_THAT(HandedOut(), ElementsAre(third));
}

// ---- Draining

TEST_F(QueueWorkers, DrainingProcessFinishesWhatItHasAndGetsNothingNew) {
  const ProcessId process = Join(1);
  const JobId job = Submit();
  queue.Step(now, input::WorkerDraining{process}, effects);
  Submit();
  EXPECT_TRUE(Complete(process, job));
  EXPECT_THAT(HandedOut(), ElementsAre(job));
  EXPECT_EQ(queue.Stats().workers_draining, 1U);
}

TEST_F(QueueWorkers, JobThatADrainingProcessHandsBackGoesToAnother) {
  const ProcessId leaving = Join(1);
  const JobId job = Submit();
  const ProcessId other = Join(2);
  queue.Step(now, input::WorkerDraining{leaving}, effects);
  effects.Clear();
  EXPECT_TRUE(HandBack(leaving, job));
  EXPECT_THAT(effects.Of<Assigned>(), ElementsAre(Assigned{other, job, 2, "spec"}));
}

TEST_F(QueueWorkers, ProcessThatComesDrainingOnlyDelivers) {
  const ProcessId process = Join(1);
  const JobId job = Submit();
  Submit();
  queue.Step(now, input::WorkerGone{process}, effects);
  effects.Clear();
  const std::vector<Held> held = {{job, 1}};
  queue.Step(now, input::WorkerJoined{.key = ProcessKey{1}, .held = held, .draining = true},
             effects);
  EXPECT_TRUE(Complete(process, job));
  EXPECT_THAT(HandedOut(), IsEmpty());
}

// ---- Workers that say what is not so

TEST_F(QueueWorkers, ResultSentAThousandTimesFreesOneSlotOnce) {
  const ProcessId process = Join(1, 2);
  const JobId job = Submit();
  for (int i = 0; i < 1000; ++i) Complete(process, job);
  for (int i = 0; i < 10; ++i) Submit();
  EXPECT_EQ(queue.Stats().running, 2U);
  EXPECT_EQ(queue.Stats().workers_busy, 2U);
  EXPECT_EQ(queue.Stats().refused_results, 999U);
}

TEST_F(QueueWorkers, ResultsOfAttemptsThatNeverWereChangeNothing) {
  const ProcessId process = Join(1);
  const JobId job = Submit();
  effects.Clear();
  EXPECT_FALSE(Complete(process, JobId{0}, 0));
  EXPECT_FALSE(Complete(process, JobId{~0ULL}, 1));
  EXPECT_FALSE(Complete(process, job, 0));
  EXPECT_FALSE(Complete(process, job, 2));
  EXPECT_FALSE(Complete(ProcessId{9}, job, 1));
  EXPECT_THAT(effects.all(), IsEmpty());
  EXPECT_EQ(queue.Stats().running, 1U);
  EXPECT_EQ(queue.Stats().refused_results, 5U);
}

TEST_F(QueueWorkers, HeldListWithDoublesCountsEachAttemptOnce) {
  const ProcessId process = Join(1, 2);
  const JobId job = Submit();
  Join(1, 2, {{job, 1}, {job, 1}, {job, 1}});
  EXPECT_THAT(effects.Of<Stopped>(), IsEmpty());
  EXPECT_EQ(queue.Stats().workers_busy, 1U);
  EXPECT_TRUE(Complete(process, job));
  EXPECT_EQ(queue.Stats().workers_busy, 0U);
}

TEST_F(QueueWorkers, ProcessThatHoldsMoreThanItsSlotsGetsJobsWhenTheSurplusIsAnswered) {
  std::vector<Held> held;
  for (std::uint64_t i = 1; i <= 100; ++i) held.push_back({JobId{i << 32}, 1});
  const ProcessId process = Join(1, 2, held);
  EXPECT_EQ(queue.Stats().workers_busy, 2U);
  Submit();
  for (std::size_t i = 0; i + 2 < held.size(); ++i) {
    Complete(process, held[i].job, 1, Outcome::kCancelled);
  }
  EXPECT_THAT(HandedOut(), IsEmpty());
  Complete(process, held.back().job, 1, Outcome::kCancelled);
  EXPECT_EQ(HandedOut().size(), 1U);
}

TEST_F(QueueWorkers, CallsAboutProcessesThatAreNotThereDoNothing) {
  const ProcessId nobody{5};
  queue.Step(now, input::WorkerGone{nobody}, effects);
  queue.Step(now, input::Renewed{nobody}, effects);
  queue.Step(now, input::WorkerDraining{nobody}, effects);
  EXPECT_THAT(effects.all(), IsEmpty());
  EXPECT_EQ(queue.NextDeadline(), std::nullopt);
}

class QueueWithLongTimes : public QueueTest {
 protected:
  QueueWithLongTimes()
      : QueueTest({.lease = Duration::max(), .grace = Duration::max(), .ageing = Duration::max()}) {
  }
};

TEST_F(QueueWithLongTimes, DoNotOverflow) {
  now = Instant(std::chrono::hours(24 * 365 * 10));
  const JobId low = Submit({.priority = kLowestPriority});
  const JobId high = Submit({.priority = kHighestPriority});
  Join(1, 2);
  EXPECT_THAT(HandedOut(), ElementsAre(high, low));
  EXPECT_GT(queue.NextDeadline(), now);
}

}  // namespace
}  // namespace twofold::queue
