#include "backend/benchmark/sequence.h"

#include <gtest/gtest.h>

namespace twofold::backend {
namespace {

using suite::Phase;
using suite::Stage;
using Do = StageSequence::Do;
using How = StageEnd::How;

const StageEnd kWell = {};
const StageEnd kBadly = {How::kBadly, "exit code 3"};
const StageEnd kBroken = {How::kBroken, "ran past its limit of 1 s"};

Stage Of(const char* name, Phase phase) { return {.name = name, .phase = phase}; }

// Stages 0 to 3 of a rank that has one of each kind, listed in an order of no meaning.
class SequenceTest : public ::testing::Test {
 protected:
  static constexpr std::size_t kRun = 0, kServer = 1, kMesh = 2, kMore = 3;

  static void ExpectNext(StageSequence& sequence, Do what, std::size_t stage = 0) {
    const StageSequence::Step step = sequence.Next();
    EXPECT_EQ(static_cast<int>(step.what), static_cast<int>(what));
    EXPECT_EQ(step.stage, stage);
  }
  static void ExpectStart(StageSequence& sequence, std::size_t stage) {
    ExpectNext(sequence, Do::kStart, stage);
    ExpectNext(sequence, Do::kWait);
  }

  // Goes on to where the first kRun stage has been started.
  static void Run(StageSequence& sequence) {
    ExpectStart(sequence, kMesh);
    sequence.Ended(kMesh, kWell);
    ExpectStart(sequence, kServer);
    sequence.Ready(kServer);
    ExpectNext(sequence, Do::kTellReady);
    sequence.Go();
    ExpectStart(sequence, kRun);
  }

