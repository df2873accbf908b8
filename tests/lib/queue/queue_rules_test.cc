// The rules of docs/architecture.md, "The queue core", one section each. Rule 3 (gangs) is in
// gathering_gangs_test.cc and queue_gangs_test.cc; rule 7 (same input, same output) is in
// queue_model_test.cc.

#include "tests/lib/queue/queue_fixture.h"

namespace twofold::queue {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// ---- Rule 1: a job ends once; a result with an old token is refused.

using Rule1JobEndsOnce = QueueTest;

TEST_F(Rule1JobEndsOnce, SecondResultOfTheSameAttemptIsRefused) {
  const ProcessId process = Join(1);
  const JobId job = Submit();
  EXPECT_TRUE(Complete(process, job));
  EXPECT_FALSE(Complete(process, job));
  EXPECT_EQ(effects.Of<Replied>().size(), 1U);
  EXPECT_EQ(queue.Stats().refused_results, 1U);
}

TEST_F(Rule1JobEndsOnce, ResultWithAnOldTokenIsRefusedAndTheNewAttemptGoesOn) {
  const ProcessId slow = Join(1);
  const JobId job = Submit({.max_attempts = 2});
  TickAfter(seconds(15));
  const ProcessId fresh = Join(2);
  effects.Clear();

  EXPECT_FALSE(Complete(slow, job, 1));
  EXPECT_FALSE(Complete(fresh, job, 1));
  EXPECT_THAT(effects.Of<Replied>(), IsEmpty());
  EXPECT_EQ(queue.Stats().refused_results, 2U);

  EXPECT_TRUE(Complete(fresh, job, 2));
  EXPECT_EQ(OnlyReply().attempts, 2U);
}

TEST_F(Rule1JobEndsOnce, LateWorkerIsToldThatItsAttemptNoLongerCounts) {
  const ProcessId slow = Join(1);
  const JobId job = Submit({.max_attempts = 2});
  TickAfter(seconds(15));
  EXPECT_THAT(effects.Of<Stopped>(), ElementsAre(Stopped{slow, job, 1}));
}

TEST_F(Rule1JobEndsOnce, ResultOfACancelledJobIsRefused) {
  const ProcessId process = Join(1);
  const JobId job = Submit();
  EXPECT_TRUE(queue.Step(now, input::Cancel{job}, effects));
  EXPECT_FALSE(Complete(process, job));
  EXPECT_EQ(OnlyReply().outcome, Outcome::kCancelled);
}

TEST_F(Rule1JobEndsOnce, IdOfAnEndedJobIsNotThatOfTheNextOneInItsSlot) {
  const ProcessId process = Join(1);
  const JobId first = Submit();
  Complete(process, first);
  const JobId second = Submit();
  EXPECT_NE(first, second);
  EXPECT_FALSE(queue.Find(now, first));
  EXPECT_FALSE(queue.Step(now, input::Cancel{first}, effects));
  EXPECT_TRUE(queue.Find(now, second));
}

// ---- Rule 2: nothing starves; priority first, then order of arrival; ageing.

class Rule2NothingStarves : public QueueTest {
 protected:
  Rule2NothingStarves() { queue.Step(now, input::Pause{}, effects); }

