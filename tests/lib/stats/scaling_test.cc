#include "lib/stats/scaling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "lib/stats/comparison.h"
#include "tests/lib/stats/made_windows.h"

namespace twofold::stats {
namespace {

/// A step of which all is known: 1 job/s a worker, workers that differ by 0.1 %.
StepRecord Known(std::uint32_t workers, double throughput) {
  return EvenRecord(workers, throughput);
}
StepRecord Known(std::uint32_t workers) { return Known(workers, workers); }

/// The same with workers that differ by 10 %.
StepRecord Varied(std::uint32_t workers, double throughput) {
  return EvenRecord(workers, throughput, 0.1);
}

StepVerdict Only(const ScalingVerdict& scaling) {
  EXPECT_EQ(scaling.steps.size(), 1U);
  return scaling.steps.empty() ? StepVerdict{} : scaling.steps.front();
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

TEST(JudgeScaling, EqualWorkersPassEachStep) {
  const ScalingVerdict scaling =
      JudgeScaling(std::vector{Known(1), Known(2), Known(4), Known(8), Known(16)}, 1.8);
  ASSERT_EQ(scaling.steps.size(), 4U);
  EXPECT_EQ(scaling.spread.degrees, 26.0);
  for (const StepVerdict& step : scaling.steps) {
    EXPECT_EQ(step.any_pods.verdict, Verdict::kPass) << step.workers;
    EXPECT_NEAR(step.ratio, 2.0, 1e-12);
    EXPECT_EQ(step.limit, 1.8);
    EXPECT_EQ(step.doubt, Doubt::kNone);
  }
}

TEST(JudgeScaling, TwoWorkersSayTooLittleOfOthersForAnIntervalBeforeTheLastLook) {
  StepRecord now = Varied(2, 2.0);
  now.confidence = 0.9988;
  const StepVerdict step = Only(JudgeScaling(std::vector{Known(1), now}, 1.8));
  EXPECT_EQ(step.any_pods.verdict, Verdict::kUndecided);
  EXPECT_EQ(step.any_pods.lower, 0.0);
  EXPECT_TRUE(std::isinf(step.any_pods.upper));
  EXPECT_NEAR(step.ratio, 2.0, 1e-9);
  EXPECT_NEAR(step.these_pods.upper, step.ratio, 0.2);
}

TEST(JudgeScaling, WorkersThatDifferWidenTheIntervalOfAnyPodsOnly) {
  const StepVerdict step = Only(JudgeScaling(std::vector{Varied(8, 8.0), Varied(16, 15.0)}, 1.8));
  EXPECT_EQ(step.these_pods.verdict, Verdict::kPass);
  EXPECT_EQ(step.any_pods.verdict, Verdict::kUndecided);
  EXPECT_NEAR(step.pods_width, StudentFactor(0.95, 22.0) * 0.1 * std::sqrt(1.0 / 8 + 1.0 / 16),
              0.01);
  EXPECT_NEAR(std::log(step.any_pods.upper / step.ratio),
              std::hypot(step.time_width, step.pods_width), 0.002);
  EXPECT_EQ(step.doubt, Doubt::kWorkers);
  EXPECT_NEAR(step.spread, 0.1, 1e-9);
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
  StepRecord two = Known(1, 2.0);  // all pods have one name
  two.workers = 2;
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

/// A rate that rises by `rise` over the window.
MeasuredWindow Rising(std::uint32_t workers, double throughput, double rise) {
  return ShapedWindow(workers, throughput, [rise](std::size_t part) {
    return 1.0 + rise * (static_cast<double>(part) / 63.0 - 0.5);
  });
}

TEST(JudgeScaling, ACommonDriftIsTakenFromTheSideThatItSpeaksFor) {
  StepRecord base = Known(8);
  StepRecord now = Known(16);
  const RatioInterval still = Only(JudgeScaling(std::vector{base, now}, 1.8)).these_pods;
  base.window = Rising(8, 8.0, 0.04);  // and the middles are as far apart as a window is long
  now.window = Rising(16, 16.0, 0.04);
  const RatioInterval rising = Only(JudgeScaling(std::vector{base, now}, 1.8)).these_pods;
  EXPECT_NEAR(std::log(still.lower / rising.lower), 0.04, 0.01);
  EXPECT_NEAR(rising.upper, still.upper, 0.02);
}

/// A start that is slower by 30 %, for a tenth of the window.
StepRecord Cold(std::uint32_t workers, double throughput) {
  StepRecord record = Known(workers);
  record.window = ShapedWindow(workers, throughput, [](std::size_t part) {
    return 1.0 - 0.3 * std::exp(-static_cast<double>(part) / 3.0) +
           0.002 * std::cos(7.0 * static_cast<double>(part * part));
  });
  return record;
}

TEST(JudgeScaling, AWarmUpIsLeftOutOfBothWindowsWhicheverHasIt) {
  for (const auto& [base, now] : {std::pair(Cold(8, 8.0), Known(16)),
                                  {Known(8), Cold(16, 16.0)},
                                  {Cold(8, 8.0), Cold(16, 16.0)}}) {
    const StepVerdict step = Only(JudgeScaling(std::vector{base, now}, 1.8));
    EXPECT_EQ(step.any_pods.verdict, Verdict::kPass);
    EXPECT_NEAR(step.ratio, 2.0, 0.01);
    EXPECT_GT(step.cut, 3.0);
    EXPECT_LE(step.cut, 30.0);
    EXPECT_LT(step.cut_change, -0.03);
  }
  EXPECT_EQ(Only(JudgeScaling(std::vector{Known(8), Known(16)}, 1.8)).cut, 0.0);
}

TEST(JudgeScaling, AShorterWindowIsAlsoComparedAtTheSameAge) {
  StepRecord base = Known(8);
  base.window = Rising(8, 8.0, 0.12);  // so that its first half is slower by 3 %
  StepRecord now = Known(16);
  const RatioInterval same = Only(JudgeScaling(std::vector{base, now}, 1.8)).these_pods;
  now.window.seconds /= 2.0;
  for (double& part : now.window.total) part /= 2.0;
  const RatioInterval shorter = Only(JudgeScaling(std::vector{base, now}, 1.8)).these_pods;
  EXPECT_GT(shorter.upper, same.upper + 0.04);
}

}  // namespace
}  // namespace twofold::stats
