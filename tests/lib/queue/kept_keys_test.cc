// Keys of attempts that were stopped and may still run, as callers of the queue see them.

#include "tests/lib/queue/gang_fixture.h"

namespace twofold::queue {
namespace {

using testing::ElementsAre;

class KeptKey : public GangTest {
 protected:
  /// A job with these options runs on a process, and is cancelled.
  JobId Cancelled(const JobOptions& options, ProcessKey key = ProcessKey{1}) {
    process = Join(static_cast<std::uint64_t>(key), 10);
    const JobId job = Submit(options);
    EXPECT_TRUE(queue.Find(now, job)->running);
    queue.Step(now, input::Cancel{job}, effects);
    effects.Clear();
    return job;
  }

  bool Runs(JobId job) { return queue.Find(now, job)->running; }

  ProcessId process{};
};

TEST_F(KeptKey, IsFreeWhenTheWorkerSaysThatTheAttemptHasEnded) {
  const JobId first = Cancelled(Limited("k", 1));
  const JobId second = Submit(Limited("k", 1));
  const JobId other = Submit(Limited("other", 1));
  EXPECT_THAT(HandedOut(), ElementsAre(other));
  EXPECT_EQ(queue.Explain(now, second)->reason, WaitReason::kKeyLimit);
  Complete(process, first, 1, Outcome::kCancelled);
  EXPECT_THAT(HandedOut(), ElementsAre(other, second));
}

TEST_F(KeptKey, OfDedupHoldsBackTheNextJobThatHasIt) {
  const JobId first = Cancelled(Dedup("k"));
  const JobId second = Submit(Dedup("k"));
  EXPECT_NE(second, first);
  EXPECT_TRUE(TrySubmit(Dedup("k"), kBob).duplicate) << "of the second";
  EXPECT_FALSE(Runs(second));
  EXPECT_EQ(queue.Explain(now, second)->reason, WaitReason::kKeyHeld);
  EXPECT_EQ(queue.Stats().waiting, 1U);
  EXPECT_EQ(queue.Stats().key_limited, 1U);
  Complete(process, first, 1, Outcome::kCancelled);
  EXPECT_TRUE(Runs(second));
}

TEST_F(KeptKey, IsFreeWhenTheLeaseIsOver) {
  Cancelled(Limited("k", 1));
  Submit(Limited("k", 1));
  TickAfter(seconds(15));
  const ProcessId healthy = Join(2, 10);
  EXPECT_EQ(effects.Of<Assigned>().at(0).process, healthy);
}

TEST_F(KeptKey, IsFreeWhenTheWorkerComesBackWithoutTheAttempt) {
  const JobId first = Cancelled(Dedup("k"));
  const JobId second = Submit(Dedup("k"));
  queue.Step(now, input::WorkerGone{process}, effects);
  Join(1, 10, {{first, 1}});
  EXPECT_FALSE(Runs(second)) << "it has it";
  queue.Step(now, input::WorkerGone{process}, effects);
  Join(1, 10);
  EXPECT_TRUE(Runs(second));
}

TEST_F(KeptKey, OfAWorkerThatIsGoneIsFreeAfterTheGracePeriod) {
  Cancelled(Dedup("k"));
  const JobId second = Submit(Dedup("k"));
  queue.Step(now, input::WorkerGone{process}, effects);
  Join(2, 10);
  EXPECT_FALSE(Runs(second));
  TickAfter(seconds(10));
  EXPECT_TRUE(Runs(second));
}

TEST_F(KeptKey, OfAJobWhoseSubmitterIsGoneIsKept) {
  process = Join(1, 10);
  const JobId first = Submit(Limited("k", 1), kBob);
  const JobId second = Submit(Limited("k", 1));
  queue.Step(now, input::SubmitterGone{kBob}, effects);
  EXPECT_FALSE(Runs(second));
  Complete(process, first, 1, Outcome::kCancelled);
  EXPECT_TRUE(Runs(second));
}

TEST_F(KeptKey, OfAGangIsFreeWhenItsLastMemberHasEnded) {
  process = Join(1, 10);
  JobOptions options = Gang(2);
  options.limit_key = "k";
  const JobId gang = Submit(options);
  const auto members = MembersOf(gang);
  const JobId next = Submit(Limited("k", 1));
  queue.Step(now, input::Cancel{gang}, effects);
  Complete(process, members[1].job, 1, Outcome::kCancelled);
  EXPECT_FALSE(Runs(next));
  Complete(process, members[0].job, 1, Outcome::kCancelled);
  EXPECT_TRUE(Runs(next));
}

TEST_F(KeptKey, GoesWithAJobThatIsCancelledWhileItIsHeldBack) {
  const JobId first = Cancelled(Dedup("k"));
  queue.Step(now, input::Cancel{Submit(Dedup("k"))}, effects);
  EXPECT_EQ(queue.Stats().waiting, 0U);
  const JobId third = Submit(Dedup("k"));
  Complete(process, first, 1, Outcome::kCancelled);
  EXPECT_TRUE(Runs(third));
}

}  // namespace
}  // namespace twofold::queue
