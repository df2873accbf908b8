// Jobs that may run in some places only.

#include "tests/lib/queue/gang_fixture.h"

namespace twofold::queue {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// More placements than one call should look at.
constexpr std::uint64_t kManyJobs = 20'000;

class QueuePlacement : public GangTest {
 protected:
  ProcessId JoinWith(std::string_view labels, std::uint64_t key, std::string_view node = "n") {
    return queue.Step(
        now, input::WorkerJoined{.key = ProcessKey{key}, .node = node, .labels = labels}, effects);
  }

  static JobOptions In(std::string placement, JobOptions options = {}) {
    options.placement = std::move(placement);
    return options;
  }

  WaitReason WhyWaits(JobId job) const { return queue.Explain(now, job)->reason; }
};

TEST_F(QueuePlacement, AJobGoesToTheFirstIdleProcessThatSuitsIt) {
  JoinWith("", 1);
  const ProcessId first = JoinWith("mtu=9000\n", 2);
  JoinWith("mtu=9000\n", 3);
  const JobId job = Submit(In("label mtu=9000\n"));
  ASSERT_THAT(HandedOut(), ElementsAre(job));
  EXPECT_EQ(effects.Of<Assigned>().front().process, first);
}

TEST_F(QueuePlacement, AJobThatNobodyCanRunKeepsNobodyWaiting) {
  JoinWith("", 1);
  const JobId placed = Submit(In("label mtu=9000\n"));
  const JobId other = Submit();
  EXPECT_THAT(HandedOut(), ElementsAre(other));
  EXPECT_EQ(WhyWaits(placed), WaitReason::kNoSuitableWorker);
  EXPECT_EQ(queue.Stats().waiting, 1U);
  EXPECT_EQ(queue.Stats().wanted_workers, 2U);
  EXPECT_EQ(queue.Stats().oldest_waiting, now);
}

TEST_F(QueuePlacement, ItHasItsTurnWhenASlotThatSuitsItIsFree) {
  const ProcessId process = JoinWith("mtu=9000\n", 1);
  JoinWith("", 2);
  const JobId running = Submit();
  const JobId placed = Submit(In("label mtu=9000\n"));
  EXPECT_EQ(WhyWaits(placed), WaitReason::kBehind);
  Submit();  // to the other process
  const JobId later = Submit();
  effects.Clear();
  Complete(process, running);
  EXPECT_THAT(HandedOut(), ElementsAre(placed));
  Complete(process, placed);
  EXPECT_THAT(HandedOut(), ElementsAre(placed, later));
}

TEST_F(QueuePlacement, PriorityHoldsBetweenJobsInPlacesAndOthers) {
  const ProcessId process = JoinWith("mtu=9000\n", 1);
  JoinWith("", 2);
  const JobId running = Submit();
  Submit();
  const JobId placed = Submit(In("label mtu=9000\n"));
  const JobId urgent = Submit({.priority = 5});
  effects.Clear();
  Complete(process, running);
  EXPECT_THAT(HandedOut(), ElementsAre(urgent));
  Complete(process, urgent);
  EXPECT_THAT(HandedOut(), ElementsAre(urgent, placed));
}

TEST_F(QueuePlacement, WhoComesBackWithOtherLabelsGetsOtherJobs) {
  JoinWith("", 1);
  const JobId placed = Submit(In("label mtu=9000\n"));
  EXPECT_THAT(HandedOut(), IsEmpty());
  JoinWith("mtu=9000\n", 1);
  EXPECT_THAT(HandedOut(), ElementsAre(placed));
}

TEST_F(QueuePlacement, ItCanBeCancelledAndMissItsDeadline) {
  JoinWith("", 1);
  const JobId cancelled = Submit(In("node a\n"));
  EXPECT_TRUE(queue.Step(now, input::Cancel{cancelled}, effects));
  JobOptions hurry = In("node a\n");
  hurry.deadline = seconds(1);
  Submit(hurry);
  TickAfter(seconds(1));
  EXPECT_EQ(Finished(Outcome::kCancelled), 1U);
  EXPECT_EQ(Finished(Outcome::kRejected), 1U);
  EXPECT_EQ(queue.waiting(), 0U);
}

TEST_F(QueuePlacement, ALimitByKeyHoldsInAPlace) {
  JoinWith("gpu=1\n", 1);
  JoinWith("gpu=1\n", 2);
  JobOptions options = In("label gpu=1\n");
  options.limit_key = "one";
  const JobId first = Submit(options);
  Submit(options);
  EXPECT_THAT(HandedOut(), ElementsAre(first));
  EXPECT_EQ(queue.Stats().key_limited, 1U);
}

TEST_F(QueuePlacement, AProcessFindsItsJobAmongVeryManyPlacements) {
  JoinWith("", 1, "busy");
  Submit();
  for (std::uint64_t i = 0; i < kManyJobs; ++i) {
    Submit(In("node busy\nnode away-" + std::to_string(i) + "\n"));
  }
  const JobId last = Submit(In("node here\n"));
  EXPECT_EQ(queue.NextDeadline(), now + seconds(15)) << "nothing but the lease";
  effects.Clear();
  JoinWith("", 2, "here");
  EXPECT_THAT(HandedOut(), ElementsAre(last));
  EXPECT_EQ(queue.NextDeadline(), now + seconds(15));
}

TEST_F(QueuePlacement, ManyPlacementsKeepNoPlainJobWaiting) {
  JoinWith("", 1, "busy");
  Submit();
  for (std::uint64_t i = 0; i < kManyJobs; ++i) {
    Submit(In("node busy\nnode away-" + std::to_string(i) + "\n"));
  }
  const JobId plain = Submit();
  effects.Clear();
  JoinWith("", 2, "here");
  EXPECT_THAT(HandedOut(), ElementsAre(plain));
}

TEST_F(QueuePlacement, AProcessThatSuitsVeryManyPlacementsGetsToEach) {
  const ProcessId process = JoinWith("", 1, "here");
  const JobId first = Submit();
  const auto place = [](std::uint64_t i) {
    return In("node here\nnode away-" + std::to_string(i) + "\n");
  };
  constexpr std::uint64_t kPlaces = 512;
  JobId last{};
  for (std::uint64_t i = 0; i < kPlaces; ++i) last = Submit(place(i));
  JobId running = first;
  std::uint64_t ended = 0;
  for (; running != last && ended < 2 * kPlaces; ++ended) {
    Submit(place(ended % (kPlaces - 1)));  // the others never run out
    effects.Clear();
    ASSERT_TRUE(Complete(process, running));
    running = HandedOut().at(0);
  }
  EXPECT_EQ(running, last);
}

TEST_F(QueuePlacement, AProcessThatComesAgainIsComparedAgain) {
  const ProcessId busy = JoinWith("gpu=1\n", 1);
  const JobId running = Submit();
  JoinWith("", 2);
  const JobId placed = Submit(In("label gpu=1\n"));
  effects.Clear();
  JoinWith("gpu=1\n", 2);
  EXPECT_THAT(HandedOut(), ElementsAre(placed));
  Complete(busy, running);
}

TEST_F(QueuePlacement, AGangHasAllItsMembersInItsPlace) {
  JoinWith("", 1, "a");
  const ProcessId b = JoinWith("", 2, "b");
  const ProcessId c = JoinWith("", 3, "c");
  const JobId gang = Submit(In("node b\nnode c\n", Gang(2, Spread::kNode)));
  const auto members = MembersOf(gang);
  ASSERT_EQ(members.size(), 2U);
  EXPECT_EQ(members[0].process, b);
  EXPECT_EQ(members[1].process, c);
}

TEST_F(QueuePlacement, AGangThatItsPlaceCannotMakeUpHoldsNothing) {
  JoinWith("gpu=1\n", 1);
  JoinWith("", 2);
  const JobId gang = Submit(In("label gpu=1\n", Gang(2)));
  EXPECT_EQ(queue.Stats().workers_reserved, 0U);
  EXPECT_EQ(WhyWaits(gang), WaitReason::kGangShort);
  EXPECT_EQ(queue.Explain(now, gang)->short_of, 1U);
  JoinWith("gpu=1\n", 3);
  EXPECT_TRUE(Started(gang));
}

TEST_F(QueuePlacement, AGangThatLosesItsPlaceGivesBackWhatItHolds) {
  const ProcessId busy = JoinWith("gpu=1\n", 1);
  Submit();
  JoinWith("gpu=1\n", 2);
  Submit(In("label gpu=1\n", Gang(2)));
  EXPECT_EQ(queue.Stats().workers_reserved, 1U);
  queue.Step(now, input::WorkerDraining{busy}, effects);
  EXPECT_EQ(queue.Stats().workers_reserved, 0U);
}

TEST_F(QueuePlacement, PlacesDoNotWaitForEachOther) {
  const ProcessId a = JoinWith("", 1, "a");
  JoinWith("", 2, "b");
  Submit(In("node a\n"));
  const JobId second = Submit(In("node a\n"));
  effects.Clear();
  const JobId elsewhere = Submit(In("node b\n"));
  EXPECT_THAT(HandedOut(), ElementsAre(elsewhere));
  Complete(a, JobId{0});
  EXPECT_EQ(WhyWaits(second), WaitReason::kBehind);
}

// ---- What is missing, however long a job waits

TEST_F(QueuePlacement, NothingIsShortAsLongAsSomebodyCouldTakeEachJob) {
  JoinWith("mtu=9000\n", 1);
  for (int i = 0; i < 3; ++i) Submit();
  Submit(In("label mtu=9000\n"));
  EXPECT_THAT(queue.Shortages(0, 10), IsEmpty());
}

TEST_F(QueuePlacement, ShortagesNameWhomWaitingJobsWouldTakeAndHowMany) {
  JoinWith("", 1);
  for (int i = 0; i < 2; ++i) Submit(In("label mtu=9000\n"));
  Submit(Gang(4));
  Submit(Gang(3));
  EXPECT_THAT(queue.Shortages(3, 10),
              ElementsAre(Shortage{"", 3, true}, Shortage{"label mtu=9000\n", 2}));
  EXPECT_THAT(queue.Shortages(3, 1), ElementsAre(Shortage{"", 3, true}));
}

TEST_F(QueuePlacement, GangThatLacksMoreThanThereIsElsewhereIsShortOfNothing) {
  JoinWith("", 1);
  Submit(Gang(4));
  Submit(Gang(3));
  EXPECT_THAT(queue.Shortages(2, 10), ElementsAre(Shortage{"", 2, true}));
  EXPECT_THAT(queue.Shortages(1, 10), IsEmpty());
}

TEST_F(QueuePlacement, JobsWithoutAnyWorkerAreShortOfOne) {
  for (int i = 0; i < 3; ++i) Submit();
  EXPECT_THAT(queue.Shortages(0, 10), ElementsAre(Shortage{"", 1}));
  queue.Step(now, input::Pause{}, effects);
  EXPECT_THAT(queue.Shortages(0, 10), IsEmpty()) << "nobody would get a job";
}

}  // namespace
}  // namespace twofold::queue
