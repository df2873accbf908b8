// Moves and drains.

#include "lib/cluster/ownership.h"
#include "tests/lib/cluster/ownership_fixture.h"

namespace twofold::cluster {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class OwnershipAdminTest : public OwnershipTest {
 protected:
  /// Answers the latest release, and writes it. The next owner takes the partition, or nobody.
  void Release(bool next_takes_it) {
    const std::vector<effect::Release> releases = Of<effect::Release>();
    ASSERT_FALSE(releases.empty());
    const effect::Release& release = releases.back();
    Partition& row = view.partitions.at(release.partition);
    row.epoch = release.epoch + (next_takes_it ? 1 : 0);
    row.owner = next_takes_it ? release.next : "";
    row.owner_incarnation = MemberNamed(row.owner).incarnation;
    row.next = next_takes_it ? "" : release.next;
    Step(input::Released{release.partition, release.epoch, Verdict::kDone}).IgnoreError();
  }
};

TEST_F(OwnershipAdminTest, MoveClosesAndReleasesToTheNamedOwnerWithAHigherEpoch) {
  const PartitionNumber mine = Own();
  EXPECT_TRUE(Step(input::Move{mine, "other"}).ok());
  EXPECT_THAT(effects, ElementsAre(Effect(effect::Close{mine, 5}),
                                   Effect(effect::Release{mine, 5, 6, "other"})));
  Release(false);
  effects.clear();
  Run(milliseconds(1900));
  EXPECT_THAT(Of<effect::Claim>(), IsEmpty()) << "the next owner has some time";
}

TEST_F(OwnershipAdminTest, MoveInDoubtThatWasNotDoneIsTakenBack) {
  const PartitionNumber mine = Own();
  EXPECT_TRUE(Step(input::Move{mine, "other"}).ok());
  Step(input::Released{mine, 6, Verdict::kInDoubt}).IgnoreError();
  Run(seconds(1));
  EXPECT_THAT(Of<effect::Claim>(), ElementsAre(effect::Claim{mine, 5, 7, {}}));
}

TEST_F(OwnershipAdminTest, MoveToItselfChangesNothing) {
  const PartitionNumber mine = Own();
  EXPECT_TRUE(Step(input::Move{mine, "me"}).ok());
  EXPECT_THAT(effects, IsEmpty());
}

TEST_F(OwnershipAdminTest, MoveSaysWhatIsWrong) {
  const PartitionNumber mine = Own();
  AddPartition(4, "other");
  Run(seconds(1));
  EXPECT_EQ(Step(input::Move{99, "other"}).code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(Step(input::Move{1, "me"}).message()), HasSubstr("ask its owner other"));
  EXPECT_THAT(std::string(Step(input::Move{mine, "nobody"}).message()),
              HasSubstr("cannot move partition 0 to \"nobody\""));
  MemberNamed("other").draining = true;
  Run(seconds(1));
  EXPECT_EQ(Step(input::Move{mine, "other"}).code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(core.OpenEpoch(mine), 5U);
}

TEST_F(OwnershipAdminTest, DrainHandsOverOneByOne) {
  Own();
  Own();
  effects.clear();
  EXPECT_TRUE(Step(input::Drain{}).ok());
  Run(milliseconds(500));
  EXPECT_TRUE(Of<effect::Beat>().at(0).draining) << "others learn it at once";
  EXPECT_THAT(Of<effect::Release>(), ElementsAre(effect::Release{0, 5, 6, "other"}));
  Release(false);
  Run(seconds(1));
  EXPECT_THAT(Of<effect::Release>(), SizeIs(1)) << "other has not taken the first";
  Release(true);
  Run(seconds(1));
  EXPECT_THAT(Of<effect::Release>(), SizeIs(2));
  EXPECT_THAT(Of<effect::Drained>(), IsEmpty());
  Release(true);
  Run(seconds(1));
  EXPECT_THAT(Of<effect::Drained>(), SizeIs(1));
}

TEST_F(OwnershipAdminTest, DrainDoesNotWaitForANextOwnerThatIsSlow) {
  Own();
  Own();
  effects.clear();
  EXPECT_TRUE(Step(input::Drain{}).ok());
  Release(false);
  Run(milliseconds(2100));
  EXPECT_THAT(Of<effect::Release>(), SizeIs(2));
}

TEST_F(OwnershipAdminTest, LastFrontendDrainsToNobody) {
  const PartitionNumber mine = Own();
  dead = {"other"};
  Run(seconds(10));
  effects.clear();
  EXPECT_TRUE(Step(input::Drain{}).ok());
  EXPECT_THAT(Of<effect::Release>(), ElementsAre(effect::Release{mine, 5, 6, ""}));
  Release(false);
  Run(seconds(1));
  EXPECT_THAT(Of<effect::Drained>(), SizeIs(1));
}

TEST_F(OwnershipAdminTest, WhoDrainsReleasesWhatItsEarlierLifeHad) {
  EXPECT_TRUE(Step(input::Drain{}).ok());
  AddPartition(4, "me").owner_incarnation = 3;
  Run(seconds(1));
  EXPECT_THAT(Of<effect::Release>(), ElementsAre(effect::Release{0, 4, 5, "other"}));
}

TEST_F(OwnershipAdminTest, WhoDrainsClaimsNothing) {
  EXPECT_TRUE(Step(input::Drain{}).ok());
  AddPartition(4, "").next = "me";
  Run(seconds(20));
  EXPECT_THAT(Of<effect::Claim>(), IsEmpty());
}

TEST_F(OwnershipAdminTest, NothingGoesToWhoDrains) {
  for (int i = 0; i < 4; ++i) AddPartition(4, "");
  MemberNamed("other").draining = true;
  Run(seconds(1));
  EXPECT_THAT(Of<effect::Claim>(), SizeIs(4));
}

// ---- Others say that rows have changed

TEST_F(OwnershipAdminTest, WhoIsToldLooksAtOnce) {
  Run(milliseconds(500));
  effects.clear();
  Step(input::LookAgain{}).IgnoreError();
  EXPECT_EQ(Of<effect::Look>().size(), 1u);
}

TEST_F(OwnershipAdminTest, WhoIsToldVeryOftenLooksTenTimesASecond) {
  Run(milliseconds(500));
  effects.clear();
  for (int i = 0; i < 300; ++i) {
    Step(input::LookAgain{}).IgnoreError();
    Run(milliseconds(1));
  }
  EXPECT_LE(Of<effect::Look>().size(), 4u);
  EXPECT_GE(Of<effect::Look>().size(), 3u);
}

}  // namespace
}  // namespace twofold::cluster
