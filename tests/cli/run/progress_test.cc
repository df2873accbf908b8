#include "cli/run/progress.h"

#include <gmock/gmock.h>

#include "tests/cli/run/expansions.h"

namespace twofold::run {
namespace {

using std::chrono::seconds;

Seen Ran(Phase phase, const JobKey& key, std::uint64_t id, Duration run_time) {
  return {.key = key, .id = id, .phase = phase, .run_time = run_time};
}

TEST(Progress, CountsJobsByPhase) {
  const spec::Expansion expansion = ExpansionOf(1, 6);
  Driver driver({}, expansion);
  const Phase phases[] = {Phase::kSucceeded, Phase::kFailed, Phase::kWithdrawn, Phase::kWaiting,
                          Phase::kRunning};
  std::uint32_t number = 0;
  for (const Phase phase : phases) {
    ++number;
    driver.See(In(phase, {1, number, false}, number));
  }
  const Progress progress = ProgressOf(driver);
  EXPECT_EQ(progress.jobs, 6U);
  EXPECT_EQ(progress.ended(), 3U);
  EXPECT_EQ(progress.running, 1U);
  EXPECT_EQ(progress.succeeded, 1U);
  EXPECT_EQ(progress.failed, 1U);
  EXPECT_EQ(progress.withdrawn, 1U);
  EXPECT_EQ(progress.current, 4U);
}

TEST(Progress, KnowsNoEndBeforeAJobHasEnded) {
  const spec::Expansion expansion = ExpansionOf(1, 2);
  Driver driver({}, expansion);
  driver.See(Ran(Phase::kRunning, {1, 1, false}, 1, seconds(5)));
  EXPECT_EQ(ProgressOf(driver).left, std::nullopt);
}

TEST(Progress, ExpectsJobsToTakeAsLongAsOthersOfTheirPermutation) {
  const spec::Expansion expansion = ExpansionOf(3, 2);
  Driver driver({}, expansion);
  driver.See(Ran(Phase::kSucceeded, {1, 1, false}, 1, seconds(10)));
  driver.See(Ran(Phase::kSucceeded, {2, 1, false}, 2, seconds(30)));
  // 10 + 30 + 2 x the mean of both
  EXPECT_EQ(ProgressOf(driver).left, seconds(80));
}

TEST(Progress, ManyAtOnceAreSoonerThere) {
  const spec::Expansion expansion = ExpansionOf(1, 5);
  Driver driver({}, expansion);
  driver.See(Ran(Phase::kSucceeded, {1, 1, false}, 1, seconds(10)));
  driver.See(Ran(Phase::kRunning, {1, 2, false}, 2, seconds(4)));
  driver.See(Ran(Phase::kRunning, {1, 3, false}, 3, seconds(60)));  // longer than expected
  EXPECT_EQ(ProgressOf(driver).left, seconds((6 + 0 + 10 + 10) / 2));
}

TEST(Summaries, HaveTheMeanOfEachHeadlineAndLeaveOutWarmUps) {
  const spec::Expansion expansion = ExpansionOf(2, 3, 1);
  Driver driver({}, expansion);
  driver.See(Succeeded({1, 1, true}, 1, 1000));
  driver.See(Succeeded({1, 1, false}, 2, 10));
  driver.See(Succeeded({1, 2, false}, 3, 14));
  driver.See(In(Phase::kFailed, {1, 3, false}, 4));
  const auto summaries = SummariesOf(driver);
  ASSERT_EQ(summaries.size(), 2U);
  EXPECT_EQ(summaries[0].jobs, 3U);
  EXPECT_EQ(summaries[0].succeeded, 2U);
  EXPECT_EQ(summaries[0].failed, 1U);
  ASSERT_EQ(summaries[0].headlines.size(), 1U);
  EXPECT_EQ(summaries[0].headlines[0].of, (Headline{"throughput", "MiB/s", 12}));
  EXPECT_NEAR(summaries[0].headlines[0].interval.half_width, 25.41, 0.01);  // t(1) = 12.706
  EXPECT_TRUE(summaries[1].headlines.empty());
}

TEST(Summaries, KeepHeadlinesOfDifferentUnitsApart) {
  const spec::Expansion expansion = ExpansionOf(1, 2);
  Driver driver({}, expansion);
  Seen seen = Succeeded({1, 1, false}, 1, 10);
  seen.headlines.push_back({"latency", "us", 3});
  driver.See(seen);
  driver.See(Succeeded({1, 2, false}, 2, 20));
  const auto headlines = SummariesOf(driver).at(0).headlines;
  ASSERT_EQ(headlines.size(), 2U);
  EXPECT_EQ(headlines[0].values.size(), 2U);
  EXPECT_EQ(headlines[1].of.name, "latency");
  EXPECT_EQ(headlines[1].values.size(), 1U);
}

}  // namespace
}  // namespace twofold::run
