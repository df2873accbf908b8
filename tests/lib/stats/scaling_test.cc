#include "lib/stats/scaling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "lib/stats/comparison.h"

namespace twofold::stats {
namespace {

using ::testing::HasSubstr;

/// A step of which all is known: 1 job/s a worker, error 0.1 %, workers that differ by 0.1 %.
StepRecord Known(std::uint32_t workers, double throughput) {
  return {.workers = workers,
          .rate = {throughput, 0.001, 10.0, 60.0},
          .confidence = 0.95,
          .spread = {1e-6, workers - 1.0}};
}
StepRecord Known(std::uint32_t workers) { return Known(workers, workers); }

/// The same with workers that differ by 10 %.
StepRecord Varied(std::uint32_t workers, double throughput) {
  StepRecord record = Known(workers, throughput);
  record.spread.variance = 0.01;
  return record;
}

StepVerdict Only(const ScalingVerdict& scaling) {
  EXPECT_EQ(scaling.steps.size(), 1U);
  return scaling.steps.empty() ? StepVerdict{} : scaling.steps.front();
}

ThroughputEstimate Estimated(double throughput, double length, double log_error) {
  return {.seconds = length,
          .throughput = throughput,
          .log_error = log_error,
          .degrees = 10.0,
          .mean_life = 0.2,
          .steady = true,
          .reason = ""};
}

TEST(WorkerTimes, SpreadIsWhatTheScatterOfTheirOwnTimesDoesNotExplain) {
  std::vector<Moments> workers(3);
  for (std::size_t i = 0; i < 3; ++i) {
    for (const double scatter : {-0.01, 0.01}) {
      workers[i].Add(std::exp(0.1 * static_cast<double>(i)) * (1.0 + scatter));
    }
  }
  const Spread spread = BetweenWorkers(workers);
  EXPECT_NEAR(spread.variance, 0.01 - 0.0001, 1e-6);  // 0.02 / sqrt(2) of each, two times each
  EXPECT_EQ(spread.degrees, 2.0);
}

TEST(WorkerTimes, OneWorkerSaysNothingAboutOthers) {
  std::vector<Moments> workers(2);
  workers[0].Add(1.0);
  workers[0].Add(1.1);
  workers[1].Add(2.0);  // once does not count
  EXPECT_EQ(BetweenWorkers(workers).degrees, 0.0);
}

TEST(WorkerTimes, SpreadsArePooledByTheirDegreesOfFreedom) {
  const Spread pooled = Pooled(std::vector<Spread>{{0.0, 0.0}, {0.04, 1.0}, {-0.02, 3.0}});
  EXPECT_NEAR(pooled.variance, -0.005, 1e-12);
  EXPECT_EQ(pooled.degrees, 4.0);
}

TEST(JudgeScaling, EqualWorkersPassEachStep) {
  const ScalingVerdict scaling =
      JudgeScaling(std::vector{Known(1), Known(2), Known(4), Known(8), Known(16)}, 1.8);
  ASSERT_EQ(scaling.steps.size(), 4U);
  EXPECT_EQ(scaling.spread.degrees, 26.0);
  for (const StepVerdict& step : scaling.steps) {
    EXPECT_EQ(step.any_pods.verdict, Verdict::kPass) << step.workers;
    EXPECT_EQ(step.ratio, 2.0);
    EXPECT_EQ(step.limit, 1.8);
    EXPECT_EQ(step.doubt, Doubt::kNone);
  }
}

TEST(JudgeScaling, WorkersThatDifferWidenTheIntervalOfAnyPodsOnly) {
  const StepVerdict step = Only(JudgeScaling(std::vector{Varied(8, 8.0), Varied(16, 15.0)}, 1.8));
  EXPECT_EQ(step.these_pods.verdict, Verdict::kPass);
  EXPECT_EQ(step.any_pods.verdict, Verdict::kUndecided);
  EXPECT_NEAR(step.pods_width, StudentFactor(0.95, 22.0) * 0.1 * std::sqrt(1.0 / 8 + 1.0 / 16),
              1e-12);
  EXPECT_NEAR(std::log(step.any_pods.upper / step.ratio),
              std::hypot(step.time_width, step.pods_width), 1e-12);
  EXPECT_EQ(step.doubt, Doubt::kWorkers);
  EXPECT_NEAR(step.spread, 0.1, 1e-12);
}

TEST(JudgeScaling, SaysHowManyRepeatsWouldDecideAndTheyDo) {
  std::vector<StepRecord> records = {Varied(8, 8.0), Varied(16, 15.0)};
  const std::uint32_t needed = Only(JudgeScaling(records, 1.8)).repeats_needed;
  ASSERT_GT(needed, 1U);
  for (std::uint32_t repeat = 1; repeat < needed; ++repeat) {
    EXPECT_EQ(Only(JudgeScaling(records, 1.8)).any_pods.verdict, Verdict::kUndecided);
    records.insert(records.end(), {Varied(8, 8.0), Varied(16, 15.0)});
  }
  const StepVerdict step = Only(JudgeScaling(records, 1.8));
  EXPECT_EQ(step.any_pods.verdict, Verdict::kPass);
  EXPECT_EQ(step.repeats, needed);
}

TEST(JudgeScaling, RepeatsThatScatterMoreThanTheirPodsExplainSpeakForThemselves) {
  const std::vector<StepRecord> records = {Known(8, 8.0),   Known(16, 15.0), Known(8, 8.0),
                                           Known(16, 17.0), Known(8, 8.0),   Known(16, 16.0)};
  const StepVerdict step = Only(JudgeScaling(records, 1.8));
  EXPECT_EQ(step.repeats, 3U);
  EXPECT_GT(step.pods_width, StudentFactor(0.95, 2.0) * 0.06 / std::sqrt(3.0));
}

TEST(JudgeScaling, WithoutTwoWorkersAnyPodsIsUndecidedAndSaysWhatToDo) {
  StepRecord two = Known(2);
  two.spread = {};  // all pods have one name
  const StepVerdict step = Only(JudgeScaling(std::vector{Known(1), two}, 1.8));
  EXPECT_EQ(step.these_pods.verdict, Verdict::kPass);
  EXPECT_EQ(step.any_pods.verdict, Verdict::kUndecided);
  EXPECT_EQ(step.doubt, Doubt::kOneWorker);
}

TEST(JudgeScaling, AWindowThatWasNotSteadyDecidesNothing) {
  StepRecord base = Known(8);
  base.steady = false;
  const StepVerdict step = Only(JudgeScaling(std::vector{base, Known(16)}, 1.8));
  EXPECT_EQ(step.these_pods.verdict, Verdict::kUndecided);
  EXPECT_EQ(step.any_pods.verdict, Verdict::kUndecided);
  EXPECT_EQ(step.doubt, Doubt::kNotSteady);
  EXPECT_EQ(step.doubtful_workers, 8U);
}

TEST(JudgeScaling, WhatIsNotKnownDecidesNothing) {
  const StepVerdict step = Only(JudgeScaling(std::vector{Known(8, 0.0), Known(16)}, 1.8));
  EXPECT_EQ(step.any_pods.verdict, Verdict::kUndecided);
  EXPECT_TRUE(std::isinf(step.any_pods.upper));
}

TEST(JudgeScaling, TheLimitIsForTwice) {
  EXPECT_NEAR(Only(JudgeScaling(std::vector{Known(2), Known(8)}, 1.8)).limit, 3.24, 1e-12);
}

TEST(JudgeScaling, ACommonDriftIsAddedToTheWidth) {
  StepRecord base = Known(8);
  StepRecord now = Known(16);
  base.drift = now.drift = 0.04;  // 4 % in 60 s, and the middles are 60 s apart
  const double without = Only(JudgeScaling(std::vector{Known(8), Known(16)}, 1.8)).time_width;
  const double with = Only(JudgeScaling(std::vector{base, now}, 1.8)).time_width;
  EXPECT_NEAR(with - without, 0.04, 0.001);
}

TEST(JudgeScaling, ADriftThatNoiseExplainsIsNone) {
  StepRecord base = Known(8);
  StepRecord now = Known(16);
  base.drift = now.drift = 0.001;  // a mean error of 0.1 % is one of 0.35 % in the drift
  const double without = Only(JudgeScaling(std::vector{Known(8), Known(16)}, 1.8)).time_width;
  EXPECT_EQ(Only(JudgeScaling(std::vector{base, now}, 1.8)).time_width, without);
}

TEST(LookAtStep, EqualWorkersAreDoneAtTheFirstLook) {
  const StepPlan plan{.workers = 2, .scale = 1.8, .cap = 60.0};
  const StepLook look =
      LookAtStep(std::vector{Known(1)}, Estimated(2.0, 2.0, 0.001), {1e-6, 1.0}, plan);
  EXPECT_TRUE(look.done);
  ASSERT_TRUE(look.verdict);
  EXPECT_EQ(look.verdict->any_pods.verdict, Verdict::kPass);
}

TEST(LookAtStep, TheFirstStepIsDoneWhenItIsKnownToTwoPercent) {
  const StepPlan plan{.workers = 1, .scale = 1.8, .cap = 60.0};
  EXPECT_TRUE(LookAtStep({}, Estimated(1.0, 2.0, 0.004), {}, plan).done);
  EXPECT_FALSE(LookAtStep({}, Estimated(1.0, 2.0, 0.006), {}, plan).done);
  EXPECT_TRUE(LookAtStep({}, Estimated(1.0, 60.0, 0.006), {}, plan).done);  // the cap
  EXPECT_FALSE(LookAtStep({}, Estimated(1.0, 60.0, 0.006), {}, plan).verdict);
}

TEST(LookAtStep, IsNotDoneBeforeTheFirstLookNorWhileItIsNotSteady) {
  const StepPlan plan{.workers = 1, .scale = 1.8, .cap = 60.0};
  EXPECT_FALSE(LookAtStep({}, Estimated(1.0, 1.0, 0.0), {}, plan).done);
  ThroughputEstimate estimate = Estimated(1.0, 30.0, 0.0);
  estimate.steady = false;
  EXPECT_FALSE(LookAtStep({}, estimate, {}, plan).done);
}

TEST(LookAtStep, DoesNotWaitForTimeWherePodsAreWhatIsNotKnown) {
  const StepPlan plan{.workers = 16, .scale = 1.8, .cap = 60.0};
  const std::vector earlier = {Varied(8, 8.0)};
  const StepLook look = LookAtStep(earlier, Estimated(15.3, 20.0, 0.001), {0.01, 15.0}, plan);
  ASSERT_EQ(look.verdict->any_pods.verdict, Verdict::kUndecided);
  EXPECT_TRUE(look.done);
}

TEST(LookAtStep, OfAPlanWithRepeatsIsNotStoppedByItsVerdict) {
  StepPlan plan{.workers = 16, .scale = 1.8, .cap = 60.0};
  const std::vector earlier = {Known(8)};
  const ThroughputEstimate decided = Estimated(20.0, 20.0, 0.012);
  plan.repeats = 3;
  EXPECT_FALSE(LookAtStep(earlier, decided, {1e-6, 15.0}, plan).done);
  EXPECT_TRUE(LookAtStep(earlier, Estimated(14.5, 20.0, 0.004), {1e-6, 15.0}, plan).done);
}

}  // namespace
}  // namespace twofold::stats
