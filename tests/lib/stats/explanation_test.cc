#include "lib/stats/explanation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

namespace twofold::stats {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// Jobs of 0.2 s in a closed loop: a worker does five a second, whatever the parts of the time.
StepEvidence StepOf(std::uint32_t workers, double run = 0.2, double wait = 0.001,
                    double overhead = 0.001) {
  StepEvidence step;
  step.workers = workers;
  step.rate = {workers / (run + wait + overhead), 0.002, 12.0, 30.0};
  step.jobs = 1000;
  step.wait = wait;
  step.run = run;
  step.overhead = overhead;
  return step;
}

using Steps = std::vector<StepEvidence>;

TEST(Explanation, PerfectDoublingHasNothingToExplain) {
  const Explanation why = Explain(Steps{StepOf(1), StepOf(2), StepOf(4)});
  EXPECT_EQ(Name(why.cause), "nothing");
  EXPECT_EQ(why.text,
            "with 4 workers a job took at most 0.59 % longer than with 1, wait, run time and "
            "overhead together: 4 did 4 times the work of 1");
}

TEST(Explanation, JobsThatCertainlyTookLessTimeTookNoLonger) {
  EXPECT_THAT(Explain(Steps{StepOf(1), StepOf(2, 0.19)}).text,
              HasSubstr("with 2 workers a job took no longer than with 1, wait,"));
}

TEST(Explanation, FailedJobsStandBesideGrowthThatIsFine) {
  Steps steps = {StepOf(1), StepOf(2)};
  steps[1].failed = 40;
  const Explanation why = Explain(steps);
  EXPECT_EQ(why.cause, Cause::kNothing);
  EXPECT_THAT(why.text, HasSubstr("; 4 % of the jobs of 2 workers failed"));
}

TEST(Explanation, OneStepOrUnknownThroughputsExplainNothing) {
  EXPECT_EQ(Explain({}).cause, Cause::kUnknown);
  EXPECT_EQ(Explain(Steps{StepOf(1)}).cause, Cause::kUnknown);
  StepEvidence unknown = StepOf(2);
  unknown.rate.log_error = std::numeric_limits<double>::infinity();
  EXPECT_EQ(Explain(Steps{StepOf(1), unknown}).cause, Cause::kUnknown);
}

TEST(Explanation, GrowthWithinItsErrorIsNotExplained) {
  Steps steps = {StepOf(4), StepOf(8, 0.23)};
  EXPECT_EQ(Explain(steps).cause, Cause::kContention);
  steps[1].rate.log_error = 0.1;
  const Explanation why = Explain(steps);
  EXPECT_EQ(Name(why.cause), "noise");
  EXPECT_THAT(why.text, HasSubstr("with an error of 24 %: too little to tell growth from chance"));
}

TEST(Explanation, LessThanFivePercentForTwiceTheWorkersIsNotWorthAWord) {
  EXPECT_EQ(Explain(Steps{StepOf(4), StepOf(8, 0.207)}).cause, Cause::kNothing);
  EXPECT_EQ(Explain(Steps{StepOf(4), StepOf(8, 0.213)}).cause, Cause::kContention);
  // For four times the workers it is twice as much.
  EXPECT_EQ(Explain(Steps{StepOf(4), StepOf(16, 0.213)}).cause, Cause::kNothing);
}

TEST(Explanation, LossesWithinTheErrorOfEachStepAddUp) {
  Steps steps = {StepOf(1), StepOf(2, 0.216), StepOf(4, 0.234), StepOf(8, 0.253)};
  for (StepEvidence& step : steps) step.rate.log_error = 0.04;
  const Explanation why = Explain(steps);
  EXPECT_EQ(why.base_workers, 1U);
  EXPECT_EQ(why.workers, 8U);
}

TEST(Explanation, IsAboutTheNeighboursBetweenWhichMostWasLost) {
  const Explanation why =
      Explain(Steps{StepOf(8, 0.5), StepOf(1), StepOf(4, 0.44), StepOf(2, 0.21)});
  EXPECT_EQ(why.base_workers, 2U);
  EXPECT_EQ(why.workers, 4U);
}

TEST(Explanation, WaitThatGrewIsTheFrontendOrTheLoadClient) {
  const Explanation why = Explain(Steps{StepOf(1), StepOf(2, 0.2, 0.1)});
  EXPECT_EQ(Name(why.cause), "wait");
  EXPECT_EQ(why.text,
            "with 2 workers a job took 49 % longer than with 1: wait grew from 0.001 s to 0.1 s, "
            "run time and overhead did not; the frontend or the load client is the limit");
}

TEST(Explanation, OverheadThatGrewIsTheNetwork) {
  const Explanation why = Explain(Steps{StepOf(1), StepOf(2, 0.2, 0.001, 0.1)});
  EXPECT_EQ(Name(why.cause), "overhead");
  EXPECT_THAT(why.text, HasSubstr("network"));
}

TEST(Explanation, TwoPartsThatGrewAreBothNamed) {
  const Explanation why = Explain(Steps{StepOf(1), StepOf(2, 0.26, 0.04)});
  EXPECT_EQ(why.cause, Cause::kContention);
  EXPECT_THAT(why.text, HasSubstr("run time grew from 0.2 s to 0.26 s, wait grew from 0.001 s to "
                                  "0.04 s, overhead did not"));
}

TEST(Explanation, PartsThatAreNotKnownAreNotGuessed) {
  Steps steps = {StepOf(1), StepOf(2, 0.4)};
  steps[0].wait.reset();
  const Explanation why = Explain(steps);
  EXPECT_EQ(why.cause, Cause::kUnknown);
  EXPECT_THAT(why.text, HasSubstr("which part of its time grew is not known"));
}

TEST(Explanation, BusyCoresThatDoNotGrowWithTheWorkersAreContention) {
  Steps steps = {StepOf(2), StepOf(4, 0.4)};
  steps[0].cpu = 1.98;
  steps[1].cpu = 1.99;
  const Explanation why = Explain(steps);
  EXPECT_EQ(Name(why.cause), "cpu");
  EXPECT_EQ(why.text,
            "with 4 workers a job took 99 % longer than with 2: run time grew from 0.2 s to 0.4 s, "
            "wait and overhead did not; 1.98 cores were busy with 2 workers and 1.99 with 4: "
            "workers contend for CPU");
}

TEST(Explanation, WorkersWithoutAFreeCoreAreLateWithResultsToo) {
  Steps steps = {StepOf(2), StepOf(4, 0.25, 0.001, 0.15)};
  steps[0].cpu = 1.98;
  steps[1].cpu = 1.99;
  EXPECT_EQ(Name(Explain(steps).cause), "cpu");
  steps[1].cpu = 3.9;
  EXPECT_EQ(Name(Explain(steps).cause), "overhead");
}

TEST(Explanation, MoreCpuTimeAJobIsASlowerCpu) {
  Steps steps = {StepOf(2), StepOf(4, 0.4)};
  steps[0].cpu = 1.98;
  steps[1].cpu = 3.96;
  EXPECT_EQ(Name(Explain(steps).cause), "slower_cpu");
}

TEST(Explanation, WorkersThatDoNotComputeContendForSomethingElse) {
  Steps steps = {StepOf(2), StepOf(4, 0.4)};
  steps[0].cpu = 0.02;
  steps[1].cpu = 0.02;
  const Explanation why = Explain(steps);
  EXPECT_EQ(Name(why.cause), "contention");
  EXPECT_THAT(why.text, HasSubstr("workers wait for something, such as disk"));
}

TEST(Explanation, AQuotaThatHeldWorkersUpComesFirst) {
  Steps steps = {StepOf(2), StepOf(4, 0.4)};
  steps[0].cpu = steps[1].cpu = 2.0;
  steps[1].throttled = 0.4;
  const Explanation why = Explain(steps);
  EXPECT_EQ(Name(why.cause), "throttled");
  EXPECT_THAT(why.text, HasSubstr("held workers up 40 % of the time: raise their CPU limit"));
  steps[1].throttled = 0.04;
  EXPECT_EQ(Name(Explain(steps).cause), "cpu");
}

TEST(Explanation, AFullerNodeWhoseRunsTakeLongerIsNamed) {
  Steps steps = {StepOf(2), StepOf(4, 0.35)};
  steps[1].nodes = {{"a", 3, 600, 0.4}, {"b", 1, 400, 0.2}, {"c", 0, 0, std::nullopt}};
  const Explanation why = Explain(steps);
  EXPECT_EQ(Name(why.cause), "node");
  EXPECT_THAT(why.text, HasSubstr("a run takes node a (3 workers) 0.4 s and node b (1 worker) "
                                  "0.2 s on average: workers contend on the fuller node"));
  steps[1].nodes[0].jobs = steps[1].nodes[1].jobs = 10;  // twice as long may be chance
  EXPECT_EQ(Name(Explain(steps).cause), "contention");
}

TEST(Explanation, OneSlowWorkerIsTheCauseIfItAloneExplainsTheGrowth) {
  Steps steps = {StepOf(2), StepOf(4, 0.25)};
  steps[1].spread = 0.4;
  steps[1].slowest = "pod-x";
  steps[1].slowest_by = 0.8;
  const Explanation why = Explain(steps);
  EXPECT_EQ(Name(why.cause), "straggler");
  EXPECT_THAT(why.text, HasSubstr("workers differ by 40 %, and the straggler pod-x takes 80 % "));
  steps[1].slowest_by = 0.3;
  EXPECT_EQ(Name(Explain(steps).cause), "contention");
  EXPECT_THAT(Explain(steps).text, HasSubstr("the straggler pod-x takes 30 % longer"));
}

TEST(Explanation, MissingJobsAreFailuresOrTheLoad) {
  Steps steps = {StepOf(2), StepOf(4)};
  steps[1].rate.throughput *= 0.7;
  EXPECT_EQ(Name(Explain(steps).cause), "load");
  steps[1].failed = 300;
  const Explanation why = Explain(steps);
  EXPECT_EQ(Name(why.cause), "failures");
  EXPECT_THAT(why.text, HasSubstr("30 % of the jobs of 4 workers failed"));
}

TEST(Explanation, WhatIsWorthKnowingIsSaidAlthoughNothingGrew) {
  Steps steps = {StepOf(2), StepOf(4)};
  steps[0].throttled = steps[1].throttled = 0.2;
  const Explanation why = Explain(steps);
  EXPECT_EQ(Name(why.cause), "nothing");
  EXPECT_THAT(why.text, HasSubstr("; the CPU quota held workers up 20 % of the time"));
}

TEST(Explanation, RepeatsCountAsTheirMean) {
  Steps steps = {StepOf(2), StepOf(4, 0.4), StepOf(2), StepOf(4, 0.2)};
  for (StepEvidence& step : steps) step.rate.log_error = 0.1;
  const Explanation why = Explain(steps);
  EXPECT_THAT(why.text, HasSubstr("run time grew from 0.2 s to 0.3 s"));
  EXPECT_THAT(why.text, HasSubstr("41 % longer"));  // sqrt(2)
}

TEST(Explanation, EveryCauseHasAName) {
  for (int i = 0; i <= static_cast<int>(Cause::kContention); ++i) {
    EXPECT_THAT(std::string(Name(static_cast<Cause>(i))), Not(::testing::IsEmpty()));
  }
}

}  // namespace
}  // namespace twofold::stats
