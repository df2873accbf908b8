// Until when an owner is alone, and what it makes of a database that goes back: rules 3 and 4 of
// lib/cluster/ownership.h.

#include "lib/cluster/ownership.h"
#include "tests/lib/cluster/ownership_fixture.h"

namespace twofold::cluster {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

// ---- Proof

TEST_F(OwnershipTest, StrictForFourFifthsOfTheTtlFromTheSendingOfABeat) {
  const PartitionNumber mine = Own();
  beats_arrive = false;
  Run(seconds(1));
  ASSERT_TRUE(beat_);
  const Instant sent = now;  // the beats are sent on the second
  now += milliseconds(900);
  AnswerBeat(Verdict::kDone);
  Run(milliseconds(1000));  // a look after the acknowledgement
  EXPECT_EQ(core.StrictUntil(mine), sent + milliseconds(4800));
}

TEST_F(OwnershipTest, SuspendsByItselfWhenItsBeatsDoNotArrive) {
  const PartitionNumber mine = Own();
  beats_arrive = false;
  Run(seconds(1));
  const Instant until = *core.StrictUntil(mine);
  Run(until - now - nanoseconds(1));
  EXPECT_THAT(Of<effect::Suspend>(), IsEmpty());
  Run(nanoseconds(1));
  EXPECT_THAT(Of<effect::Suspend>(), ElementsAre(effect::Suspend{mine}));
  EXPECT_EQ(core.StrictUntil(mine), std::nullopt);
  EXPECT_EQ(core.OpenEpoch(mine), 5U) << "volatile work goes on";
}

TEST_F(OwnershipTest, SuspendsByItselfWhenItsLooksAreNotAnswered) {
  const PartitionNumber mine = Own();
  looks_arrive = false;
  Run(seconds(6));
  EXPECT_THAT(Of<effect::Suspend>(), ElementsAre(effect::Suspend{mine}));
}

TEST_F(OwnershipTest, AfterAnOutageItGoesOnWithTheSameEpoch) {
  const PartitionNumber mine = Own();
  beats_arrive = looks_arrive = false;
  Run(seconds(30));
  effects.clear();
  beats_arrive = looks_arrive = true;
  beat_.reset();
  look_.reset();
  Run(seconds(4));
  EXPECT_THAT(Of<effect::Resume>(), ElementsAre(effect::Resume{mine}));
  EXPECT_THAT(Of<effect::Claim>(), IsEmpty());
  EXPECT_EQ(core.OpenEpoch(mine), 5U);
}

TEST_F(OwnershipTest, LookThatWasSentBeforeTheBeatArrivedProvesNothing) {
  const PartitionNumber mine = Own();
  beats_arrive = looks_arrive = false;
  Run(seconds(30));
  effects.clear();
  look_.reset();
  while (!look_) Run(milliseconds(100));
  AnswerBeat(Verdict::kDone);
  AnswerLook();  // was under way meanwhile: a claim may have come between look and beat
  EXPECT_THAT(Of<effect::Resume>(), IsEmpty());
  looks_arrive = true;
  Run(seconds(1));
  EXPECT_THAT(Of<effect::Resume>(), ElementsAre(effect::Resume{mine}));
}

TEST_F(OwnershipTest, BeatInDoubtProvesNothing) {
  Own();
  beats_arrive = false;
  for (int i = 0; i < 60; ++i) {
    Run(milliseconds(100));
    if (beat_) AnswerBeat(Verdict::kInDoubt);
  }
  EXPECT_THAT(Of<effect::Suspend>(), SizeIs(1));
}

TEST_F(OwnershipTest, ClaimIsNoProofIfItsBeatIsOld) {
  AddPartition(4, "me");
  Run(seconds(1));
  beats_arrive = looks_arrive = false;
  Run(milliseconds(2900));
  const Instant claimed = Instant(seconds(1001));
  Grant(0);
  EXPECT_LE(core.StrictUntil(0), claimed + milliseconds(4800));
  Run(milliseconds(2000));
  EXPECT_EQ(core.StrictUntil(0), std::nullopt);
}

// ---- Losses

TEST_F(OwnershipTest, LossOfAcknowledgedCommitsStopsDurableWork) {
  const PartitionNumber mine = Own(10);
  Step(input::Committed{mine, 12}).IgnoreError();
  Run(seconds(1));  // the row still says 10
  EXPECT_THAT(Of<effect::Lost>(), ElementsAre(effect::Lost{mine, 5, 12, 5, 10}));
  EXPECT_THAT(Of<effect::Suspend>(), ElementsAre(effect::Suspend{mine}));
  EXPECT_EQ(Of<effect::Mark>().at(0), (effect::Mark{mine, 1}));
  EXPECT_EQ(core.OpenEpoch(mine), 5U) << "volatile work goes on";
}

TEST_F(OwnershipTest, LossOfAClaimIsALossToo) {
  const PartitionNumber mine = Own();
  view.partitions.at(mine).epoch = 4;
  Run(seconds(1));
  EXPECT_THAT(Of<effect::Lost>(), ElementsAre(effect::Lost{mine, 5, 0, 4, 0}));
  EXPECT_THAT(Of<effect::Close>(), ElementsAre(effect::Close{mine, 5}));
  EXPECT_THAT(Of<effect::Claim>(), ElementsAre(effect::Claim{mine, 4, 6, {}}))
      << "epoch 5 may still have commits on their way";
}

TEST_F(OwnershipTest, WhoOnlyLookedNoticesALossToo) {
  Partition& row = AddPartition(4, "other", 20);
  Run(seconds(2));
  row.version = 19;
  Run(seconds(1));
  EXPECT_THAT(Of<effect::Lost>(), ElementsAre(effect::Lost{0, 4, 20, 4, 19}));
}

TEST_F(OwnershipTest, LookThatIsOlderThanACommitIsNoLoss) {
  const PartitionNumber mine = Own(10);
  looks_arrive = false;
  Run(seconds(1));
  ASSERT_TRUE(look_);
  Step(input::Committed{mine, 11}).IgnoreError();
  AnswerLook();
  EXPECT_THAT(Of<effect::Lost>(), IsEmpty());
}

TEST_F(OwnershipTest, ClaimThatReadsAnOlderVersionIsALoss) {
  AddPartition(4, "me", 20);
  Run(seconds(1));
  Step(Done(Of<effect::Claim>().at(0), 18)).IgnoreError();
  EXPECT_THAT(Of<effect::Lost>(), ElementsAre(effect::Lost{0, 4, 20, 5, 18}));
  EXPECT_EQ(core.StrictUntil(0), std::nullopt);
}

TEST_F(OwnershipTest, NoDurableWorkOfWhatOthersHaveMarkedAsLost) {
  AddPartition(4, "me").losses = 3;
  Run(seconds(1));
  const effect::Claim claim = Of<effect::Claim>().at(0);
  Step(input::Claimed{0, claim.epoch, Verdict::kDone, 0, 3}).IgnoreError();
  EXPECT_THAT(Of<effect::Open>(), SizeIs(1));
  EXPECT_THAT(Of<effect::Resume>(), IsEmpty());
}

TEST_F(OwnershipTest, LossIsMarkedUntilTheRowSaysSo) {
  const PartitionNumber mine = Own(10);
  view.partitions.at(mine).version = 9;
  Run(seconds(3));
  EXPECT_THAT(Of<effect::Mark>(), SizeIs(testing::Ge(3U)));
  view.partitions.at(mine).losses = 1;
  Run(seconds(1));
  effects.clear();
  Run(seconds(3));
  EXPECT_THAT(Of<effect::Mark>(), IsEmpty());
  EXPECT_THAT(Of<effect::Lost>(), IsEmpty()) << "said once";
}

TEST_F(OwnershipTest, AcceptedLossIsLoadedAgainUnderANewEpoch) {
  const PartitionNumber mine = Own(10);
  Partition& row = view.partitions.at(mine);
  row.version = 9;
  row.losses = 1;
  Run(seconds(1));
  effects.clear();
  EXPECT_TRUE(Step(input::Accept{mine}).ok());
  EXPECT_THAT(Of<effect::Mark>(), ElementsAre(effect::Mark{mine, 2}));
  EXPECT_THAT(Of<effect::Resume>(), IsEmpty()) << "memory has what the database has lost";
  row.losses = 2;
  Run(seconds(1));
  EXPECT_THAT(Of<effect::Close>(), ElementsAre(effect::Close{mine, 5}));
  Grant(mine);
  EXPECT_THAT(Of<effect::Open>(), ElementsAre(effect::Open{mine, 6}));
  EXPECT_THAT(Of<effect::Resume>(), ElementsAre(effect::Resume{mine}));
}

TEST_F(OwnershipTest, DatabaseThatGoesBackOnceMoreDoesNotForgetALoss) {
  const PartitionNumber mine = Own(10);
  Partition& row = view.partitions.at(mine);
  row.version = 9;
  row.losses = 1;
  Run(seconds(1));
  effects.clear();
  row.losses = 0;
  Run(seconds(1));
  EXPECT_THAT(Of<effect::Mark>(), ElementsAre(effect::Mark{mine, 1}));
  EXPECT_THAT(Of<effect::Resume>(), IsEmpty());
}

TEST_F(OwnershipTest, AcceptanceOfALossIsNoneOfTheNext) {
  const PartitionNumber mine = Own(10);
  Partition& row = view.partitions.at(mine);
  row.version = 9;
  row.losses = 1;
  Run(seconds(1));
  row.version = 8;
  Run(seconds(1));
  row.losses = 2;  // of the first
  effects.clear();
  Run(seconds(1));
  EXPECT_THAT(Of<effect::Mark>(), ElementsAre(effect::Mark{mine, 3}));
  EXPECT_THAT(Of<effect::Resume>(), IsEmpty());
}

TEST_F(OwnershipTest, NothingLostNothingToAccept) {
  const PartitionNumber mine = Own();
  EXPECT_EQ(Step(input::Accept{mine}).code(), absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace twofold::cluster