  /// The order in which all that waits is handed out.
  std::vector<JobId> Order() {
    Join(1, 100);
    queue.Step(now, input::Resume{}, effects);
    return HandedOut();
  }
};

TEST_F(Rule2NothingStarves, PriorityFirstThenOrderOfArrival) {
  const JobId low = Submit({.priority = -10});
  const JobId normal = Submit();
  const JobId high = Submit({.priority = 10});
  const JobId normal_too = Submit();
  EXPECT_THAT(Order(), ElementsAre(high, normal, normal_too, low));
}

TEST_F(Rule2NothingStarves, WaitingLongerThanTheAgeingIsWorthMoreThanALevel) {
  const JobId low = Submit();
  now += minutes(1) + nanoseconds(1);
  const JobId high = Submit({.priority = 1});
  EXPECT_THAT(Order(), ElementsAre(low, high));
}

TEST_F(Rule2NothingStarves, AtExactlyTheAgeingTheHigherPriorityGoesFirst) {
  const JobId low = Submit();
  now += minutes(1);
  const JobId high = Submit({.priority = 1});
  EXPECT_THAT(Order(), ElementsAre(high, low));
}

TEST_F(Rule2NothingStarves, LowestPriorityGetsItsTurnInAStreamOfTheHighest) {
  queue.Step(now, input::Resume{}, effects);
  const ProcessId process = Join(1);
  JobId running = Submit();
  const JobId low = Submit({.priority = kLowestPriority});
  int passed = -1;  // the first job was there before
  for (; running != low; ++passed) {
    ASSERT_LE(passed, 20 * 60) << "starved";
    now += seconds(1);
    Submit({.priority = kHighestPriority});
    effects.Clear();
    ASSERT_TRUE(Complete(process, running));
    running = HandedOut().at(0);
  }
  EXPECT_EQ(passed, 20 * 60) << "20 levels, a minute each, one job a second";
}

TEST_F(Rule2NothingStarves, PriorityBeyondTheRangeCountsAsTheEndOfIt) {
  const JobId first = Submit({.priority = kHighestPriority});
  const JobId second = Submit({.priority = 1'000'000});
  const JobId low = Submit({.priority = -1'000'000});
  EXPECT_THAT(Order(), ElementsAre(first, second, low));
}

class Rule2WithoutAgeing : public QueueTest {
 protected:
  Rule2WithoutAgeing() : QueueTest({.ageing = Duration(0)}) {}
};

TEST_F(Rule2WithoutAgeing, PriorityIsStrict) {
  const JobId low = Submit();
  now += std::chrono::hours(1000);
  const JobId high = Submit({.priority = 1});
  Join(1, 2);
  EXPECT_THAT(HandedOut(), ElementsAre(high, low));
}

// ---- Rule 4: a lost worker's attempt goes to the front while attempts are left, else the job is
// lost, with the reason.

using Rule4LostWorker = QueueTest;

TEST_F(Rule4LostWorker, AttemptGoesBackToTheFrontOfTheLine) {
  Join(1, 2);
  const JobId first = Submit({.max_attempts = 2});
  const JobId second = Submit({.max_attempts = 2});
  const JobId third = Submit();
  TickAfter(seconds(15));
  effects.Clear();
  Join(2, 3);
  EXPECT_THAT(HandedOut(), ElementsAre(first, second, third));
  EXPECT_EQ(effects.Of<Assigned>().front().attempt, 2U);
  EXPECT_EQ(queue.Stats().requeued, 2U);
}

TEST_F(Rule4LostWorker, JobWithoutAttemptsLeftIsLostWhenTheLeaseRunsOut) {
  const ProcessId process = Join(1);
  Submit();
  TickAfter(seconds(15));
  const Replied reply = OnlyReply();
  EXPECT_EQ(reply.outcome, Outcome::kLost);
  EXPECT_EQ(reply.process, process);
  EXPECT_EQ(reply.run_time, seconds(15)) << "as far as anybody knows";
  EXPECT_EQ(reply.reason, "worker lease ran out after 15s of silence, 1 of 1 attempts used");
}

TEST_F(Rule4LostWorker, JobWithoutAttemptsLeftIsLostWhenTheGracePeriodIsOver) {
  const ProcessId process = Join(1);
  Submit();
  queue.Step(now, input::WorkerGone{process}, effects);
  effects.Clear();
  TickAfter(seconds(10));
  EXPECT_EQ(OnlyReply().reason, "worker did not come back within 10s, 1 of 1 attempts used");
  EXPECT_EQ(OnlyReply().run_time, seconds(10));
  EXPECT_THAT(effects.Of<Removed>(), ElementsAre(Removed{process}));
  EXPECT_THAT(effects.Of<Stopped>(), IsEmpty()) << "there is no stream to say it on";
}

TEST_F(Rule4LostWorker, JobIsLostAfterTheLastOfItsAttempts) {
  const JobId job = Submit({.max_attempts = 3});
  for (std::uint64_t key = 1; key <= 3; ++key) {
    const ProcessId process = Join(key);
    EXPECT_THAT(effects.Of<Replied>(), IsEmpty());
    queue.Step(now, input::WorkerGone{process}, effects);
    TickAfter(seconds(10));
  }
  EXPECT_EQ(OnlyReply().reason, "worker did not come back within 10s, 3 of 3 attempts used");
  EXPECT_FALSE(queue.Find(now, job));
}

TEST_F(Rule4LostWorker, HandedBackAttemptIsNotUsedUp) {
  const ProcessId process = Join(1);
  const JobId job = Submit();  // one attempt
  for (Attempt attempt = 1; attempt <= 5; ++attempt) {
    EXPECT_TRUE(HandBack(process, job, attempt));
    EXPECT_EQ(effects.Of<Assigned>().back().attempt, attempt + 1) << "the token grows all the same";
  }
  EXPECT_THAT(effects.Of<Replied>(), IsEmpty());
  EXPECT_EQ(queue.Stats().requeued, 5U);
}

TEST_F(Rule4LostWorker, FailureOfTheWorkloadIsNotTriedAgain) {
  const ProcessId process = Join(1);
  const JobId job = Submit({.max_attempts = 3});
  EXPECT_TRUE(Complete(process, job, 1, Outcome::kFailed));
  EXPECT_EQ(OnlyReply().outcome, Outcome::kFailed);
}

// ---- Rule 5: a reconnecting worker that still runs its attempt keeps it.

using Rule5Reconnect = QueueTest;

TEST_F(Rule5Reconnect, WithinTheGracePeriodTheAttemptIsKept) {
  const ProcessId process = Join(1);
  const JobId job = Submit();
  queue.Step(now, input::WorkerGone{process}, effects);
  TickAfter(seconds(10) - nanoseconds(1));
  EXPECT_EQ(Join(1, 1, {{job, 1}}), process);
  TickAfter(seconds(10));
  EXPECT_TRUE(Complete(process, job));
  EXPECT_EQ(OnlyReply().outcome, Outcome::kSucceeded);
}

TEST_F(Rule5Reconnect, NewStreamMayOvertakeTheBrokenOne) {
  const ProcessId process = Join(1);
  const JobId job = Submit();
  EXPECT_EQ(Join(1, 1, {{job, 1}}), process);
  EXPECT_TRUE(Complete(process, job));
}

TEST_F(Rule5Reconnect, AttemptItNoLongerHasIsLost) {
  const ProcessId process = Join(1, 2);
  const JobId once = Submit();
  const JobId twice = Submit({.max_attempts = 2});
  effects.Clear();
  EXPECT_EQ(Join(1, 2), process);
  EXPECT_EQ(OnlyReply().job, once);
  EXPECT_EQ(OnlyReply().reason, "worker came back without it, 1 of 1 attempts used");
  EXPECT_THAT(effects.Of<Assigned>(), ElementsAre(Assigned{process, twice, 2, "spec"}));
}

TEST_F(Rule5Reconnect, AttemptItShouldNotHaveIsStoppedAndOccupiesASlotUntilAnswered) {
  const Held unknown{JobId{77}, 1};
  const ProcessId process = Join(1, 1, {unknown});
  EXPECT_THAT(effects.Of<Stopped>(), ElementsAre(Stopped{process, unknown.job, unknown.attempt}));
  const JobId job = Submit();
  EXPECT_THAT(HandedOut(), IsEmpty());
  EXPECT_FALSE(Complete(process, unknown.job, unknown.attempt));
  EXPECT_THAT(HandedOut(), ElementsAre(job));
}

TEST_F(Rule5Reconnect, AttemptOfAnotherProcessIsNotTakenOver) {
  const ProcessId owner = Join(1);
  const JobId job = Submit();
  const ProcessId thief = Join(2, 1, {{job, 1}});
  EXPECT_THAT(effects.Of<Stopped>(), ElementsAre(Stopped{thief, job, 1}));
  EXPECT_FALSE(Complete(thief, job));
  EXPECT_TRUE(Complete(owner, job));
}

TEST_F(Rule5Reconnect, AfterTheGracePeriodTheProcessIsNewAndItsAttemptsAreOld) {
  const ProcessId process = Join(1);
  const JobId job = Submit({.max_attempts = 2});
  queue.Step(now, input::WorkerGone{process}, effects);
  TickAfter(seconds(10));
  effects.Clear();
  const ProcessId again = Join(1, 2, {{job, 1}});
  EXPECT_EQ(again, process) << "the index is used again";
  EXPECT_THAT(effects.Of<Stopped>(), ElementsAre(Stopped{again, job, 1}));
  EXPECT_THAT(effects.Of<Assigned>(), ElementsAre(Assigned{again, job, 2, "spec"}));
}

// ---- Rule 6: bounded.

class Rule6Bounded : public QueueTest {
 protected:
  Rule6Bounded() : QueueTest({.limit = 2}) {}
};

TEST_F(Rule6Bounded, JobBeyondTheLimitIsRejectedWithoutAReply) {
  Submit();
  Submit();
  const Submitted third = TrySubmit();
  EXPECT_EQ(third.admission, Admission::kFull);
  EXPECT_EQ(third.job, JobId{0});
  EXPECT_EQ(Finished(Outcome::kRejected), 1U);
  EXPECT_EQ(queue.waiting(), 2U);
  EXPECT_THAT(effects.all(), IsEmpty());
}

TEST_F(Rule6Bounded, LimitIsForWaitingJobsNotForRunningOnes) {
  Join(1, 3);
  for (int i = 0; i < 5; ++i) Submit();
  EXPECT_EQ(TrySubmit().admission, Admission::kFull);
}

TEST_F(Rule6Bounded, RequeuedJobsMayExceedTheLimit) {
  Join(1);
  Submit({.max_attempts = 2});
  Submit();
  Submit();
  TickAfter(seconds(15));
  EXPECT_EQ(queue.waiting(), 3U);
  EXPECT_EQ(TrySubmit().admission, Admission::kFull);
}

// ---- Rule 8: what cannot be written is not handed out.

using Rule8Held = QueueTest;

constexpr input::HoldDurable kHold{true};
constexpr input::HoldDurable kRelease{false};

TEST_F(Rule8Held, HeldDurableJobsTakeNoSlotsAndVolatileOnesPassThem) {
  queue.Step(now, kHold, effects);
  const JobId durable = Submit({.priority = 5, .durable = true});
  const JobId plain = Submit();
  const ProcessId process = Join(1, 2);
  EXPECT_THAT(HandedOut(), ElementsAre(plain));
  EXPECT_TRUE(Complete(process, plain));
  const JobId next = Submit();
  EXPECT_EQ(HandedOut().back(), next);
  EXPECT_EQ(queue.Explain(now, durable)->reason, WaitReason::kHeld);
  EXPECT_EQ(queue.Stats().waiting, 1U);
}

TEST_F(Rule8Held, DurableJobsGoOnInTheirTurnsWhenTheyAreHeldNoLonger) {
  queue.Step(now, kHold, effects);
  const ProcessId process = Join(1);
  const JobId first = Submit({.durable = true});
  const JobId second = Submit({.durable = true});
  const JobId urgent = Submit({.priority = 5, .durable = true});
  EXPECT_THAT(HandedOut(), IsEmpty());
  queue.Step(now, kRelease, effects);
  for (const JobId job : {urgent, first, second}) {
    ASSERT_EQ(HandedOut().back(), job);
    EXPECT_TRUE(Complete(process, job));
  }
}

TEST_F(Rule8Held, GangThatIsHeldGivesBackItsSlots) {
  Join(1);
  Submit({.gang = {.size = 2}, .durable = true});
  Join(2, 1);
  EXPECT_EQ(HandedOut().size(), 2U);
  effects.Clear();
  Join(3);
  Submit({.gang = {.size = 2}, .durable = true});
  ASSERT_EQ(queue.Stats().workers_reserved, 1U);
  queue.Step(now, kHold, effects);
  EXPECT_EQ(queue.Stats().workers_reserved, 0U);
  const JobId plain = Submit();
  EXPECT_THAT(HandedOut(), ElementsAre(plain));
}

TEST_F(Rule8Held, PlacedJobThatIsHeldLetsOthersHaveItsPlace) {
  queue.Step(now, kHold, effects);
  Submit({.durable = true, .placement = "node a\n"});
  const JobId plain = Submit({.placement = "node a\n"});
  JoinOn("a", 1);
  EXPECT_THAT(HandedOut(), ElementsAre(plain));
}

TEST_F(Rule8Held, HeldJobMayBeCancelledAndMissItsDeadline) {
  queue.Step(now, kHold, effects);
  Join(1);
  const JobId cancelled = Submit({.durable = true});
  Submit({.durable = true, .deadline = seconds(1)});
  EXPECT_TRUE(queue.Step(now, input::Cancel{cancelled}, effects));
  TickAfter(seconds(1));
  EXPECT_EQ(Finished(Outcome::kCancelled), 1U);
  EXPECT_EQ(Finished(Outcome::kRejected), 1U);
  queue.Step(now, kRelease, effects);
  EXPECT_EQ(queue.Stats().waiting, 0U);
}

TEST(QueueBytes, SpecsOfWaitingJobsHaveALimit) {
  RecordingEffects effects;
  Queue queue({.limit_bytes = 10});
  const auto submit = [&](std::string_view spec) {
    return queue
        .Step({}, input::Submit{kDetached, 1, std::make_shared<const JobOptions>(), spec}, effects)
        .admission;
  };
  EXPECT_EQ(submit("123456"), Admission::kAccepted);
  EXPECT_EQ(submit("12345"), Admission::kFull);
  EXPECT_EQ(submit("1234"), Admission::kAccepted);
  EXPECT_EQ(submit("1"), Admission::kFull);
  EXPECT_EQ(queue.Stats().waiting_bytes, 10U);
  queue.Step({}, input::WorkerJoined{.key = ProcessKey{1}}, effects);
  EXPECT_EQ(queue.Stats().waiting_bytes, 4U) << "the first one runs";
  EXPECT_EQ(submit("12345"), Admission::kAccepted);
}

TEST(QueueBytes, SpecsThatAreKeptElsewhereTakeNothingOfTheLimit) {
  RecordingEffects effects;
  Queue queue({.limit_bytes = 10});
  const JobOptions options{.durable = true};
  const JobId job =
      queue
          .Step({},
                input::Submit{kDetached, 1, std::make_shared<const JobOptions>(options), "", 5000},
                effects)
          .job;
  EXPECT_EQ(queue.Stats().waiting_bytes, 0U);
  EXPECT_EQ(queue.Find({}, job)->spec_size, 5000U);
  EXPECT_EQ(queue.Save(job)->spec_elsewhere, 5000U);
  for (const Attempt attempt : {1U, 2U}) {
    const ProcessKey key{attempt};
    const ProcessId process = queue.Step({}, input::WorkerJoined{.key = key}, effects);
    EXPECT_THAT(effects.Of<Assigned>(), ElementsAre(Assigned{.process = process,
                                                             .job = job,
                                                             .attempt = attempt,
                                                             .spec = "",
                                                             .spec_elsewhere = 5000}));
    effects.Clear();
    queue.Step({}, input::WorkerLeft{process}, effects);
    EXPECT_EQ(queue.Stats().waiting_bytes, 0U);
    effects.Clear();
  }
}

}  // namespace
}  // namespace twofold::queue
