// Durable jobs, and what a queue takes over from an earlier life.

#include "tests/lib/queue/gang_fixture.h"

namespace twofold::queue {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr QueueOptions kSecondLife = {.number = 3, .first_sequence = 1000};

JobId Durable(std::uint64_t sequence) {
  return JobId{std::uint64_t{3} << 56 | kDurableBit | sequence};
}

class QueueRestore : public GangTest {
 protected:
  QueueRestore() : GangTest(kSecondLife) { now += minutes(60); }

  Restored Waiting(std::uint64_t sequence, JobOptions options = {}) {
    options.durable = true;
    return {.job = Durable(sequence),
            .options = std::make_shared<const JobOptions>(options),
            .spec = "spec " + std::to_string(sequence),
            .accepted = now - minutes(1),
            .members = {}};
  }

  Restored Running(std::uint64_t sequence, JobOptions options,
                   std::vector<Restored::Member> members) {
    Restored restored = Waiting(sequence, std::move(options));
    restored.attempts = 1;
    restored.handed_out = now - seconds(30);
    restored.members = std::move(members);
    return restored;
  }

  void Restore(const Restored& restored) { queue.Step(now, input::Restore{restored}, effects); }
};

// ---- Durable jobs

TEST_F(QueueRestore, DurableJobOutlivesItsSubmitter) {
  const JobId job = Submit({.durable = true});
  queue.Step(now, input::SubmitterGone{kAda}, effects);
  Complete(Join(1), job);
  EXPECT_EQ(OnlyReply().submitter, kDetached);
}

TEST_F(QueueRestore, DurableIdsAreNumberedAndNeverRepeat) {
  const JobId first = Submit({.durable = true});
  EXPECT_EQ(first, Durable(1000));
  EXPECT_EQ(QueueNumber(first), 3);
  queue.Step(now, input::Cancel{first}, effects);
  Submit();
  const JobId second = Submit({.durable = true});
  EXPECT_GT(Sequence(second), Sequence(first));
  EXPECT_FALSE(queue.Find(now, first));
}

TEST_F(QueueRestore, MembersOfADurableGangHaveDurableIds) {
  Join(1, 2);
  JobOptions options = Gang(2);
  options.durable = true;
  const JobId gang = Submit(options);
  for (const Assigned& member : MembersOf(gang)) EXPECT_GT(Sequence(member.job), Sequence(gang));
  EXPECT_GT(Sequence(Submit({.durable = true})), Sequence(MembersOf(gang)[1].job));
}

// ---- Waiting ones

TEST_F(QueueRestore, WaitingJobsComeBackInTheirOldOrder) {
  Restore(Waiting(30));
  Restore(Waiting(10));
  Restore(Waiting(20));
  const JobId fresh = Submit({.durable = true});
  Join(1, 10);
  EXPECT_THAT(HandedOut(), ElementsAre(Durable(10), Durable(20), Durable(30), fresh));
  EXPECT_EQ(effects.Of<Assigned>()[0].spec, "spec 10");
}

TEST_F(QueueRestore, AttemptsGoOnFromWhereTheyWere) {
  Restored restored = Waiting(10, {.max_attempts = 3});
  restored.attempts = 5;
  restored.lost_attempts = 2;
  Restore(restored);
  Join(1);
  EXPECT_EQ(effects.Of<Assigned>().at(0).attempt, 6U);
  TickAfter(seconds(15));
  EXPECT_EQ(OnlyReply().reason, "worker lease ran out after 15s of silence, 3 of 3 attempts used");
}

TEST_F(QueueRestore, DelayGoesOn) {
  Restored restored = Waiting(10, {.delay = seconds(30)});
  restored.accepted = now + seconds(5);
  Restore(restored);
  Join(1);
  EXPECT_THAT(HandedOut(), IsEmpty());
  TickAfter(seconds(5));
  EXPECT_THAT(HandedOut(), ElementsAre(Durable(10)));
}

TEST_F(QueueRestore, DeadlineThatPassedMeanwhileIsMissed) {
  Restore(Waiting(10, {.deadline = seconds(30)}));
  EXPECT_EQ(OnlyReply().outcome, Outcome::kRejected);
  EXPECT_EQ(queue.waiting(), 0U);
}

TEST_F(QueueRestore, DeadlineThatPassedMeanwhileIsMissedThoughAWorkerIsThere) {
  Join(1);
  Restore(Waiting(10, {.deadline = seconds(30)}));
  EXPECT_EQ(OnlyReply().outcome, Outcome::kRejected);
  EXPECT_THAT(HandedOut(), IsEmpty());
}

TEST_F(QueueRestore, DeadlineThatAWorkerHadMetStaysMet) {
  Restored restored = Waiting(10, {.deadline = seconds(90)});
  restored.attempts = 1;
  Restore(restored);
  EXPECT_EQ(queue.NextDeadline(), std::nullopt);
  TickAfter(minutes(5));
  const ProcessId process = Join(1);
  EXPECT_TRUE(Complete(process, Durable(10), 2));
  TickAfter(seconds(1));
  EXPECT_EQ(OnlyReply().outcome, Outcome::kSucceeded);
}

TEST_F(QueueRestore, DedupKeyIsKnownAgain) {
  Restore(Waiting(10, {.dedup_key = "k"}));
  EXPECT_EQ(TrySubmit({.dedup_key = "k"}).job, Durable(10));
}

// ---- Running ones

TEST_F(QueueRestore, WorkerThatComesBackKeepsItsAttempt) {
  Restore(Running(10, {}, {{ProcessKey{1}, Durable(10)}}));
  EXPECT_TRUE(queue.Find(now, Durable(10))->running);
  EXPECT_EQ(queue.Find(now, Durable(10))->run_time, seconds(30));
  EXPECT_EQ(queue.NextDeadline(), now + seconds(10));
  EXPECT_EQ(queue.Stats().processes, 0U);
  const ProcessId process = Join(1, 1, {{Durable(10), 1}});
  EXPECT_THAT(effects.all(), IsEmpty());
  EXPECT_TRUE(Complete(process, Durable(10)));
  EXPECT_EQ(OnlyReply().wait, seconds(30));
}

TEST_F(QueueRestore, WorkerThatDoesNotComeBackHasLostItAfterTheGrace) {
  Restore(Running(10, {.max_attempts = 2}, {{ProcessKey{1}, Durable(10)}}));
  TickAfter(seconds(10));
  EXPECT_THAT(effects.Of<PutBack>(), ElementsAre(PutBack{Durable(10), 1, 1}));
  Join(2);
  EXPECT_EQ(effects.Of<Assigned>().at(0).attempt, 2U) << "tokens go on";
  Join(1, 1, {{Durable(10), 1}});
  EXPECT_THAT(effects.Of<Stopped>(), ElementsAre(Stopped{ProcessId{1}, Durable(10), 1}));
}

TEST_F(QueueRestore, AttemptThatNeverGotToItsWorkerIsPutBackAndUsesNoAttempt) {
  Restore(Running(10, {}, {{ProcessKey{1}, Durable(10)}}));
  const ProcessId process = Join(1);
  EXPECT_THAT(effects.Of<PutBack>(), ElementsAre(PutBack{Durable(10), 1, 0}));
  EXPECT_THAT(effects.Of<Assigned>(), ElementsAre(Assigned{process, Durable(10), 2, "spec 10"}));
  EXPECT_THAT(effects.Of<Replied>(), IsEmpty());
}

TEST_F(QueueRestore, GangIsPutBackWhenOneOfItsMembersNeverGotToItsWorker) {
  Restore(Running(10, Gang(2), {{ProcessKey{1}, Durable(11)}, {ProcessKey{2}, Durable(12)}}));
  const ProcessId first = Join(1, 1, {{Durable(11), 1}});
  Join(2);
  EXPECT_THAT(effects.Of<Stopped>(), ElementsAre(Stopped{first, Durable(11), 1}));
  EXPECT_THAT(effects.Of<PutBack>(), ElementsAre(PutBack{Durable(10), 1, 0}));
  Complete(first, Durable(11), 1, Outcome::kCancelled);
  EXPECT_EQ(queue.Stats().running, 1U);
}

TEST_F(QueueRestore, OneProcessMayHaveRunSeveral) {
  Restore(Running(10, {}, {{ProcessKey{1}, Durable(10)}}));
  Restore(Running(11, {}, {{ProcessKey{1}, Durable(11)}}));
  const ProcessId process = Join(1, 2, {{Durable(10), 1}, {Durable(11), 1}});
  EXPECT_TRUE(Complete(process, Durable(10)));
  EXPECT_TRUE(Complete(process, Durable(11)));
}

TEST_F(QueueRestore, GangGoesOnWhenAllItsMembersComeBack) {
  Restore(Running(10, Gang(2), {{ProcessKey{1}, Durable(11)}, {ProcessKey{2}, Durable(12)}}));
  EXPECT_EQ(queue.Stats().running, 1U);
  EXPECT_EQ(queue.Stats().wanted_workers, 2U);
  const ProcessId first = Join(1, 1, {{Durable(11), 1}});
  const ProcessId second = Join(2, 1, {{Durable(12), 1}});
  EXPECT_THAT(effects.all(), IsEmpty());
  EXPECT_TRUE(queue.Step(now, input::MemberReady{first, {Durable(11), 1}}, effects));
  EXPECT_TRUE(queue.Step(now, input::MemberReady{second, {Durable(12), 1}}, effects));
  EXPECT_EQ(effects.Of<LetGo>().size(), 2U);
  EXPECT_TRUE(Complete(first, Durable(11)));
  EXPECT_EQ(OnlyReply().job, Durable(10));
  EXPECT_THAT(effects.Of<Stopped>(), ElementsAre(Stopped{second, Durable(12), 1}));
}

TEST_F(QueueRestore, GangIsLostWhenOneOfItsMembersDoesNotComeBack) {
  Restore(Running(10, Gang(2), {{ProcessKey{1}, Durable(11)}, {ProcessKey{2}, Durable(12)}}));
  const ProcessId first = Join(1, 1, {{Durable(11), 1}});
  TickAfter(seconds(10));
  EXPECT_EQ(OnlyReply().reason,
            "rank 1: worker did not come back within 10s, 1 of 1 attempts used");
  EXPECT_THAT(effects.Of<Stopped>(), ElementsAre(Stopped{first, Durable(11), 1}));
}

TEST_F(QueueRestore, KeyLimitHoldsInWhateverOrderJobsAreRestored) {
  JobOptions limited;
  limited.limit_key = "k";
  Restore(Waiting(11, limited));
  Restore(Running(10, limited, {{ProcessKey{1}, Durable(10)}}));
  const ProcessId process = Join(1, 5, {{Durable(10), 1}});
  EXPECT_THAT(HandedOut(), IsEmpty()) << "the other one runs";
  Complete(process, Durable(10));
  EXPECT_THAT(HandedOut(), ElementsAre(Durable(11)));
}

TEST_F(QueueRestore, LeastKeyLimitCountsInWhateverOrderJobsAreRestored) {
  JobOptions limited;
  limited.limit_key = "k";
  limited.key_limit = 2;
  Restore(Waiting(12, limited));
  limited.key_limit = 1;
  Restore(Waiting(11, limited));
  Join(1, 5);
  EXPECT_THAT(HandedOut(), ElementsAre(Durable(11)));
}

// ---- Volatile jobs that another frontend has left

TEST_F(QueueRestore, VolatileJobGoesOnUnderItsId) {
  Queue before({.number = 3, .first_generation = 77});
  RecordingEffects ignored;
  const auto submit = [&] {
    return before
        .Step(now, input::Submit{kDetached, 0, std::make_shared<const JobOptions>(), "spec"},
              ignored)
        .job;
  };
  const JobId first = submit();
  const JobId second = submit();
  now += minutes(2);
  for (const JobId job : {first, second}) Restore(*before.Save(job));
  const JobId own = Submit();
  EXPECT_EQ(queue.Find(now, first)->wait, minutes(2));
  const ProcessId process = Join(1);
  for (const JobId job : {first, second, own}) Complete(process, job);
  EXPECT_EQ(HandedOut(), (std::vector{first, second, own}));
  EXPECT_EQ(effects.Of<Replied>().front().submitter, kDetached);
  EXPECT_FALSE(queue.Find(now, first));
}

TEST_F(QueueRestore, VolatileJobThatRunsWaitsForItsProcess) {
  Queue before({.number = 3, .first_generation = 77});
  RecordingEffects ignored;
  before.Step(now, input::WorkerJoined{.key = ProcessKey{8}}, ignored);
  const JobId job =
      before
          .Step(now, input::Submit{kDetached, 0, std::make_shared<const JobOptions>(), ""}, ignored)
          .job;
  Restore(*before.Save(job));
  const ProcessId process = Join(8, 1, {{job, 1}});
  EXPECT_THAT(HandedOut(), IsEmpty());
  EXPECT_TRUE(Complete(process, job));
  EXPECT_EQ(OnlyReply().outcome, Outcome::kSucceeded);
}

TEST_F(QueueRestore, DelayedKeyedVolatileJobKeepsItsTimeAndItsKeys) {
  Queue before({.number = 3, .first_generation = 77});
  RecordingEffects ignored;
  const auto options = std::make_shared<const JobOptions>(
      JobOptions{.dedup_key = "d", .delay = minutes(5), .limit_key = "k"});
  const JobId job = before.Step(now, input::Submit{kDetached, 0, options, ""}, ignored).job;
  now += minutes(1);
  Restore(*before.Save(job));
  EXPECT_EQ(queue.Explain(now, job)->in, minutes(4));
  const Submitted again = TrySubmit(*options);
  EXPECT_TRUE(again.duplicate);
  EXPECT_EQ(again.job, job);
}

TEST_F(QueueRestore, WhatIsNotThereIsNotSaved) {
  const JobId job = Submit();
  queue.Step(now, input::Cancel{job}, effects);
  EXPECT_FALSE(queue.Save(job));
}

}  // namespace
}  // namespace twofold::queue
