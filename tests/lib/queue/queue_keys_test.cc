// Dedup keys, limit keys and fair keys, as callers of the queue see them.

#include <map>
#include <string>

#include "tests/lib/queue/gang_fixture.h"

namespace twofold::queue {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

JobOptions Fair(const std::string& key, std::uint32_t weight = 1) {
  return {.fair_key = key, .weight = weight};
}

// ---- Dedup key

using DedupKey = QueueTest;

TEST_F(DedupKey, SameKeyWhileWaitingOrRunningIsTheSameJob) {
  const JobId job = Submit(Dedup("k"));
  const Submitted again = TrySubmit(Dedup("k"), kBob);
  EXPECT_EQ(again.job, job);
  EXPECT_TRUE(again.duplicate);
  Join(1);
  EXPECT_EQ(TrySubmit(Dedup("k")).job, job);
  EXPECT_EQ(HandedOut().size(), 1U);
}

TEST_F(DedupKey, AfterTheEndItIsANewJob) {
  const ProcessId process = Join(1);
  const JobId job = Submit(Dedup("k"));
  Complete(process, job);
  const Submitted again = TrySubmit(Dedup("k"));
  EXPECT_NE(again.job, job);
  EXPECT_FALSE(again.duplicate);
}

TEST_F(DedupKey, EachWhoAskedGetsAReplyForItsTag) {
  const ProcessId process = Join(1);
  const JobId job = Submit(Dedup("k"));
  TrySubmit(Dedup("k"), kBob);
  TrySubmit(Dedup("k"), kAda);
  TrySubmit(Dedup("k"), kDetached);
  Complete(process, job);
  std::vector<std::pair<SubmitterId, std::uint64_t>> replies;
  for (const Replied& reply : effects.Of<Replied>())
    replies.emplace_back(reply.submitter, reply.tag);
  EXPECT_THAT(replies, ElementsAre(std::pair(kDetached, 4), std::pair(kAda, 1), std::pair(kBob, 2),
                                   std::pair(kAda, 3)));
  EXPECT_EQ(Finished(Outcome::kSucceeded), 1U) << "it is one job";
}

class DedupKeyInASmallQueue : public QueueTest {
 protected:
  DedupKeyInASmallQueue() : QueueTest({.limit = 2}) {}
};

TEST_F(DedupKeyInASmallQueue, AsManyMayFollowAsMayWait) {
  const JobId job = Submit(Dedup("k"));
  EXPECT_TRUE(TrySubmit(Dedup("k"), kBob).duplicate);
  EXPECT_TRUE(TrySubmit(Dedup("k"), kBob).duplicate);
  EXPECT_EQ(TrySubmit(Dedup("k"), kAda).admission, Admission::kFull);
  EXPECT_EQ(TrySubmit(Dedup("k"), kDetached).admission, Admission::kFull) << "Ada would follow";
  queue.Step(now, input::SubmitterGone{kBob}, effects);
  EXPECT_TRUE(TrySubmit(Dedup("k"), kAda).duplicate);
  EXPECT_TRUE(TrySubmit(Dedup("k"), kAda).duplicate);
  EXPECT_EQ(TrySubmit(Dedup("k"), kAda).admission, Admission::kFull);
  EXPECT_TRUE(queue.Step(now, input::Cancel{job}, effects));
  EXPECT_EQ(TrySubmit(Dedup("k"), kAda).admission, Admission::kAccepted);
  EXPECT_TRUE(TrySubmit(Dedup("k"), kAda).duplicate) << "those of the job that ended are gone";
}

TEST_F(DedupKey, JobPassesToThoseWhoFollowWhenItsOwnerIsGone) {
  constexpr SubmitterId kEve{3};
  const JobId job = Submit(Dedup("k"));
  TrySubmit(Dedup("k"), kBob);
  TrySubmit(Dedup("k"), kEve);
  queue.Step(now, input::SubmitterGone{kAda}, effects);
  EXPECT_EQ(Finished(Outcome::kAbandoned), 0U);
  Complete(Join(1), job);
  ASSERT_EQ(effects.Of<Replied>().size(), 2U);
  EXPECT_EQ(effects.Of<Replied>()[0].submitter, kBob);
  EXPECT_EQ(effects.Of<Replied>()[0].tag, 2U);
  EXPECT_EQ(effects.Of<Replied>()[1].submitter, kEve);
}

TEST_F(DedupKey, JobEndsWithTheLastOfThoseWhoWantIt) {
  const JobId job = Submit(Dedup("k"));
  TrySubmit(Dedup("k"), kBob);
  queue.Step(now, input::SubmitterGone{kAda}, effects);
  queue.Step(now, input::SubmitterGone{kBob}, effects);
  EXPECT_FALSE(queue.Find(now, job));
  EXPECT_EQ(Finished(Outcome::kAbandoned), 1U);
}

TEST_F(DedupKey, DetachedDuplicateGetsAReply) {
  const JobId job = Submit(Dedup("k"));
  EXPECT_TRUE(TrySubmit(Dedup("k"), kDetached).duplicate);
  EXPECT_TRUE(TrySubmit(Dedup("k"), kDetached).duplicate);
  Complete(Join(1), job);
  ASSERT_EQ(effects.Of<Replied>().size(), 2U) << "one for all that are detached";
  EXPECT_EQ(effects.Of<Replied>()[0].submitter, kDetached);
  EXPECT_EQ(effects.Of<Replied>()[1].submitter, kAda);
  EXPECT_EQ(effects.Of<Replied>()[1].tag, 1U);
}

TEST_F(DedupKey, JobLivesOnWhenItsStreamLeavesAndSomebodyDetachedHasSubmittedItToo) {
  const JobId job = Submit(Dedup("k"));
  TrySubmit(Dedup("k"), kDetached);
  queue.Step(now, input::SubmitterGone{kAda}, effects);
  EXPECT_EQ(Finished(Outcome::kAbandoned), 0U);
  Complete(Join(1), job);
  EXPECT_EQ(OnlyReply().submitter, kDetached);
}

TEST_F(DedupKey, DurableJobIsNotAcceptedAsAVolatileOne) {
  JobOptions durable = Dedup("k");
  durable.durable = true;
  const JobId job = Submit(Dedup("k"));
  const Submitted held = TrySubmit(durable, kBob);
  EXPECT_EQ(held.admission, Admission::kHeld);
  EXPECT_EQ(held.job, job);
  EXPECT_EQ(Finished(Outcome::kRejected), 1U);
  Complete(Join(1), job);
  EXPECT_EQ(OnlyReply().submitter, kAda) << "who was not accepted gets no reply";
  EXPECT_FALSE(TrySubmit(durable, kBob).duplicate) << "the key is free";
}

TEST_F(DedupKey, VolatileJobIsGladlyADurableOne) {
  JobOptions durable = Dedup("k");
  durable.durable = true;
  const JobId job = Submit(durable);
  EXPECT_EQ(TrySubmit(Dedup("k"), kBob).job, job);
}

TEST_F(DedupKey, GoneFollowerGetsNoReply) {
  const JobId job = Submit(Dedup("k"));
  TrySubmit(Dedup("k"), kBob);
  queue.Step(now, input::SubmitterGone{kBob}, effects);
  Complete(Join(1), job);
  EXPECT_EQ(OnlyReply().submitter, kAda);
}

TEST_F(DedupKey, OwnerThatAskedTwiceHandsNothingToItself) {
  const JobId job = Submit(Dedup("k"));
  TrySubmit(Dedup("k"), kAda);
  queue.Step(now, input::SubmitterGone{kAda}, effects);
  EXPECT_FALSE(queue.Find(now, job));
}

TEST_F(DedupKey, DrainingQueueStillKnowsTheJob) {
  const JobId job = Submit(Dedup("k"));
  queue.Step(now, input::Drain{}, effects);
  EXPECT_EQ(TrySubmit(Dedup("k")).job, job);
  EXPECT_EQ(TrySubmit(Dedup("other")).admission, Admission::kDraining);
}

TEST_F(DedupKey, FollowerIsToldOfACancelAndOfALostWorker) {
  queue.Step(now, input::Cancel{Submit(Dedup("k"))}, effects);
  EXPECT_EQ(effects.Of<Replied>().size(), 1U);
  effects.Clear();
  Submit(Dedup("k"));
  TrySubmit(Dedup("k"), kBob);
  Join(1);
  TickAfter(seconds(15));
  ASSERT_EQ(effects.Of<Replied>().size(), 2U);
  for (const Replied& reply : effects.Of<Replied>()) EXPECT_EQ(reply.outcome, Outcome::kLost);
}

// ---- Limit key

using LimitKey = GangTest;

TEST_F(LimitKey, NoMoreRunAtOnceThanMay) {
  const ProcessId process = Join(1, 10);
  std::vector<JobId> jobs;
  for (int i = 0; i < 5; ++i) jobs.push_back(Submit(Limited("k", 2)));
  const JobId other = Submit(Limited("other", 1));
  const JobId free = Submit();
  EXPECT_THAT(HandedOut(), ElementsAre(jobs[0], jobs[1], other, free));
  EXPECT_EQ(queue.Stats().key_limited, 3U);
  EXPECT_EQ(queue.Stats().wanted_workers, 4U) << "more workers would not help the parked ones";
  Complete(process, jobs[1]);
  EXPECT_EQ(HandedOut().back(), jobs[2]);
}

TEST_F(LimitKey, ParkedJobsAreExplained) {
  Join(1, 10);
  Submit(Limited("k", 1));
  const JobId parked = Submit(Limited("k", 1));
  EXPECT_EQ(queue.Explain(now, parked)->reason, WaitReason::kKeyLimit);
}

TEST_F(LimitKey, PlaceOfACancelledJobIsTakenByTheNext) {
  queue.Step(now, input::Pause{}, effects);
  const JobId first = Submit(Limited("k", 1));
  const JobId second = Submit(Limited("k", 1));
  const JobId third = Submit(Limited("k", 1));
  queue.Step(now, input::Cancel{second}, effects);
  queue.Step(now, input::Cancel{first}, effects);
  Join(1, 10);
  queue.Step(now, input::Resume{}, effects);
  EXPECT_THAT(HandedOut(), ElementsAre(third));
}

TEST_F(LimitKey, PutBackJobKeepsItsPlaceBeforeLaterOnes) {
  const ProcessId process = Join(1, 10);
  const JobId first = Submit(Limited("k", 1));
  const JobId second = Submit(Limited("k", 1));
  effects.Clear();
  HandBack(process, first);
  EXPECT_THAT(HandedOut(), ElementsAre(first));
  Complete(process, first, 2);
  EXPECT_THAT(HandedOut(), ElementsAre(first, second));
}

TEST_F(LimitKey, UrgentJobPassesThoseOfItsKeyThatWait) {
  queue.Step(now, input::Pause{}, effects);
  const JobId normal = Submit(Limited("k", 1));
  JobOptions urgent = Limited("k", 1);
  urgent.priority = 5;
  const JobId first = Submit(urgent);
  EXPECT_EQ(queue.Explain(now, normal)->reason, WaitReason::kKeyLimit);
  const ProcessId process = Join(1, 10);
  queue.Step(now, input::Resume{}, effects);
  EXPECT_THAT(HandedOut(), ElementsAre(first));
  Complete(process, first);
  EXPECT_THAT(HandedOut(), ElementsAre(first, normal));
}

TEST_F(LimitKey, LowPriorityAgesBehindTheLimit) {
  const ProcessId process = Join(1);
  JobOptions urgent = Limited("k", 1);
  urgent.priority = 1;
  JobId running = Submit(urgent);
  const JobId low = Submit(Limited("k", 1));
  int passed = 0;
  for (; running != low; ++passed) {
    ASSERT_LE(passed, 7) << "starved";
    now += seconds(10);
    Submit(urgent);
    ASSERT_TRUE(Complete(process, running));
    running = HandedOut().back();
  }
  EXPECT_EQ(passed, 7) << "a level is a minute, one job each ten seconds, one that ran before";
}

TEST_F(LimitKey, NobodyRaisesTheLimitOfAJobThatHasNotEnded) {
  const ProcessId process = Join(1, 10);
  const JobId first = Submit(Limited("k", 1));
  const JobId second = Submit(Limited("k", 3));
  const JobId third = Submit(Limited("k", 3));
  EXPECT_THAT(HandedOut(), ElementsAre(first));
  Complete(process, first);
  EXPECT_THAT(HandedOut(), ElementsAre(first, second, third));
}

TEST_F(LimitKey, LoweredLimitHoldsForTheNextOnes) {
  const ProcessId process = Join(1, 10);
  std::vector<JobId> jobs;
  for (int i = 0; i < 3; ++i) jobs.push_back(Submit(Limited("k", 3)));
  const JobId last = Submit(Limited("k", 1));
  for (const JobId job : jobs) {
    EXPECT_EQ(queue.Explain(now, last)->reason, WaitReason::kKeyLimit);
    Complete(process, job);
  }
  EXPECT_EQ(HandedOut().back(), last);
}

TEST_F(LimitKey, GangIsOneJob) {
  const ProcessId process = Join(1, 10);
  JobOptions options = Gang(3);
  options.limit_key = "k";
  const JobId first = Submit(options);
  const JobId second = Submit(options);
  ASSERT_TRUE(Started(first));
  EXPECT_FALSE(Started(second));
  EXPECT_EQ(queue.Stats().wanted_workers, 3U);
  const auto members = MembersOf(first);
  HandBack(process, members[2].job);
  EXPECT_FALSE(Started(second));
  for (const std::size_t rank : {0U, 1U}) End(members[rank], Outcome::kCancelled);
  const auto again = MembersOf(first);
  EXPECT_EQ(again[0].attempt, 2U);
  End(again[0]);
  EXPECT_FALSE(Started(second)) << "the others still run";
  for (const std::size_t rank : {1U, 2U}) End(again[rank], Outcome::kCancelled);
  EXPECT_TRUE(Started(second));
}

TEST_F(LimitKey, GangThatGathersGivesWayToAnUrgentJobOfItsKey) {
  Join(1);
  Submit();
  Join(2);
  JobOptions options = Gang(2);
  options.limit_key = "k";
  const JobId gang = Submit(options);
  EXPECT_EQ(queue.Stats().workers_reserved, 1U);
  JobOptions urgent = Limited("k", 1);
  urgent.priority = 1;
  const JobId single = Submit(urgent);
  EXPECT_TRUE(queue.Find(now, single)->running);
  EXPECT_EQ(queue.Stats().workers_reserved, 0U);
  EXPECT_EQ(queue.Explain(now, gang)->reason, WaitReason::kKeyLimit);
}

// ---- Fair key

class FairKey : public QueueTest {
 protected:
  /// Takes so many jobs, one after the other, and counts them by key.
  std::map<std::string, int> Take(int jobs) {
    std::map<std::string, int> taken;
    for (int i = 0; i < jobs; ++i) {
      effects.Clear();
      const JobId before = running;
      if (!Complete(worker, before)) ADD_FAILURE() << "nothing runs";
      running = HandedOut().at(0);
      ++taken[queue.Find(now, running)->options->fair_key];
    }
    return taken;
  }

