// Gangs that run: how they start, the barrier, and how they end. How they get their workers is in
// gathering_gangs_test.cc.

#include "tests/lib/queue/gang_fixture.h"

namespace twofold::queue {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class QueueGangs : public GangTest {
 protected:
  /// A gang that runs, each member in a process of its own.
  std::vector<Assigned> Run(const JobOptions& options) {
    for (std::uint64_t key = 1; key <= options.gang.size; ++key) Join(key);
    gang = Submit(options);
    std::vector<Assigned> members = MembersOf(gang);
    EXPECT_EQ(members.size(), options.gang.size);
    effects.Clear();
    return members;
  }

  JobId gang{0};
};

// ---- Start

TEST_F(QueueGangs, MemberKnowsItsRankAndAllOthers) {
  const auto members = Run(Gang(3));
  for (std::uint32_t rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(members[rank].rank, rank);
    EXPECT_EQ(members[rank].gang, gang);
    EXPECT_EQ(members[rank].attempt, 1U);
    EXPECT_EQ(members[rank].spec, "spec");
    EXPECT_THAT(members[rank].members, ElementsAre(members[0].job, members[1].job, members[2].job));
  }
}

TEST_F(QueueGangs, GangIsOneRunningJobAndItsMembersAreNoJobsForPeople) {
  const auto members = Run(Gang(3));
  EXPECT_EQ(queue.Stats().running, 1U);
  EXPECT_EQ(queue.Stats().workers_busy, 3U);
  EXPECT_FALSE(queue.Find(now, members[1].job));
  EXPECT_FALSE(queue.Step(now, input::Cancel{members[1].job}, effects));
  std::vector<JobId> listed;
  queue.List(now, {.limit = 10}, [&](const JobView& view) { listed.push_back(view.job); });
  EXPECT_THAT(listed, ElementsAre(gang));
}

TEST_F(QueueGangs, FindShowsWhereTheMembersAreThatStillRun) {
  const auto members = Run(Gang(3));
  End(members[1]);
  const JobView view = *queue.Find(now, gang);
  EXPECT_EQ(view.process, members[0].process);
  ASSERT_EQ(view.members.size(), 2U);
  EXPECT_EQ(view.members[0].job, members[0].job);
  EXPECT_EQ(view.members[1].job, members[2].job);
}

TEST_F(QueueGangs, GangOfOneOrNoneIsASingleJob) {
  Join(1, 2);
  Submit(Gang(1));
  Submit(Gang(0));
  EXPECT_EQ(queue.Stats().wanted_workers, 2U);
  for (const Assigned& assigned : effects.Of<Assigned>()) EXPECT_EQ(assigned.gang, JobId{0});
  EXPECT_EQ(HandedOut().size(), 2U);
}

// ---- Barrier

TEST_F(QueueGangs, AllGoWhenTheLastIsReady) {
  const auto members = Run(Gang(3));
  EXPECT_TRUE(Ready(members[2]));
  EXPECT_TRUE(Ready(members[0]));
  EXPECT_THAT(effects.all(), IsEmpty());
  EXPECT_TRUE(Ready(members[1]));
  EXPECT_THAT(effects.Of<LetGo>(),
              ElementsAre(GoOf(members[0]), GoOf(members[1]), GoOf(members[2])));
}

TEST_F(QueueGangs, MemberThatIsReadyTwiceCountsOnce) {
  const auto members = Run(Gang(2));
  Ready(members[0]);
  Ready(members[0]);
  EXPECT_THAT(effects.all(), IsEmpty());
}

TEST_F(QueueGangs, MemberThatComesBackGoesWhenItSaysThatItIsReady) {
  const auto members = Run(Gang(2));
  Ready(members[1]);
  queue.Step(now, input::WorkerGone{members[1].process}, effects);
  Ready(members[0]);
  EXPECT_THAT(effects.Of<LetGo>(), ElementsAre(GoOf(members[0]))) << "the other hears nothing";
  effects.Clear();
  Join(2, 1, {HeldOf(members[1])});
  EXPECT_THAT(effects.all(), IsEmpty());
  Ready(members[1]);
  EXPECT_THAT(effects.all(), ElementsAre(Recorded(GoOf(members[1]))));
}

TEST_F(QueueGangs, MemberThatEndsBeforeTheStartKeepsNobodyWaiting) {
  const auto members = Run(Gang(3));
  Ready(members[0]);
  End(members[1]);
  EXPECT_THAT(effects.all(), IsEmpty());
  Ready(members[2]);
  EXPECT_THAT(effects.Of<LetGo>(), ElementsAre(GoOf(members[0]), GoOf(members[2])));
}

TEST_F(QueueGangs, LastToEndBeforeTheStartLetsTheOthersGo) {
  const auto members = Run(Gang(3));
  Ready(members[0]);
  Ready(members[2]);
  End(members[1]);
  EXPECT_THAT(effects.Of<LetGo>(), ElementsAre(GoOf(members[0]), GoOf(members[2])));
}

TEST_F(QueueGangs, ReadyIsForMembersOfAnAttemptThatCounts) {
  const auto members = Run(Gang(2));
  const ProcessId other = Join(9);
  const JobId single = Submit();
  EXPECT_FALSE(queue.Step(now, input::MemberReady{other, {single, 1}}, effects));
  EXPECT_FALSE(queue.Step(now, input::MemberReady{members[0].process, {gang, 1}}, effects));
  EXPECT_FALSE(
      queue.Step(now, input::MemberReady{members[0].process, HeldOf(members[1])}, effects));
  EXPECT_FALSE(
      queue.Step(now, input::MemberReady{members[0].process, {members[0].job, 2}}, effects));
  EXPECT_FALSE(queue.Step(now, input::MemberReady{ProcessId{77}, HeldOf(members[0])}, effects));
  EXPECT_THAT(effects.Of<LetGo>(), IsEmpty());
}

TEST_F(QueueGangs, ReadyIsASignOfLife) {
  const auto members = Run(Gang(2));
  now += seconds(10);
  Ready(members[0]);
  Ready(members[1]);
  TickAfter(seconds(14));
  EXPECT_EQ(queue.Stats().running, 1U);
}

// ---- End

TEST_F(QueueGangs, RankZeroSpeaksForAllAndTheOthersAreStopped) {
  const auto members = Run(Gang(3));
  now += seconds(4);
  queue.Step(now,
             input::Completed{members[0].process,
                              {.job = members[0].job,
                               .attempt = 1,
                               .outcome = Outcome::kSucceeded,
                               .run_time = seconds(3),
                               .report = "report"}},
             effects);
  EXPECT_THAT(effects.Of<Stopped>(), ElementsAre(StopOf(members[1]), StopOf(members[2])));
  EXPECT_EQ(OnlyReply(),
            (Replied{kAda, last_tag, gang, Outcome::kSucceeded, 1, true, members[0].process,
                     seconds(0), seconds(3), seconds(4), "report", "", 0}));
  EXPECT_EQ(queue.Stats().workers_busy, 2U) << "the others have not answered yet";
}

TEST_F(QueueGangs, SlotOfAStoppedMemberIsFreeWhenItAnswers) {
  const auto members = Run(Gang(2));
  End(members[0]);
  const JobId next = Submit();
  const JobId last = Submit();
  EXPECT_THAT(HandedOut(), ElementsAre(next));
  EXPECT_FALSE(End(members[1], Outcome::kCancelled));
  EXPECT_THAT(HandedOut(), ElementsAre(next, last));
  EXPECT_EQ(queue.Stats().refused_results, 0U);
}

TEST_F(QueueGangs, OtherMembersMayEndBeforeRankZero) {
  const auto members = Run(Gang(3));
  EXPECT_TRUE(End(members[2]));
  EXPECT_TRUE(End(members[1]));
  EXPECT_THAT(effects.all(), IsEmpty());
  EXPECT_EQ(queue.Stats().workers_busy, 1U);
  End(members[0]);
  EXPECT_THAT(effects.Of<Stopped>(), IsEmpty());
  EXPECT_EQ(OnlyReply().outcome, Outcome::kSucceeded);
}

TEST_F(QueueGangs, WorkerThatVanishesAfterItsMemberHasEndedHarmsNobody) {
  const auto members = Run(Gang(2));
  End(members[1]);
  queue.Step(now, input::WorkerGone{members[1].process}, effects);
  TickAfter(seconds(11));
  EXPECT_TRUE(End(members[0]));
  EXPECT_EQ(OnlyReply().outcome, Outcome::kSucceeded);
}

TEST_F(QueueGangs, MemberThatFailsEndsTheGangAndIsNamed) {
  const auto members = Run(Gang(3, 5U));
  End(members[2], Outcome::kTimedOut);
  EXPECT_THAT(effects.Of<Stopped>(), ElementsAre(StopOf(members[0]), StopOf(members[1])));
  EXPECT_EQ(OnlyReply().outcome, Outcome::kTimedOut);
  EXPECT_EQ(OnlyReply().rank, 2U);
  EXPECT_EQ(OnlyReply().process, members[2].process);
}

TEST_F(QueueGangs, CancelReachesAllMembers) {
  const auto members = Run(Gang(3));
  EXPECT_TRUE(queue.Step(now, input::Cancel{gang}, effects));
  EXPECT_THAT(effects.Of<Stopped>(),
              ElementsAre(StopOf(members[0]), StopOf(members[1]), StopOf(members[2])));
  EXPECT_EQ(OnlyReply().outcome, Outcome::kCancelled);
  EXPECT_FALSE(Ready(members[0]));
}

TEST_F(QueueGangs, GangOfAGoneSubmitterIsStopped) {
  const auto members = Run(Gang(2));
  queue.Step(now, input::SubmitterGone{kAda}, effects);
  EXPECT_THAT(effects.all(),
              ElementsAre(Recorded(StopOf(members[0])), Recorded(StopOf(members[1]))));
  EXPECT_EQ(queue.Stats().running, 0U);
  EXPECT_EQ(queue.Stats().wanted_workers, 0U);
}

// ---- Loss

TEST_F(QueueGangs, MemberLostWithItsLeaseStopsTheOthersAndTheGangIsTriedAgain) {
  const auto members = Run(Gang(2, 2U));
  now += seconds(5);
  queue.Step(now, input::Renewed{members[0].process}, effects);
  TickAfter(seconds(10));
  EXPECT_THAT(effects.Of<Stopped>(), ElementsAre(StopOf(members[1]), StopOf(members[0])));
  EXPECT_THAT(effects.Of<PutBack>(), ElementsAre(PutBack{gang, 1, 1}));
  EXPECT_THAT(effects.Of<Replied>(), IsEmpty());
  Join(3);
  EXPECT_FALSE(Started(gang)) << "rank 0 still occupies its slot";
  End(members[0], Outcome::kCancelled);
  ASSERT_TRUE(Started(gang));
  EXPECT_EQ(MembersOf(gang)[0].attempt, 2U);
}

TEST_F(QueueGangs, LossNamesTheRankAndTheReason) {
  const auto members = Run(Gang(2));
  queue.Step(now, input::WorkerGone{members[1].process}, effects);
  TickAfter(seconds(10));
  EXPECT_EQ(OnlyReply().outcome, Outcome::kLost);
  EXPECT_EQ(OnlyReply().process, members[1].process);
  EXPECT_EQ(OnlyReply().reason,
            "rank 1: worker did not come back within 10s, 1 of 1 attempts used");
}

TEST_F(QueueGangs, WorkerThatComesBackWithoutItsMemberLosesTheGang) {
  const auto members = Run(Gang(2));
  Join(2);  // comes with empty hands; the job is volatile
  EXPECT_EQ(OnlyReply().reason, "rank 1: worker came back without it, 1 of 1 attempts used");
  EXPECT_THAT(effects.Of<Stopped>(), ElementsAre(StopOf(members[0])));
}

TEST_F(QueueGangs, HandedBackMemberPutsTheGangBackAndUsesNoAttempt) {
  const auto members = Run(Gang(2));
  HandBack(members[1].process, members[1].job);
  EXPECT_THAT(effects.Of<Stopped>(), ElementsAre(StopOf(members[0])));
  EXPECT_THAT(effects.Of<PutBack>(), ElementsAre(PutBack{gang, 1, 0}));
  End(members[0], Outcome::kCancelled);
  EXPECT_TRUE(Started(gang));
}

TEST_F(QueueGangs, LeavingWorkerPutsTheGangBack) {
  const auto members = Run(Gang(2));
  queue.Step(now, input::WorkerLeft{members[0].process}, effects);
  EXPECT_THAT(effects.Of<PutBack>(), ElementsAre(PutBack{gang, 1, 0}));
  EXPECT_THAT(effects.Of<Stopped>(), ElementsAre(StopOf(members[1])));
  EXPECT_THAT(effects.Of<Replied>(), IsEmpty());
}

TEST_F(QueueGangs, TwoMembersInOneProcessAreLostTogetherAsOneAttempt) {
  const ProcessId process = Join(1, 2);
  const JobId job = Submit(Gang(2, 2U));
  EXPECT_EQ(MembersOf(job).size(), 2U);
  queue.Step(now, input::WorkerGone{process}, effects);
  effects.Clear();
  TickAfter(seconds(10));
  EXPECT_THAT(effects.all(), ElementsAre(Recorded(PutBack{job, 1, 1}), Recorded(Removed{process})));
}

TEST_F(QueueGangs, ProcessThatLeavesOrComesBackIsToldNothingOnItsOldStream) {
  const ProcessId process = Join(1, 2);
  const JobId job = Submit(Gang(2));
  const auto members = MembersOf(job);
  effects.Clear();
  Join(1, 2, {HeldOf(members[1])});
  EXPECT_THAT(effects.Of<Stopped>(), ElementsAre(StopOf(members[1]))) << "once, on the new one";
  const JobId other = Submit(Gang(2));
  EXPECT_FALSE(End(members[1], Outcome::kCancelled));
  ASSERT_TRUE(Started(other));
  effects.Clear();
  queue.Step(now, input::WorkerLeft{process}, effects);
  EXPECT_THAT(effects.Of<Stopped>(), IsEmpty());
}

TEST_F(QueueGangs, MemberWithoutAGangIsStoppedWhenItsProcessComesBack) {
  const auto members = Run(Gang(2));
  queue.Step(now, input::WorkerGone{members[1].process}, effects);
  End(members[0]);
  EXPECT_THAT(effects.Of<Stopped>(), IsEmpty());
  Join(2, 1, {HeldOf(members[1])});
  EXPECT_THAT(effects.Of<Stopped>(), ElementsAre(StopOf(members[1])));
}

TEST_F(QueueGangs, MemberOfAnOldAttemptIsRefused) {
  const auto old = Run(Gang(2, 2U));
  HandBack(old[0].process, old[0].job);
  End(old[1], Outcome::kCancelled);
  ASSERT_TRUE(Started(gang));
  EXPECT_FALSE(End(old[1]));
  EXPECT_FALSE(Ready(old[0]));
  EXPECT_THAT(effects.Of<Replied>(), IsEmpty());
}

TEST_F(QueueGangs, WantedWorkersCountAllSlotsOfGangs) {
  const JobId big = Submit(Gang(5));
  EXPECT_EQ(queue.Stats().wanted_workers, 5U);
  Submit();
  EXPECT_EQ(queue.Stats().wanted_workers, 6U);
  for (std::uint64_t key = 1; key <= 6; ++key) Join(key);
  EXPECT_EQ(queue.Stats().running, 2U);
  EXPECT_EQ(queue.Stats().wanted_workers, 6U);
  End(MembersOf(big)[0]);
  EXPECT_EQ(queue.Stats().wanted_workers, 1U);
}

TEST_F(QueueGangs, APausedQueueWantsOnlyWhatRuns) {
  Submit(Gang(2));
  Join(1);
  Join(2);
  Submit(Gang(5));
  Submit();
  EXPECT_EQ(queue.Stats().wanted_workers, 8U);
  queue.Step(now, input::Pause{}, effects);
  EXPECT_EQ(queue.Stats().wanted_workers, 2U);
  queue.Step(now, input::Resume{}, effects);
  EXPECT_EQ(queue.Stats().wanted_workers, 8U);
}

TEST_F(QueueGangs, ACancelledGangSaysHowLongItRan) {
  const auto members = Run(Gang(2));
  now += seconds(3);
  queue.Step(now, input::Cancel{gang}, effects);
  EXPECT_EQ(OnlyReply().run_time, seconds(3));
}

}  // namespace
}  // namespace twofold::queue
