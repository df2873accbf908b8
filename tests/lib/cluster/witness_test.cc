#include "lib/cluster/witness.h"

#include <gtest/gtest.h>

#include <chrono>

namespace twofold::cluster {
namespace {

using std::chrono::nanoseconds;
using std::chrono::seconds;

/// A TTL of 6 s, of which at most 3 s may pass between looks. Times count from an instant far from
/// the start of the clock.
class WitnessTest : public testing::Test {
 protected:
  static View Ann(std::uint64_t beat, Incarnation incarnation = 1) {
    return {.members = {{.name = "ann", .incarnation = incarnation, .beat = beat}}};
  }

  void See(Duration sent, Duration answered, const View& view) {
    witness.See(start + sent, start + answered, view);
  }

  /// A look each two seconds, answered at once, to the end.
  void SeeUntil(Duration end, const View& view) {
    for (Duration at{}; at <= end; at += seconds(2)) See(at, at, view);
  }

  const Instant start{seconds(1000)};
  Witness witness{seconds(6), seconds(3)};
};

TEST_F(WitnessTest, DeadWhenABeatStandsStillForATtl) {
  SeeUntil(seconds(4), Ann(1));
  EXPECT_FALSE(witness.IsDead("ann"));
  See(seconds(6) - nanoseconds(1), seconds(6), Ann(1));
  EXPECT_FALSE(witness.IsDead("ann"));
  See(seconds(6), seconds(6), Ann(1));
  EXPECT_TRUE(witness.IsDead("ann"));
}

TEST_F(WitnessTest, CountsFromTheAnswerToTheSending) {
  See(seconds(0), seconds(2), Ann(1));
  See(seconds(4), seconds(5), Ann(1));
  See(seconds(7), seconds(8), Ann(1));
  EXPECT_FALSE(witness.IsDead("ann"))
      << "8 s from the first sending, 5 s between answer and sending";
  See(seconds(8), seconds(9), Ann(1));
  EXPECT_TRUE(witness.IsDead("ann"));
}

TEST_F(WitnessTest, ABeatOrANewLifeStartsTheClockAgain) {
  SeeUntil(seconds(6), Ann(1));
  See(seconds(7), seconds(7), Ann(2));
  EXPECT_FALSE(witness.IsDead("ann"));
  SeeUntil(seconds(6), Ann(2));
  See(seconds(7), seconds(7), Ann(2, 5));
  EXPECT_FALSE(witness.IsDead("ann"));
}

TEST_F(WitnessTest, AGapInLooksStartsAllClocksAgain) {
  SeeUntil(seconds(4), Ann(1));
  See(seconds(7), seconds(7), Ann(1));
  EXPECT_TRUE(witness.IsDead("ann")) << "3 s are no gap";
  SeeUntil(seconds(0), Ann(2));
  SeeUntil(seconds(4), Ann(2));
  See(seconds(7), seconds(7) + nanoseconds(1), Ann(2));
  EXPECT_FALSE(witness.IsDead("ann"));
}

TEST_F(WitnessTest, AnOwnerWithoutARowDoesNotBeat) {
  SeeUntil(seconds(6), {.partitions = {{.owner = "bob"}}});
  EXPECT_TRUE(witness.IsDead("bob"));
  EXPECT_EQ(witness.Evidence("bob"), (Member{.name = "bob"}));
  See(seconds(7), seconds(7),
      {.members = {{.name = "bob", .incarnation = 1}}, .partitions = {{.owner = "bob"}}});
  EXPECT_FALSE(witness.IsDead("bob"));
}

TEST_F(WitnessTest, EvidenceIsTheBeatThatStoodStill) {
  SeeUntil(seconds(6), Ann(41, 7));
  EXPECT_EQ(witness.Evidence("ann"), (Member{.name = "ann", .incarnation = 7, .beat = 41}));
}

TEST_F(WitnessTest, NothingIsKnownOfWhoWasNotShown) {
  EXPECT_FALSE(witness.IsDead("ann"));
  SeeUntil(seconds(6), Ann(1));
  See(seconds(7), seconds(7), {});
  EXPECT_FALSE(witness.IsDead("ann"));
}

}  // namespace
}  // namespace twofold::cluster
