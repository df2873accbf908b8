#include <gmock/gmock.h>

#include "cli/runs/run_view.h"
#include "tests/cli/runs/expansions.h"

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

}  // namespace
}  // namespace twofold::run