  ProcessId worker = Join(1);
  JobId running = Submit();
};

TEST_F(FairKey, KeysTakeTurnsWhateverTheOrderOfArrival) {
  for (int i = 0; i < 10; ++i) Submit(Fair("a"));
  for (int i = 0; i < 10; ++i) Submit(Fair("b"));
  EXPECT_THAT(Take(10), ElementsAre(std::pair("a", 5), std::pair("b", 5)));
}

TEST_F(FairKey, JobsThatFoundAFreeSlotCountForNoTurnLater) {
  for (int i = 0; i < 10; ++i) {
    Complete(worker, running);
    running = Submit(Fair("a"));
    ASSERT_TRUE(queue.Find(now, running)->running);
  }
  for (int i = 0; i < 10; ++i) Submit(Fair("a"));
  for (int i = 0; i < 10; ++i) Submit(Fair("b"));
  EXPECT_THAT(Take(10), ElementsAre(std::pair("a", 5), std::pair("b", 5)));
}

TEST_F(FairKey, SharesFollowWeightsToWithinAJobEach) {
  for (int i = 0; i < 300; ++i) {
    for (const int weight : {1, 3, 6}) {
      Submit(Fair(std::to_string(weight), static_cast<std::uint32_t>(weight)));
    }
  }
  std::map<std::string, int> so_far;
  for (int taken = 1; taken <= 300; ++taken) {
    for (const auto& [key, jobs] : Take(1)) so_far[key] += jobs;
    // A turn of a key of weight w is worth 1/w; no two keys are further apart than a turn each.
    const double of1 = so_far["1"];
    const double of3 = so_far["3"] / 3.0;
    const double of6 = so_far["6"] / 6.0;
    EXPECT_NEAR(of1, of3, 1 + 1 / 3.0) << "after " << taken;
    EXPECT_NEAR(of3, of6, 1 / 3.0 + 1 / 6.0) << "after " << taken;
    EXPECT_NEAR(of1, of6, 1 + 1 / 6.0) << "after " << taken;
  }
}

TEST_F(FairKey, JobsWithoutAKeyShareALane) {
  for (int i = 0; i < 10; ++i) Submit(Fair("a"));
  for (int i = 0; i < 10; ++i) Submit();
  EXPECT_THAT(Take(10), ElementsAre(std::pair("", 5), std::pair("a", 5)));
}

TEST_F(FairKey, KeyThatWasAwayHasSavedNothingUp) {
  for (int i = 0; i < 100; ++i) Submit(Fair("a"));
  Take(50);
  for (int i = 0; i < 100; ++i) Submit(Fair("b"));
  EXPECT_THAT(Take(20), ElementsAre(std::pair("a", 10), std::pair("b", 10)));
}

TEST_F(FairKey, KeyThatComesJobByJobGetsNoMoreThanItsShare) {
  for (int i = 0; i < 100; ++i) Submit(Fair("a"));
  int of_b = 0;
  for (int i = 0; i < 50; ++i) {
    // It never has more than one job here, so its lane is empty after each.
    if (queue.waiting() + static_cast<std::uint64_t>(i) ==
        100U + static_cast<std::uint64_t>(of_b)) {
      Submit(Fair("b"));
    }
    of_b += Take(1).contains("b") ? 1 : 0;
  }
  EXPECT_NEAR(of_b, 25, 1);
}

TEST_F(FairKey, PriorityComesFirst) {
  for (int i = 0; i < 4; ++i) Submit(Fair("a"));
  JobOptions urgent = Fair("b");
  urgent.priority = 1;
  for (int i = 0; i < 4; ++i) Submit(urgent);
  EXPECT_THAT(Take(4), ElementsAre(std::pair("b", 4)));
}

TEST_F(FairKey, OldestWaitingIsTheOldestOfAllLanes) {
  Submit(Fair("a"));
  Submit(Fair("a"));
  const Instant oldest = now;
  Take(1);  // the turn is b's now
  now += seconds(1);
  Submit(Fair("b"));
  EXPECT_EQ(queue.Stats().oldest_waiting, oldest);
}

}  // namespace
}  // namespace twofold::queue
