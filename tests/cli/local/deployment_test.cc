#include "cli/local/deployment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace twofold::local {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Kind = Action::Kind;

DeploymentPolicy Policy() {
  DeploymentPolicy policy;
  policy.grace = seconds(5);
  policy.first_backoff = milliseconds(100);
  policy.most_backoff = seconds(2);
  policy.stable = seconds(10);
  return policy;
}

class DeploymentTest : public ::testing::Test {
 protected:
  /// When the replica that waits for its restart comes back, and moves the time there.
  Duration UntilRestart() {
    const Instant due = deployment_.NextDeadline().value();
    const Duration pause = due - now_;
    now_ = due;
    return pause;
  }

  Deployment deployment_{Policy()};
  Instant now_{seconds(1000)};
};

TEST_F(DeploymentTest, StartsWhatIsMissingOnce) {
  deployment_.Scale(2);
  EXPECT_THAT(deployment_.Step(now_),
              ElementsAre(Action{Kind::kStart, 0}, Action{Kind::kStart, 1}));
  EXPECT_THAT(deployment_.Step(now_), IsEmpty());
  EXPECT_EQ(deployment_.running(), 2);
  EXPECT_EQ(deployment_.NextDeadline(), std::nullopt);
}

TEST_F(DeploymentTest, SurplusIsTerminatedYoungestFirst) {
  deployment_.Scale(3);
  deployment_.Step(now_);
  deployment_.Scale(1);
  EXPECT_THAT(deployment_.Step(now_),
              ElementsAre(Action{Kind::kTerminate, 2}, Action{Kind::kTerminate, 1}));
  EXPECT_EQ(deployment_.running(), 1);
  EXPECT_EQ(deployment_.terminating(), 2);
}

TEST_F(DeploymentTest, SurplusThatOutlivesItsGraceIsKilledOnce) {
  deployment_.Scale(1);
  deployment_.Step(now_);
  deployment_.Scale(0);
  deployment_.Step(now_);
  EXPECT_EQ(deployment_.NextDeadline(), now_ + seconds(5));
  EXPECT_THAT(deployment_.Step(now_ + milliseconds(4999)), IsEmpty());
  EXPECT_THAT(deployment_.Step(now_ + seconds(5)), ElementsAre(Action{Kind::kKill, 0}));
  EXPECT_THAT(deployment_.Step(now_ + seconds(6)), IsEmpty());
  EXPECT_EQ(deployment_.terminating(), 1);
  deployment_.OnExit(0, now_ + seconds(6));
  EXPECT_EQ(deployment_.terminating(), 0);
  EXPECT_EQ(deployment_.restarts(), 0);
}

TEST_F(DeploymentTest, ShortenedGraceCountsForThoseAlreadyEnding) {
  deployment_.Scale(2);
  deployment_.Step(now_);
  deployment_.Scale(1);
  deployment_.Step(now_);
  deployment_.ShortenGrace(seconds(1), now_);
  deployment_.Scale(0);
  EXPECT_THAT(deployment_.Step(now_), ElementsAre(Action{Kind::kTerminate, 0}));
  EXPECT_THAT(deployment_.Step(now_ + seconds(1)),
              ElementsAre(Action{Kind::kKill, 0}, Action{Kind::kKill, 1}));
}

TEST_F(DeploymentTest, CrashIsRestartedAfterAPauseAndCounted) {
  deployment_.Scale(1);
  deployment_.Step(now_);
  deployment_.OnExit(0, now_);
  EXPECT_EQ(deployment_.restarts(), 1);
  EXPECT_EQ(deployment_.waiting(), 1);
  EXPECT_EQ(deployment_.running(), 0);
  EXPECT_THAT(deployment_.Step(now_), IsEmpty());
  EXPECT_THAT(UntilRestart(),
              ::testing::AllOf(::testing::Ge(milliseconds(50)), ::testing::Le(milliseconds(100))));
  EXPECT_THAT(deployment_.Step(now_), ElementsAre(Action{Kind::kStart, 0}));
}

TEST_F(DeploymentTest, PausesGrowToTheirMost) {
  deployment_.Scale(1);
  deployment_.Step(now_);
  Duration last{};
  for (int crash = 0; crash < 10; ++crash) {
    deployment_.OnExit(0, now_);
    last = UntilRestart();
    EXPECT_LE(last, seconds(2)) << crash;
    deployment_.Step(now_);
  }
  EXPECT_GE(last, seconds(1));
}

TEST_F(DeploymentTest, ALongRunForgetsTheCrashesBefore) {
  deployment_.Scale(1);
  deployment_.Step(now_);
  for (int crash = 0; crash < 5; ++crash) {
    deployment_.OnExit(0, now_);
    UntilRestart();
    deployment_.Step(now_);
  }
  now_ += seconds(10);
  deployment_.OnExit(0, now_);
  EXPECT_LE(UntilRestart(), milliseconds(100));
}

TEST_F(DeploymentTest, ScaleDownTakesThoseThatWaitForTheirRestartFirst) {
  deployment_.Scale(2);
  deployment_.Step(now_);
  deployment_.OnExit(0, now_);
  deployment_.Scale(1);
  EXPECT_THAT(deployment_.Step(now_), IsEmpty());
  EXPECT_EQ(deployment_.waiting(), 0);
  EXPECT_EQ(deployment_.running(), 1);
}

TEST_F(DeploymentTest, AnEndingReplicaIsNoReplacementAndKeepsItsNumber) {
  deployment_.Scale(1);
  deployment_.Step(now_);
  deployment_.Scale(0);
  deployment_.Step(now_);
  deployment_.Scale(1);
  EXPECT_THAT(deployment_.Step(now_), ElementsAre(Action{Kind::kStart, 1}));
}

TEST_F(DeploymentTest, WhatEndsWhileItIsHeldStaysAwayUntilItIsReleased) {
  deployment_.Scale(2);
  deployment_.Step(now_);
  deployment_.Hold();
  deployment_.OnExit(0, now_);
  EXPECT_EQ(deployment_.NextDeadline(), std::nullopt);
  EXPECT_THAT(deployment_.Step(now_ + seconds(100)), IsEmpty());
  EXPECT_EQ(deployment_.running(), 1);
  deployment_.Release(now_);
  EXPECT_THAT(deployment_.Step(now_), ElementsAre(Action{Kind::kStart, 0}));
  EXPECT_EQ(deployment_.restarts(), 1);
}

TEST_F(DeploymentTest, WhatIsHeldCanBeEnded) {
  deployment_.Scale(2);
  deployment_.Step(now_);
  deployment_.Hold();
  deployment_.OnExit(1, now_);
  deployment_.Scale(0);
  EXPECT_THAT(deployment_.Step(now_), ElementsAre(Action{Kind::kTerminate, 0}));
  EXPECT_EQ(deployment_.waiting(), 0);
}

TEST_F(DeploymentTest, ExitOfAnUnknownReplicaIsIgnored) {
  deployment_.OnExit(7, now_);
  EXPECT_EQ(deployment_.restarts(), 0);
}

}  // namespace
}  // namespace twofold::local
