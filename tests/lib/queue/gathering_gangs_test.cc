// How gangs get their workers: rule 3 of docs/architecture.md.

#include "tests/lib/queue/gang_fixture.h"

namespace twofold::queue {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class Rule3Gangs : public GangTest {
 protected:
  std::vector<std::string> NodesOf(JobId gang) const {
    std::vector<std::string> nodes;
    for (const Assigned& member : MembersOf(gang)) {
      nodes.push_back(*queue.FindProcess(member.process)->node->name);
    }
    return nodes;
  }

  std::uint64_t Reserved() const { return queue.Stats().workers_reserved; }
};

TEST_F(Rule3Gangs, AllMembersStartInOneStepOrNone) {
  const JobId gang = Submit(Gang(3));
  Join(1);
  Join(2);
  EXPECT_THAT(HandedOut(), IsEmpty());
  EXPECT_EQ(Reserved(), 0U) << "two workers will never do";
  Join(3);
  EXPECT_EQ(MembersOf(gang).size(), 3U);
  EXPECT_EQ(Reserved(), 0U);
}

TEST_F(Rule3Gangs, FreeSlotsAreHeldUntilThereAreEnough) {
  const ProcessId first = Join(1);
  Join(2);
  const JobId single = Submit();
  const JobId gang = Submit(Gang(2));
  const JobId behind = Submit();
  EXPECT_EQ(Reserved(), 1U);
  EXPECT_EQ(queue.Stats().gangs_waiting, 1U);
  EXPECT_THAT(HandedOut(), ElementsAre(single));
  Complete(first, single);
  EXPECT_TRUE(Started(gang));
  EXPECT_EQ(queue.waiting(), 1U);
  EXPECT_FALSE(queue.Find(now, behind)->running);
}

TEST_F(Rule3Gangs, WhatIsHeldGoesToAJobThatComesLaterAndGoesFirst) {
  const ProcessId busy = Join(1);
  const JobId single = Submit();
  Join(2, 2);
  const JobId gang = Submit(Gang(3));
  ASSERT_EQ(Reserved(), 2U);
  const JobId equal = Submit();
  EXPECT_FALSE(queue.Find(now, equal)->running);
  const JobId urgent = Submit({.priority = 1});
  EXPECT_TRUE(queue.Find(now, urgent)->running);
  EXPECT_EQ(Reserved(), 1U) << "not more than it needs";
  Complete(busy, single);
  EXPECT_FALSE(Started(gang)) << "one is lacking still";
  EXPECT_EQ(Reserved(), 2U);
}

TEST_F(Rule3Gangs, WhatIsHeldGoesToAnUrgentJobOnlyIfItSuitsIt) {
  JoinOn("a", 1, 1);
  const JobId single = Submit();
  JoinOn("b", 2, 1);
  Submit(Gang(2));
  ASSERT_EQ(Reserved(), 1U);
  const JobId elsewhere = Submit({.priority = 1, .placement = "node a\n"});
  EXPECT_EQ(Reserved(), 1U);
  const JobId here = Submit({.priority = 1, .placement = "node b\n"});
  EXPECT_TRUE(queue.Find(now, here)->running);
  EXPECT_EQ(Reserved(), 0U);
  EXPECT_THAT(HandedOut(), ElementsAre(single, here));
  EXPECT_FALSE(queue.Find(now, elsewhere)->running);
}

TEST_F(Rule3Gangs, WhatIsHeldGoesToAGangThatComesLaterAndGoesFirst) {
  Join(1);
  const JobId single = Submit();
  Join(2, 2);
  const JobId large = Submit(Gang(3));
  ASSERT_EQ(Reserved(), 2U);
  JobOptions urgent = Gang(2);
  urgent.priority = 1;
  const JobId small = Submit(urgent);
  EXPECT_TRUE(Started(small));
  EXPECT_EQ(Reserved(), 0U);
  EXPECT_FALSE(Started(large));
  EXPECT_TRUE(queue.Find(now, single)->running);
}

TEST_F(Rule3Gangs, WhoWaitsBesideHeldSlotsIsToldWhoHoldsThem) {
  Join(1);
  Submit();
  Join(2);
  const JobId gang = Submit(Gang(2));
  const JobId behind = Submit();
  const Explanation why = *queue.Explain(now, behind);
  EXPECT_EQ(why.reason, WaitReason::kBehind);
  EXPECT_EQ(why.ahead, 1U);
  EXPECT_EQ(why.held_by, gang);
  EXPECT_EQ(why.held, 1U);
  EXPECT_EQ(queue.Explain(now, gang)->held, 0U) << "they are its own";
}

TEST_F(Rule3Gangs, MembersShareAProcessIfTheyMay) {
  Join(1, 4);
  const JobId gang = Submit(Gang(4));
  EXPECT_EQ(MembersOf(gang).size(), 4U);
}

TEST_F(Rule3Gangs, MembersAreOnDistinctNodesIfAsked) {
  JoinOn("a", 1, 4);
  JoinOn("a", 2, 4);
  JoinOn("b", 3, 4);
  const JobId gang = Submit(Gang(3, Spread::kNode));
  EXPECT_FALSE(Started(gang));
  EXPECT_EQ(queue.Explain(now, gang)->short_of, 1U);
  JoinOn("c", 4);
  EXPECT_THAT(NodesOf(gang), ElementsAre("a", "b", "c"));
}

TEST_F(Rule3Gangs, GangsOnDistinctNodesPreferTheSameNodes) {
  JoinOn("c", 1);
  JoinOn("b", 2);
  JoinOn("a", 3);
  const JobId first = Submit(Gang(2, Spread::kNode));
  EXPECT_THAT(NodesOf(first), ElementsAre("a", "b"));
  for (const Assigned& member : MembersOf(first)) End(member);
  const JobId second = Submit(Gang(2, Spread::kNode));
  EXPECT_THAT(NodesOf(second), ElementsAre("a", "b"));
  const JobId beside = Submit(Gang(2, Spread::kNode));
  EXPECT_FALSE(Started(beside));
}

TEST_F(Rule3Gangs, SlotsOfANodeThatIsHeldAlreadyServeSingleJobs) {
  const ProcessId far = JoinOn("b", 3);
  const JobId filler = Submit();
  JoinOn("a", 1, 2);
  const JobId gang = Submit(Gang(2, Spread::kNode));
  const JobId single = Submit();
  EXPECT_THAT(HandedOut(), ElementsAre(filler, single));
  Complete(far, filler);
  EXPECT_EQ(MembersOf(gang).size(), 2U);
}

TEST_F(Rule3Gangs, WorkersWithoutANodeNameShareOne) {
  Join(1);
  Join(2);
  EXPECT_FALSE(Started(Submit(Gang(2, Spread::kNode))));
}

TEST_F(Rule3Gangs, TwoGangsThatWantAllWorkersRunOneAfterTheOther) {
  for (std::uint64_t key = 1; key <= 4; ++key) Join(key);
  std::vector<JobId> singles;
  for (int i = 0; i < 4; ++i) singles.push_back(Submit());
  const JobId first = Submit(Gang(4));
  const JobId second = Submit(Gang(4));
  const auto running = effects.Of<Assigned>();
  for (const Assigned& single : running) Complete(single.process, single.job);
  ASSERT_TRUE(Started(first));
  EXPECT_FALSE(Started(second));
  for (const Assigned& member : MembersOf(first)) End(member);
  EXPECT_TRUE(Started(second));
}

TEST_F(Rule3Gangs, OnlyOneGangHoldsSlots) {
  const ProcessId busy = Join(1);
  const JobId single = Submit();
  for (std::uint64_t key = 2; key <= 4; ++key) Join(key);
  const JobId first = Submit(Gang(4));
  const JobId small = Submit(Gang(2));
  EXPECT_EQ(Reserved(), 3U);
  EXPECT_FALSE(Started(small)) << "the first one has what it would need";
  Complete(busy, single);
  EXPECT_TRUE(Started(first));
}

TEST_F(Rule3Gangs, ImpossibleGangIsPassedBySinglesAndBySmallerGangs) {
  Join(1);
  Join(2);
  const JobId big = Submit(Gang(3));
  const JobId small = Submit(Gang(2));
  ASSERT_TRUE(Started(small));
  for (const Assigned& member : MembersOf(small)) End(member);
  const JobId single = Submit();
  EXPECT_TRUE(queue.Find(now, single)->running);
  EXPECT_EQ(queue.Explain(now, big)->reason, WaitReason::kGangShort);
  EXPECT_EQ(queue.Explain(now, big)->short_of, 1U);
}

TEST_F(Rule3Gangs, WhatIsHeldTooLongIsGivenBackAndTheNextTryHoldsTwiceAsLong) {
  const ProcessId busy = Join(1);
  const JobId filler = Submit();
  const ProcessId other = Join(2);
  const JobId gang = Submit(Gang(2, Spread::kAny, seconds(8)));
  JobId single = Submit();
  const auto alive = [&] {
    queue.Step(now, input::Renewed{busy}, effects);
    queue.Step(now, input::Renewed{other}, effects);
  };
  for (const int patience : {8, 16, 32}) {
    EXPECT_EQ(Reserved(), 1U);
    EXPECT_FALSE(queue.Find(now, single)->running);
    for (int second = 0; second < patience; ++second) {
      EXPECT_EQ(Reserved(), 1U) << second << " of " << patience;
      TickAfter(seconds(1));
      alive();
    }
    EXPECT_EQ(Reserved(), 0U);
    EXPECT_TRUE(queue.Find(now, single)->running);
    for (int second = 0; second < patience; ++second) {  // the others' turn lasts as long
      const JobId next = Submit();
      Complete(other, single);
      EXPECT_EQ(HandedOut().back(), next);
      single = next;
      TickAfter(seconds(1));
      alive();
    }
    const JobId next = Submit();
    Complete(other, single);
    single = next;
  }
  Complete(busy, filler);
  EXPECT_TRUE(Started(gang));
}

TEST_F(Rule3Gangs, NextTryIsNotForgottenWhenAnUrgentJobPassesAtItsTime) {
  Join(1);
  Submit();
  const ProcessId other = Join(2);
  Submit(Gang(2, Spread::kAny, seconds(1)));
  const JobId first = Submit();
  TickAfter(seconds(1));
  JobOptions urgent;
  urgent.priority = 1;
  const JobId second = Submit();
  Complete(other, first);  // the gang is asked and lets it pass
  TickAfter(seconds(1));
  const JobId third = Submit(urgent);
  Submit();
  Complete(other, second);
  EXPECT_TRUE(queue.Find(now, third)->running);
  Complete(other, third);
  EXPECT_EQ(Reserved(), 1U);
}

TEST_F(Rule3Gangs, TickIsAskedForWhenPatienceEnds) {
  Join(1);
  Submit();
  Join(2);
  Submit(Gang(2, Spread::kAny, seconds(1)));
  EXPECT_EQ(queue.NextDeadline(), now + seconds(1));
}

TEST_F(Rule3Gangs, GangThatLetsOthersPassGoesOnWhenThereAreNone) {
  const ProcessId busy = Join(1);
  const JobId filler = Submit();
  Join(2);
  const JobId gang = Submit(Gang(2, Spread::kAny, seconds(1)));
  TickAfter(seconds(1));
  EXPECT_EQ(Reserved(), 1U);
  EXPECT_EQ(queue.NextDeadline(), now + seconds(2)) << "it holds for twice as long";
  Complete(busy, filler);
  EXPECT_TRUE(Started(gang));
}

TEST_F(Rule3Gangs, NextTryThatIsDueWhileAllAreBusyAsksForNoTick) {
  Join(1);
  Submit();
  const ProcessId other = Join(2);
  Submit(Gang(2, Spread::kAny, seconds(1)));
  Submit();
  TickAfter(seconds(1));
  EXPECT_EQ(queue.Stats().workers_idle, 0U);
  TickAfter(seconds(1));
  EXPECT_GT(queue.NextDeadline(), now) << "a ticker would spin";
  queue.Step(now, input::Pause{}, effects);
  Complete(other, HandedOut().back());
  EXPECT_GT(queue.NextDeadline(), now);
}

TEST_F(Rule3Gangs, GangThatHasBecomeImpossibleGivesBackAtOnceThoughNobodyElseIsIdle) {
  const ProcessId busy = Join(1);
  Submit();
  Join(2);
  Submit(Gang(2));
  const JobId single = Submit();
  EXPECT_EQ(Reserved(), 1U);
  queue.Step(now, input::WorkerDraining{busy}, effects);
  EXPECT_EQ(Reserved(), 0U);
  EXPECT_TRUE(queue.Find(now, single)->running);
}

TEST_F(Rule3Gangs, HeldSlotOfAProcessThatGoesIsReplaced) {
  Join(1);
  const JobId filler = Submit();
  const ProcessId held = Join(2);
  const JobId gang = Submit(Gang(2));
  queue.Step(now, input::WorkerGone{held}, effects);
  EXPECT_EQ(Reserved(), 0U);
  Join(3);
  EXPECT_EQ(Reserved(), 1U);
  Complete(ProcessId{0}, filler);
  EXPECT_TRUE(Started(gang));
}

TEST_F(Rule3Gangs, PausedDrainingAndSilentProcessesAreNotHeld) {
  Join(1, 4);
  for (int i = 0; i < 2; ++i) Submit();
  const ProcessId process = Join(2);
  Join(3);
  Submit(Gang(5));
  EXPECT_EQ(Reserved(), 4U);
  queue.Step(now, input::PauseWorker{process, true}, effects);
  EXPECT_EQ(Reserved(), 3U);
  queue.Step(now, input::PauseWorker{process, false}, effects);
  EXPECT_EQ(Reserved(), 4U);
  queue.Step(now, input::WorkerDraining{process}, effects);
  EXPECT_EQ(Reserved(), 3U);
  TickAfter(seconds(15));
  EXPECT_EQ(Reserved(), 0U);
}

TEST_F(Rule3Gangs, CancelledGangGivesBackWhatItHolds) {
  Join(1);
  Submit();
  Join(2);
  const JobId gang = Submit(Gang(2));
  const JobId single = Submit();
  EXPECT_TRUE(queue.Step(now, input::Cancel{gang}, effects));
  EXPECT_EQ(Reserved(), 0U);
  EXPECT_TRUE(queue.Find(now, single)->running);
  EXPECT_EQ(queue.Stats().wanted_workers, 2U);
}

TEST_F(Rule3Gangs, SingleJobOfHigherPriorityGoesBeforeTheGang) {
  const ProcessId process = Join(1);
  const JobId filler = Submit();
  const ProcessId free = Join(2);
  const JobId gang = Submit(Gang(2));
  JobOptions urgent;
  urgent.priority = 1;
  const JobId single = Submit(urgent);
  EXPECT_TRUE(queue.Find(now, single)->running);
  Complete(process, filler);
  EXPECT_FALSE(Started(gang));
  Complete(free, single);
  EXPECT_TRUE(Started(gang));
}

TEST_F(Rule3Gangs, GangOfHigherPriorityPassesSinglesThatCameBefore) {
  queue.Step(now, input::Pause{}, effects);
  const JobId single = Submit();
  JobOptions options = Gang(2);
  options.priority = 1;
  const JobId gang = Submit(options);
  Join(1, 2);
  queue.Step(now, input::Resume{}, effects);
  EXPECT_TRUE(Started(gang));
  EXPECT_FALSE(queue.Find(now, single)->running);
}

TEST_F(Rule3Gangs, PausedQueueStartsNoGang) {
  queue.Step(now, input::Pause{}, effects);
  const JobId gang = Submit(Gang(2));
  Join(1, 2);
  EXPECT_FALSE(Started(gang));
  EXPECT_EQ(Reserved(), 0U);
  queue.Step(now, input::Resume{}, effects);
  EXPECT_TRUE(Started(gang));
}

TEST_F(Rule3Gangs, GangBehindOthersIsBehindAndInFrontIsShortOfWorkers) {
  Join(1);
  Submit();
  const JobId single = Submit();
  const JobId gang = Submit(Gang(3));
  EXPECT_EQ(queue.Explain(now, gang)->reason, WaitReason::kGangShort) << "never with one worker";
  EXPECT_EQ(queue.Explain(now, gang)->short_of, 2U);
  Join(2, 2);
  EXPECT_EQ(queue.Explain(now, single)->reason, WaitReason::kNotWaiting);
  EXPECT_EQ(queue.Explain(now, gang)->reason, WaitReason::kGangShort);
  EXPECT_EQ(queue.Explain(now, gang)->short_of, 2U) << "it holds one";
}

}  // namespace
}  // namespace twofold::queue
