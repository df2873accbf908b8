#include "lib/words/scaling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/lib/stats/made_windows.h"

namespace twofold {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// ---- each headline, read by itself

ScalingStep First() { return {.workers = 1, .jobs = 100}; }

ScalingStep Compared(std::uint32_t workers, Growth growth, double ratio) {
  return {.workers = workers,
          .growth = growth,
          .ratio = ratio,
          .lower = ratio - 0.05,
          .upper = ratio + 0.05,
          .limit = 1.8,
          .jobs = 100 * workers};
}

ScalingStep Grown(std::uint32_t workers) { return Compared(workers, Growth::kEnough, 2.03); }
ScalingStep Short(std::uint32_t workers) { return Compared(workers, Growth::kTooLittle, 1.41); }
ScalingStep Doubtful(std::uint32_t workers) {
  ScalingStep step = Compared(workers, Growth::kUndecided, 1.82);
  step.why =
      "the limit of 1.8 is inside the interval of the ratio, 1.77 to 1.87: a longer cap helps";
  return step;
}
ScalingStep Unsteady(std::uint32_t workers) {
  return {.workers = workers, .growth = Growth::kUndecided, .why = "not steady: the rate falls"};
}

ScalingStep Failing(ScalingStep step) {
  step.failed = 2;
  step.error = "exit code 1";
  return step;
}
ScalingStep Hopeless(ScalingStep step) {
  step.failed = step.jobs;
  step.all_failed = true;
  step.error = "exit code 1";
  return step;
}

struct Read {
  std::vector<ScalingStep> steps;
  ScalingCause cause;
  const char* headline;
};

TEST(ScalingHeadline, SaysVerdictCauseAndNumbers) {
  const std::vector<Read> all = {
      {{First(), Grown(2), Grown(4)},
       ScalingCause::kGrew,
       "Pass: at least 1.8 times the work for twice the workers, up to 4 workers."},
      {{First(), Failing(Grown(2))},
       ScalingCause::kGrewButFailed,
       "Fail: jobs failed, though the throughput grew enough: 2 of 200 jobs of 2 workers failed: "
       "exit code 1."},
      {{First(), Short(2)},
       ScalingCause::kTooLittle,
       "Fail: too little growth: 2 workers did 1.41 (95 %: 1.36 to 1.46) times the work of 1, "
       "limit "
       "1.8."},
      {{First(), Grown(2), Failing(Short(4))},
       ScalingCause::kTooLittleAndFailed,
       "Fail: too little growth, and jobs failed: 4 workers did 1.41 (95 %: 1.36 to 1.46) times "
       "the "
       "work of 2, limit 1.8. 2 of 400 jobs of 4 workers failed: exit code 1."},
      {{First(), Grown(2), Doubtful(4)},
       ScalingCause::kUndecided,
       "Undecided: 4 workers beside 2: the limit of 1.8 is inside the interval of the ratio, 1.77 "
       "to "
       "1.87: a longer cap helps."},
      {{First(), Unsteady(2)},
       ScalingCause::kUndecided,
       "Undecided: 2 workers beside 1: not steady: the rate falls."},
      {{Unsteady(1)}, ScalingCause::kUndecided, "Undecided: 1 worker: not steady: the rate falls."},
      {{Failing(First()), Doubtful(2)},
       ScalingCause::kUndecidedAndFailed,
       "Fail: jobs failed, and whether the throughput grew enough is undecided: 2 of 100 jobs of 1 "
       "worker failed: exit code 1. Undecided: 2 workers beside 1: the limit of 1.8 is inside the "
       "interval of the ratio, 1.77 to 1.87: a longer cap helps."},
      {{Hopeless(First())},
       ScalingCause::kFailed,
       "Fail: jobs failed: all 100 jobs of 1 worker failed: exit code 1."},
      {{First(), Grown(2), Hopeless({.workers = 4, .jobs = 9})},
       ScalingCause::kFailed,
       "Fail: jobs failed: all 9 jobs of 4 workers failed: exit code 1."},
      {{First(), Short(2), Doubtful(4)},
       ScalingCause::kTooLittle,
       "Fail: too little growth: 2 workers did 1.41 (95 %: 1.36 to 1.46) times the work of 1, "
       "limit "
       "1.8. Undecided: 4 workers beside 2: the limit of 1.8 is inside the interval of the ratio, "
       "1.77 to 1.87: a longer cap helps."},
      {{First()},
       ScalingCause::kNothingCompared,
       "Nothing compared: no job failed, but one step has none before it."},
      {{}, ScalingCause::kNothingCompared, "Nothing compared: no step was measured."}};
  for (const Read& each : all) {
    const ScalingFound found{.scale = 1.8, .steps = each.steps};
    EXPECT_EQ(HeadlineOf(found), each.headline);
    EXPECT_EQ(CauseOf(found), each.cause) << each.headline;
  }
}

TEST(ScalingHeadline, FollowsFromTheCauseAsTheVerdictDoes) {
  const std::vector<std::pair<ScalingCause, stats::Verdict>> all = {
      {ScalingCause::kGrew, stats::Verdict::kPass},
      {ScalingCause::kNothingCompared, stats::Verdict::kUndecided},
      {ScalingCause::kTooLittle, stats::Verdict::kFail},
      {ScalingCause::kTooLittleAndFailed, stats::Verdict::kFail},
      {ScalingCause::kFailed, stats::Verdict::kFail},
      {ScalingCause::kGrewButFailed, stats::Verdict::kFail},
      {ScalingCause::kUndecidedAndFailed, stats::Verdict::kFail},
      {ScalingCause::kUndecided, stats::Verdict::kUndecided}};
  for (const auto& [cause, verdict] : all) EXPECT_EQ(VerdictOf(cause), verdict);
}

TEST(ScalingHeadline, NamesTheFirstOfSeveralStepsAndCountsTheRest) {
  ScalingFound found{.scale = 1.8, .steps = {First(), Short(2), Short(4)}};
  EXPECT_THAT(HeadlineOf(found), HasSubstr("2 workers did 1.41"));
  EXPECT_THAT(HeadlineOf(found), HasSubstr("limit 1.8; 1 step more likewise."));
  found.steps.push_back(Short(8));
  EXPECT_THAT(HeadlineOf(found), HasSubstr("; 2 steps more likewise."));
}

TEST(ScalingHeadline, JobsWhoseNumberIsNotKnownAreNotCompared) {
  ScalingStep step = Failing(Grown(2));
  step.jobs = 0;
  EXPECT_THAT(HeadlineOf({.steps = {First(), step}}), HasSubstr(": 2 jobs of 2 workers failed"));
}

TEST(ScalingHeadline, WithoutAVerdictSaysWhyAndHowFarItCame) {
  EXPECT_EQ(HeadlineWithoutVerdict("the workers changed", {.steps = {First(), Grown(2)}}),
            "No verdict: the workers changed. Measured until then: 1, 2 workers.");
  EXPECT_EQ(HeadlineWithoutVerdict("", {}), "No verdict. No step was measured.");
}

TEST(ScalingHeadline, AStepByItselfSaysWhatItDidAndWhatFailed) {
  const ScalingFound found{.steps = {First(), Failing(Grown(2)), Unsteady(4)}};
  EXPECT_EQ(TextOfStep(found, 0), "1 worker");
  EXPECT_EQ(
      TextOfStep(found, 1),
      "2 workers did 2.03 (95 %: 1.98 to 2.08) times the work of 1, limit 1.8; 2 of 200 jobs of "
      "2 workers failed: exit code 1");
  EXPECT_EQ(TextOfStep(found, 2), "4 workers beside 2: not steady: the rate falls");
}

// ---- failures that are allowed

ScalingStep Allowing(double share, std::uint64_t failed, ScalingStep step) {
  step.failed = failed;
  step.allowed = share;
  return step;
}

TEST(AllowedFailures, AreNoCause) {
  const ScalingFound found{.steps = {First(), Allowing(0.01, 2, Grown(2))}};
  EXPECT_EQ(CauseOf(found), ScalingCause::kGrew);
  EXPECT_THAT(TextOfStep(found, 1), HasSubstr("2 of 200 jobs of 2 workers failed (1 %, 95 %: "
                                              "0.121 % to 3.57 %; 1 % allowed)"));
}

TEST(AllowedFailures, AreUndecidedIfChanceExplainsThatThereAreMore) {
  const ScalingFound found{.steps = {First(), Allowing(0.01, 3, Grown(2))}};
  EXPECT_EQ(CauseOf(found), ScalingCause::kUndecided);
  EXPECT_EQ(HeadlineOf(found),
            "Undecided: 3 of 200 jobs of 2 workers failed (1.5 %, 95 %: 0.31 % to 4.32 %; 1 % "
            "allowed).");
}

TEST(AllowedFailures, FailAStepThatHasMoreForCertain) {
  const ScalingFound found{.steps = {First(), Allowing(0.01, 20, Grown(2))}};
  EXPECT_EQ(CauseOf(found), ScalingCause::kGrewButFailed);
}

TEST(WordOfAStep, SaysWhatFailedJobsAddToItsGrowth) {
  EXPECT_EQ(WordOf("pass", stats::Verdict::kPass), "pass");
  EXPECT_EQ(WordOf("pass", stats::Verdict::kFail), "pass+failures");
  EXPECT_EQ(WordOf("pass", stats::Verdict::kUndecided), "pass+failures?");
  EXPECT_EQ(WordOf("failures", stats::Verdict::kFail), "failures");
}

// ---- why a step is undecided

/// Workers differ by `sd`.
stats::StepRecord Record(std::uint32_t workers, double throughput, double sd) {
  return stats::EvenRecord(workers, throughput, sd);
}

std::string Why(const stats::StepRecord& base, const stats::StepRecord& now,
                stats::Pods pods = stats::Pods::kAny) {
  const auto scaling = stats::JudgeScaling(std::vector{base, now}, 1.8);
  EXPECT_EQ(scaling.steps.size(), 1U);
  return scaling.steps.empty() ? "" : WhyUndecided(scaling.steps[0], pods);
}

TEST(WhyUndecided, SaysWhatIsInDoubtAndWhatHelps) {
  EXPECT_EQ(Why(Record(8, 8.0, 0.001), Record(16, 16.0, 0.001)), "");
  EXPECT_THAT(Why(Record(8, 8.0, 0.1), Record(16, 15.0, 0.1)),
              StartsWith("the limit of 1.8 is inside the interval of the ratio, 1.7"));
  EXPECT_THAT(Why(Record(8, 8.0, 0.1), Record(16, 15.0, 0.1)),
              HasSubstr(", as workers differ by 10.0 %: "));
  EXPECT_THAT(Why(Record(8, 8.0, 1e-6), Record(16, 14.4, 1e-6)), HasSubstr(": a longer cap helps"));
  EXPECT_THAT(Why(Record(8, 8.0, 0.1), Record(16, 14.4, 0.1), stats::Pods::kThese),
              HasSubstr(": a longer cap helps"));
  stats::StepRecord one = Record(1, 2.0, 0.0);
  one.workers = 2;
  EXPECT_THAT(Why(Record(1, 1.0, 0.0), one), StartsWith("one worker says nothing about others"));
}

TEST(WhyUndecided, NamesTheStepThatWasNotSteadyOrNotMeasured) {
  stats::StepRecord base = Record(8, 8.0, 0.001);
  base.steady = false;
  EXPECT_EQ(Why(base, Record(16, 16.0, 0.001)), "the throughput of 8 workers was not steady");
  EXPECT_EQ(Why(base, Record(16, 16.0, 0.001), stats::Pods::kThese),
            "the throughput of 8 workers was not steady");
  stats::StepRecord unknown = Record(16, 0.0, 0.001);
  EXPECT_EQ(Why(Record(8, 8.0, 0.001), unknown), "the throughput of 16 workers is not known");
}

TEST(WhyUndecided, SaysThatTooLittleWasSeenForAnInterval) {
  stats::StepRecord two = Record(2, 2.0, 0.1);
  two.confidence = 0.9988;
  EXPECT_EQ(Why(Record(1, 1.0, 0.0), two),
            "too little was seen for an interval of the ratio: measure longer, or repeat with new "
            "pods");
}

TEST(TextOfStep, SaysThatTooLittleWasSeenForAnInterval) {
  ScalingStep step = Doubtful(2);
  step.lower = step.upper = 0.0;
  EXPECT_THAT(TextOfStep({.steps = {First(), step}}, 1),
              StartsWith("2 workers did 1.82 (too little was seen for an interval) times the work "
                         "of 1, limit 1.8; "));
}

TEST(LeftOut, SaysHowLongAndHowJobsWereMeanwhile) {
  EXPECT_EQ(LeftOut({}), "");
  EXPECT_EQ(LeftOut({.cut = 31.0, .cut_change = 1.0 / 1.28 - 1.0}),
            "first 31 s left out: jobs were 28 % slower");
  EXPECT_EQ(LeftOut({.cut = 2.5, .cut_change = 0.25}),
            "first 2.5 s left out: jobs were 20 % faster");
  EXPECT_EQ(LeftOut({.cut = 2.5, .cut_change = -1.0}), "first 2.5 s left out: nothing was done");
}

}  // namespace
}  // namespace twofold