  std::vector<Stage> stages_ = {Of("run", Phase::kRun), Of("server", Phase::kServe),
                                Of("mesh", Phase::kPrepare), Of("more", Phase::kRun)};
};

TEST_F(SequenceTest, GoesByPhaseAndWaitsForAllToBeReady) {
  StageSequence sequence(stages_, true);
  EXPECT_TRUE(sequence.started().empty());
  ExpectStart(sequence, kMesh);
  sequence.Ended(kMesh, kWell);
  ExpectStart(sequence, kServer);
  sequence.Ready(kServer);
  ExpectNext(sequence, Do::kTellReady);
  ExpectNext(sequence, Do::kWait);
  sequence.Go();
  ExpectStart(sequence, kRun);
  sequence.Ended(kRun, kWell);
  ExpectStart(sequence, kMore);
  EXPECT_EQ(sequence.started().back(), kMore);
  sequence.Ended(kMore, kWell);
  ExpectNext(sequence, Do::kTellMeasured);
  ExpectNext(sequence, Do::kWait);
  sequence.Close();
  ExpectNext(sequence, Do::kStop, kServer);
  ExpectNext(sequence, Do::kWait);
  sequence.Ended(kServer, {How::kBadly, "killed by signal 15"});
  ExpectNext(sequence, Do::kTellOver);
  ExpectNext(sequence, Do::kWait);
  EXPECT_FALSE(sequence.failure());
}

TEST_F(SequenceTest, WithoutABarrierNobodyIsWaitedFor) {
  StageSequence sequence({&stages_[kRun], 1}, false);
  ExpectNext(sequence, Do::kTellReady);
  ExpectStart(sequence, 0);
}

TEST_F(SequenceTest, ARankWithoutStagesIsReadyMeasuredAndOver) {
  StageSequence sequence({}, true);
  ExpectNext(sequence, Do::kTellReady);
  ExpectNext(sequence, Do::kWait);
  sequence.Go();
  ExpectNext(sequence, Do::kTellMeasured);
  sequence.Close();
  ExpectNext(sequence, Do::kTellOver);
}

TEST_F(SequenceTest, FailedPreparationEndsItBeforeTheBarrier) {
  for (const StageEnd& end : {kBadly, kBroken}) {
    StageSequence sequence(stages_, true);
    ExpectStart(sequence, kMesh);
    sequence.Ended(kMesh, end);
    ExpectNext(sequence, Do::kTellOver);
    EXPECT_EQ(sequence.failure(), (suite::Failure{"mesh", end.why}));
  }
}

TEST_F(SequenceTest, AServerThatEndsTooEarlyStopsWhatRuns) {
  StageSequence sequence(stages_, true);
  Run(sequence);
  sequence.Ended(kServer, kWell);
  ExpectNext(sequence, Do::kStop, kRun);
  sequence.Ended(kRun, kBadly);
  ExpectNext(sequence, Do::kTellOver);
  EXPECT_EQ(sequence.failure(), (suite::Failure{"server", "it ended before the job was over"}));
}

TEST_F(SequenceTest, AServerThatServesOnceMayEndAfterTheStartOnly) {
  stages_[kServer].may_end = true;
  StageSequence late(stages_, true);
  Run(late);
  late.Ended(kServer, kWell);
  ExpectNext(late, Do::kWait);
  EXPECT_FALSE(late.failure());
  StageSequence early(stages_, true);
  ExpectStart(early, kMesh);
  early.Ended(kMesh, kWell);
  ExpectStart(early, kServer);
  early.Ready(kServer);
  ExpectNext(early, Do::kTellReady);
  early.Ended(kServer, kWell);
  EXPECT_TRUE(early.failure());
}

TEST_F(SequenceTest, AServerThatMayEndStillHasToGetReady) {
  stages_[kServer].may_end = true;
  StageSequence sequence({&stages_[kServer], 1}, false);
  ExpectStart(sequence, 0);
  sequence.Ended(0, kWell);
  EXPECT_TRUE(sequence.failure());
}

TEST_F(SequenceTest, AFailedStageLeavesOutTheNextUnlessItGoesOn) {
  StageSequence stops(stages_, true);
  Run(stops);
  stops.Ended(kRun, kBadly);
  ExpectNext(stops, Do::kStop, kServer);
  EXPECT_EQ(stops.failure(), (suite::Failure{"run", "exit code 3"}));
  stages_[kRun].goes_on = true;
  for (const StageEnd& end : {kBadly, kBroken}) {
    StageSequence goes_on(stages_, true);
    Run(goes_on);
    goes_on.Ended(kRun, end);
    ExpectStart(goes_on, kMore);
    EXPECT_FALSE(goes_on.failure());
  }
}

TEST_F(SequenceTest, OfTheLastStageOnlyTheOutputTellsUnlessItWasStopped) {
  StageSequence judged(stages_, true);
  Run(judged);
  judged.Ended(kRun, kWell);
  ExpectStart(judged, kMore);
  judged.Ended(kMore, kBadly);
  ExpectNext(judged, Do::kTellMeasured);
  EXPECT_FALSE(judged.failure());
  StageSequence stopped(stages_, true);
  Run(stopped);
  stopped.Ended(kRun, kWell);
  ExpectStart(stopped, kMore);
  stopped.Ended(kMore, kBroken);
  ExpectNext(stopped, Do::kStop, kServer);
  EXPECT_EQ(stopped.failure(), (suite::Failure{"more", kBroken.why}));
}

TEST_F(SequenceTest, CloseStopsEachThatRunsOnceAndStartsNothing) {
  StageSequence sequence(stages_, true);
  Run(sequence);
  sequence.Close();
  ExpectNext(sequence, Do::kStop, kRun);
  ExpectNext(sequence, Do::kStop, kServer);
  ExpectNext(sequence, Do::kWait);
  sequence.Ended(kServer, kBadly);
  ExpectNext(sequence, Do::kWait);
  sequence.Ended(kRun, kBadly);
  ExpectNext(sequence, Do::kTellOver);
  EXPECT_FALSE(sequence.failure());
}

TEST_F(SequenceTest, ClosedBeforeTheStartItIsOverAtOnce) {
  StageSequence sequence(stages_, true);
  sequence.Close();
  ExpectNext(sequence, Do::kTellOver);
}

}  // namespace
}  // namespace twofold::backend
