// Who claims what, and when: rules 1, 2 and 5 of lib/cluster/ownership.h.

#include "lib/cluster/ownership.h"

#include "tests/lib/cluster/ownership_fixture.h"

namespace twofold::cluster {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

// ---- Registration

TEST_F(OwnershipTest, RegistersOnceAndThenBeatsOnceASecond) {
  EXPECT_THAT(Of<effect::Beat>(), ElementsAre(effect::Beat{1, 0, false}));
  effects.clear();
  Run(seconds(3));
  EXPECT_THAT(Of<effect::Beat>(),
              ElementsAre(effect::Beat{2, kMe, false}, effect::Beat{3, kMe, false},
                          effect::Beat{4, kMe, false}));
}

TEST_F(OwnershipTest, OneLookAtATime) {
  looks_arrive = false;
  Run(seconds(1));
  effects.clear();
  Run(milliseconds(1400));
  EXPECT_THAT(Of<effect::Look>(), IsEmpty());
  Run(milliseconds(100));
  EXPECT_THAT(Of<effect::Look>(), SizeIs(1)) << "patience is over";
}

TEST_F(OwnershipTest, GivesUpWhenAnotherProcessHasTheName) {
  const PartitionNumber mine = Own();
  MemberNamed("me").incarnation = 99;
  beats_arrive = false;
  Run(seconds(1));
  EXPECT_THAT(Of<effect::Close>(), ElementsAre(effect::Close{mine, 5}));
  EXPECT_THAT(Of<effect::Replaced>(), SizeIs(1));
  effects.clear();
  Run(seconds(10));
  EXPECT_THAT(effects, IsEmpty());
  EXPECT_EQ(core.NextDeadline(), Instant::max());
}

TEST_F(OwnershipTest, RegistersAgainIfTheDatabaseWentBackBeforeItsRegistration) {
  std::erase_if(view.members, [](const Member& member) { return member.name == "me"; });
  beats_arrive = false;
  Run(seconds(1));
  ASSERT_TRUE(beat_);
  AnswerBeat(Verdict::kRefused);
  effects.clear();
  beats_arrive = true;
  Run(seconds(2));
  EXPECT_THAT(Of<effect::Replaced>(), IsEmpty());
  EXPECT_EQ(Of<effect::Beat>().at(0).expected, 0U);
  EXPECT_EQ(MemberNamed("me").incarnation, kMe);
}

TEST_F(OwnershipTest, WhoseBeatsDoNotArriveClaimsNothing) {
  beats_arrive = false;
  Run(seconds(5));
  AddPartition(4, "me");
  AddPartition(4, "");
  effects.clear();
  Run(seconds(10));
  EXPECT_THAT(Of<effect::Claim>(), IsEmpty());
}

// ---- The dead

TEST_F(OwnershipTest, ClaimsFromAnOwnerWhoseBeatHasStoodStillForATtl) {
  AddPartition(4, "other");
  Run(seconds(10));
  EXPECT_THAT(Of<effect::Claim>(), IsEmpty()) << "it beats";
  dead = {"other"};
  const Member last = MemberNamed("other");
  Run(milliseconds(5900));
  EXPECT_THAT(Of<effect::Claim>(), IsEmpty());
  Run(milliseconds(1100));
  EXPECT_THAT(Of<effect::Claim>(), ElementsAre(effect::Claim{0, 4, 5, last}));
}

TEST_F(OwnershipTest, OutageOfTheDatabaseKillsNobody) {
  AddPartition(4, "other");
  Run(seconds(2));
  dead = {"other"};
  looks_arrive = false;
  Run(seconds(20));
  looks_arrive = true;
  Run(seconds(5));
  EXPECT_THAT(Of<effect::Claim>(), IsEmpty()) << "the clocks start again after the outage";
  Run(seconds(2));
  EXPECT_THAT(Of<effect::Claim>(), SizeIs(1));
}

TEST_F(OwnershipTest, OneLostAnswerDoesNotRestartTheClocks) {
  AddPartition(4, "other");
  Run(seconds(2));
  dead = {"other"};
  Run(seconds(2));
  looks_arrive = false;
  Run(milliseconds(2400));
  looks_arrive = true;
  look_.reset();
  Run(milliseconds(3600));
  EXPECT_THAT(Of<effect::Claim>(), SizeIs(1));
}

TEST_F(OwnershipTest, AnOwnerWithoutARowIsDeadAfterATtl) {
  AddPartition(4, "nobody knows it");
  Run(seconds(5));
  EXPECT_THAT(Of<effect::Claim>(), IsEmpty());
  Run(seconds(4));
  EXPECT_THAT(Of<effect::Claim>(),
              ElementsAre(effect::Claim{0, 4, 5, {.name = "nobody knows it"}}));
}

// ---- Epochs

TEST_F(OwnershipTest, ClaimThatIsDoneOpens) {
  AddPartition(4, "me");
  Run(seconds(1));
  Grant(0);
  EXPECT_THAT(Of<effect::Open>(), ElementsAre(effect::Open{0, 5}));
  EXPECT_EQ(core.OpenEpoch(0), 5U);
  effects.clear();
  Run(seconds(20));
  EXPECT_THAT(Of<effect::Claim>(), IsEmpty());
  EXPECT_THAT(Of<effect::Close>(), IsEmpty());
}

TEST_F(OwnershipTest, RowOfAnEarlierLifeIsClaimedAtOnceWithTheNextEpoch) {
  AddPartition(4, "me").owner_incarnation = 3;
  Run(seconds(1));
  EXPECT_THAT(Of<effect::Claim>(), ElementsAre(effect::Claim{0, 4, 5, {}}));
}

TEST_F(OwnershipTest, ClaimInDoubtIsClaimedAgainAndNeverAdopted) {
  Partition& row = AddPartition(4, "me");
  Run(seconds(1));
  Step(input::Claimed{0, 5, Verdict::kInDoubt}).IgnoreError();
  row.epoch = 5;  // it was done
  effects.clear();
  Run(seconds(1));
  EXPECT_THAT(Of<effect::Open>(), IsEmpty());
  EXPECT_THAT(Of<effect::Claim>(), ElementsAre(effect::Claim{0, 5, 6, {}}));
}

TEST_F(OwnershipTest, NoEpochIsTriedTwice) {
  AddPartition(4, "me");
  Run(seconds(1));
  Step(input::Claimed{0, 5, Verdict::kInDoubt}).IgnoreError();
  effects.clear();
  Run(seconds(1));  // it was not done, but may be on its way
  EXPECT_THAT(Of<effect::Claim>(), ElementsAre(effect::Claim{0, 4, 6, {}}));
}

TEST_F(OwnershipTest, AnswerAfterThePatienceIsOverOpensNothing) {
  AddPartition(4, "me");
  Run(seconds(1));
  const effect::Claim claim = Of<effect::Claim>().at(0);
  Run(seconds(3));
  Step(Done(claim)).IgnoreError();
  EXPECT_THAT(Of<effect::Open>(), IsEmpty());
}

TEST_F(OwnershipTest, DoubledAnswerOpensOnce) {
  AddPartition(4, "me");
  Run(seconds(1));
  Grant(0);
  Step(input::Claimed{0, 5, Verdict::kRefused}).IgnoreError();
  Step(input::Claimed{0, 5, Verdict::kDone}).IgnoreError();
  EXPECT_THAT(Of<effect::Open>(), SizeIs(1));
  EXPECT_EQ(core.OpenEpoch(0), 5U);
}

TEST_F(OwnershipTest, LookThatIsOlderThanTheClaimDoesNotCloseIt) {
  Partition& row = AddPartition(4, "");
  row.next = "me";
  Run(seconds(1));
  looks_arrive = false;
  Run(seconds(1));
  ASSERT_TRUE(look_);
  const View before = view;
  Grant(0);
  Step(input::Looked{*look_, before}).IgnoreError();
  EXPECT_EQ(core.OpenEpoch(0), 5U);
  EXPECT_THAT(Of<effect::Lost>(), IsEmpty());
}

TEST_F(OwnershipTest, ClosesWhenTheRowHasAnotherOwner) {
  const PartitionNumber mine = Own();
  Partition& row = view.partitions.at(mine);
  row.owner = "other";
  row.owner_incarnation = MemberNamed("other").incarnation;
  row.epoch = 6;
  Run(seconds(1));
  EXPECT_THAT(Of<effect::Close>(), ElementsAre(effect::Close{mine, 5}));
  EXPECT_EQ(core.OpenEpoch(mine), std::nullopt);
}

TEST_F(OwnershipTest, ClosesWhenACommitIsRefused) {
  const PartitionNumber mine = Own();
  Step(input::Deposed{mine, 4}).IgnoreError();
  EXPECT_THAT(Of<effect::Close>(), IsEmpty()) << "of an earlier epoch";
  Step(input::Deposed{mine, 5}).IgnoreError();
  EXPECT_THAT(Of<effect::Close>(), ElementsAre(effect::Close{mine, 5}));
}

TEST_F(OwnershipTest, ClosesAQueueThatWasDeleted) {
  const PartitionNumber mine = Own();
  view.partitions.clear();
  Run(seconds(1));
  EXPECT_THAT(Of<effect::Close>(), ElementsAre(effect::Close{mine, 5}));
}

// ---- Succession

TEST_F(OwnershipTest, FirstFrontendWaitsATtlForPartitionsThatNeverHadAnOwner) {
  AddPartition(0, "");
  Run(milliseconds(6900));
  EXPECT_THAT(Of<effect::Claim>(), IsEmpty());
  Run(milliseconds(200));
  EXPECT_THAT(Of<effect::Claim>(), ElementsAre(effect::Claim{0, 0, 1, {}}));
}

TEST_F(OwnershipTest, NamedNextOwnerClaimsAtOnce) {
  AddPartition(4, "").next = "me";
  Run(seconds(1));
  EXPECT_THAT(Of<effect::Claim>(), ElementsAre(effect::Claim{0, 4, 5, {}}));
}

TEST_F(OwnershipTest, OthersStandAsideForAThirdOfTheTtl) {
  AddPartition(4, "").next = "other";
  Run(milliseconds(2900));
  EXPECT_THAT(Of<effect::Claim>(), IsEmpty());
  Run(milliseconds(200));
  EXPECT_THAT(Of<effect::Claim>(), SizeIs(1));
}

TEST_F(OwnershipTest, EachVacancyIsLeftToItsHeirAnew) {
  Partition& row = AddPartition(4, "");
  row.next = "other";
  Run(milliseconds(2500));
  row = {.number = 0, .epoch = 5, .owner = "other", .owner_incarnation = 100};
  Run(seconds(1));
  row = {.number = 0, .epoch = 6, .next = "other"};
  Run(seconds(2));
  EXPECT_THAT(Of<effect::Claim>(), IsEmpty());
}

TEST_F(OwnershipTest, VacancyAfterAnOwnerThatNoLookHasShownIsLeftToItsHeirAnew) {
  Partition& row = AddPartition(4, "");
  row.next = "other";
  Run(milliseconds(2500));
  row = {.number = 0, .epoch = 6, .next = "other"};
  Run(milliseconds(1500));
  EXPECT_THAT(Of<effect::Claim>(), IsEmpty());
}

TEST_F(OwnershipTest, PartitionsWithoutOwnerSpreadEvenly) {
  for (int i = 0; i < 6; ++i) AddPartition(4, "");
  Run(seconds(1));
  EXPECT_THAT(Of<effect::Claim>(), SizeIs(3));
}

TEST_F(OwnershipTest, NothingMovesForBalanceOnly) {
  for (int i = 0; i < 3; ++i) Own();
  AddMember("new");
  Run(seconds(30));
  EXPECT_THAT(Of<effect::Release>(), IsEmpty());
  EXPECT_THAT(Of<effect::Close>(), IsEmpty());
}

// ---- Bad looks

TEST_F(OwnershipTest, ViewThatBreaksALimitIsNotUsed) {
  const PartitionNumber mine = Own();
  looks_arrive = false;
  Run(seconds(1));
  View bad;
  bad.partitions = {{.number = 3}, {.number = 3}};
  const Status status = Step(input::Looked{*look_, bad});
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(core.OpenEpoch(mine), 5U);
}

TEST_F(OwnershipTest, LateAndDoubledLooksChangeNothing) {
  const PartitionNumber mine = Own();
  looks_arrive = false;
  Run(milliseconds(2500));  // the second look is under way
  View empty;
  Step(input::Looked{*look_ - 1, empty}).IgnoreError();
  EXPECT_EQ(core.OpenEpoch(mine), 5U);
  Step(input::Looked{*look_, view}).IgnoreError();
  Step(input::Looked{*look_, empty}).IgnoreError();
  EXPECT_EQ(core.OpenEpoch(mine), 5U);
}

}  // namespace
}  // namespace twofold::cluster
