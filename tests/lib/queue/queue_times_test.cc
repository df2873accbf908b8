// Delays and deadlines.

#include "tests/lib/queue/gang_fixture.h"

namespace twofold::queue {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

JobOptions Delayed(Duration delay) { return {.delay = delay}; }

JobOptions Due(Duration deadline) { return {.deadline = deadline}; }

// ---- Delay

using Delay = QueueTest;

TEST_F(Delay, JobIsNotHandedOutBeforeItsTime) {
  Join(1);
  const JobId job = Submit(Delayed(seconds(5)));
  EXPECT_EQ(queue.NextDeadline(), now + seconds(5));
  TickAfter(seconds(5) - nanoseconds(1));
  EXPECT_THAT(HandedOut(), IsEmpty());
  EXPECT_EQ(queue.Explain(now, job)->reason, WaitReason::kDelayed);
  EXPECT_EQ(queue.Explain(now, job)->in, nanoseconds(1));
  TickAfter(nanoseconds(1));
  EXPECT_THAT(HandedOut(), ElementsAre(job));
}

TEST_F(Delay, AnyCallHandsOutWhatIsDue) {
  const ProcessId process = Join(1);
  const JobId job = Submit(Delayed(seconds(5)));
  now += seconds(6);
  EXPECT_EQ(queue.Explain(now, job)->in, Duration(0)) << "nobody has looked yet";
  queue.Step(now, input::Renewed{process}, effects);
  EXPECT_THAT(HandedOut(), ElementsAre(job));
}

TEST_F(Delay, WaitCountsFromTheEndOfTheDelay) {
  const JobId job = Submit(Delayed(seconds(5)));
  EXPECT_EQ(queue.Find(now, job)->wait, Duration(0));
  EXPECT_EQ(queue.Stats().delayed, 1U);
  EXPECT_EQ(queue.Stats().waiting, 1U);
  EXPECT_EQ(queue.Stats().wanted_workers, 0U);
  EXPECT_EQ(queue.Stats().oldest_waiting, std::nullopt);
  TickAfter(seconds(7));
  const ProcessId process = Join(1);
  now += seconds(1);
  Complete(process, job);
  EXPECT_EQ(OnlyReply().wait, seconds(2));
}

TEST_F(Delay, TotalCountsFromTheSubmissionAndContainsTheDelay) {
  const JobId job = Submit(Delayed(seconds(5)));
  TickAfter(seconds(7));
  const ProcessId process = Join(1);
  now += seconds(1);
  Complete(process, job);
  EXPECT_EQ(OnlyReply().total, seconds(8));
}

TEST_F(Delay, CancelledBeforeItsTimeItHasNotWaited) {
  const JobId job = Submit(Delayed(seconds(5)));
  now += seconds(1);
  EXPECT_TRUE(queue.Step(now, input::Cancel{job}, effects));
  EXPECT_EQ(OnlyReply().wait, Duration(0));
  EXPECT_EQ(OnlyReply().total, seconds(1));
  EXPECT_EQ(queue.NextDeadline(), std::nullopt);
  EXPECT_EQ(queue.waiting(), 0U);
}

TEST_F(Delay, JobStandsBehindThoseThatCameBeforeItsTime) {
  const JobId delayed = Submit(Delayed(seconds(5)));
  now += seconds(1);
  const JobId before = Submit();
  TickAfter(seconds(4));
  const JobId after = Submit();
  Join(1, 3);
  EXPECT_THAT(HandedOut(), ElementsAre(before, delayed, after));
}

TEST_F(Delay, JobHidesNoOlderOneOfItsPriorityFromTheAgeing) {
  JobOptions late = Delayed(seconds(100));
  late.priority = 1;
  Submit(late);
  JobOptions urgent;
  urgent.priority = 1;
  const JobId old = Submit(urgent);
  now += seconds(20);
  const JobId normal = Submit();
  TickAfter(seconds(80));
  Join(1, 2);
  EXPECT_THAT(HandedOut(), ElementsAre(old, normal));
}

TEST_F(Delay, NegativeDelayIsNone) {
  Join(1);
  EXPECT_EQ(queue.Find(now, Submit(Delayed(seconds(-5))))->running, true);
}

// ---- Deadline

using Deadline = GangTest;

TEST_F(Deadline, JobThatNobodyHadInTimeIsRejected) {
  const JobId job = Submit(Due(seconds(5)));
  EXPECT_EQ(queue.NextDeadline(), now + seconds(5));
  TickAfter(seconds(5) - nanoseconds(1));
  EXPECT_THAT(effects.all(), IsEmpty());
  TickAfter(nanoseconds(1));
  EXPECT_EQ(OnlyReply(),
            (Replied{kAda, last_tag, job, Outcome::kRejected, 0, false, ProcessId{0}, seconds(5),
                     Duration(0), seconds(5), "", "deadline: no worker had it within 5s"}));
  EXPECT_FALSE(queue.Find(now, job));
  EXPECT_EQ(Finished(Outcome::kRejected), 1U);
  EXPECT_EQ(queue.NextDeadline(), std::nullopt);
}

TEST_F(Deadline, WorkerThatComesAtTheDeadlineIsTooLate) {
  Submit(Due(seconds(5)));
  now += seconds(5);
  Join(1);
  EXPECT_THAT(HandedOut(), IsEmpty());
  EXPECT_EQ(OnlyReply().outcome, Outcome::kRejected);
}

TEST_F(Deadline, IsMetByTheFirstWorkerAlsoIfThatOneIsLost) {
  const ProcessId process = Join(1);
  JobOptions options = Due(seconds(5));
  options.max_attempts = 2;
  const JobId job = Submit(options);
  now += seconds(1);
  HandBack(process, job);
  TickAfter(seconds(15));
  EXPECT_THAT(effects.Of<Replied>(), IsEmpty());
  EXPECT_TRUE(queue.Find(now, job));
}

TEST_F(Deadline, CountsFromTheEndOfTheDelay) {
  JobOptions options = Due(seconds(5));
  options.delay = seconds(10);
  Submit(options);
  TickAfter(seconds(14));
  EXPECT_THAT(effects.all(), IsEmpty());
  TickAfter(seconds(1));
  EXPECT_EQ(OnlyReply().wait, seconds(5));
}

TEST_F(Deadline, HoldsWhileTheQueueIsPaused) {
  Join(1);
  queue.Step(now, input::Pause{}, effects);
  Submit(Due(seconds(5)));
  TickAfter(seconds(5));
  EXPECT_EQ(OnlyReply().outcome, Outcome::kRejected);
}

TEST_F(Deadline, HoldsForJobsBehindAKeyLimit) {
  Join(1, 2);
  JobOptions options = Due(seconds(5));
  options.limit_key = "k";
  Submit(options);
  const JobId parked = Submit(options);
  TickAfter(seconds(5));
  EXPECT_EQ(OnlyReply().job, parked);
  EXPECT_EQ(queue.Stats().key_limited, 0U);
}

TEST_F(Deadline, GangThatMissesItGivesBackWhatItHolds) {
  Join(1);
  const JobId filler = Submit();
  Join(2);
  JobOptions options = Gang(2);
  options.deadline = seconds(5);
  const JobId gang = Submit(options);
  const JobId single = Submit();
  TickAfter(seconds(5));
  EXPECT_EQ(OnlyReply().job, gang);
  EXPECT_THAT(HandedOut(), ElementsAre(filler, single));
}

TEST_F(Deadline, GangThatStartsInTimeMeetsIt) {
  JobOptions options = Gang(2);
  options.deadline = seconds(5);
  const JobId gang = Submit(options);
  now += seconds(1);
  Join(1, 2);
  TickAfter(seconds(10));
  EXPECT_TRUE(queue.Find(now, gang)->running);
}

TEST_F(Deadline, CancelledJobMissesNone) {
  const JobId job = Submit(Due(seconds(5)));
  queue.Step(now, input::Cancel{job}, effects);
  TickAfter(seconds(5));
  EXPECT_EQ(OnlyReply().outcome, Outcome::kCancelled);
}

}  // namespace
}  // namespace twofold::queue
