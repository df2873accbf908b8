// The bounds that lib/queue/gathering_gangs.h states, in virtual time.
//
//   TWOFOLD_GANGS_CSV  a file: gets what the workers do over time, for docs/gangs.svg

#include "tests/lib/queue/gang_simulation.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iostream>

#include "tests/support/sanitized.h"

namespace twofold::queue {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

void Print(const GangFigures& figures) {
  std::cout << figures.gangs << " gangs, " << figures.small_jobs << " small jobs; longest idle "
            << ToSeconds(figures.longest_idle) << " s, gang gathered "
            << ToSeconds(figures.longest_gather) << " s, gang waited "
            << ToSeconds(figures.longest_gang_wait) << " s, small job waited "
            << ToSeconds(figures.longest_small_wait) << " s\n";
}

void Write(const GangFigures& figures, const char* path) {
  std::ofstream file(path);
  file << "seconds,small,gang,reserved,idle,waiting\n";
  for (const GangSample& sample : figures.samples) {
    file << ToSeconds(sample.at.time_since_epoch()) << ',' << sample.small << ',' << sample.gang
         << ',' << sample.reserved << ',' << sample.idle << ',' << sample.waiting << '\n';
  }
}

class GangSimulationTest : public testing::TestWithParam<std::uint64_t> {
 protected:
  GangScenario scenario{.seed = GetParam()};
};

TEST_P(GangSimulationTest, ImpatientGangStartsWithinFiveOfTheLongestRuns) {
  const GangFigures figures = GangSimulation(scenario).Run();
  Print(figures);
  ASSERT_GE(figures.gangs, 29U);
  ASSERT_GT(figures.longest_gather, scenario.gang_timeout) << "no gang ever gave up";
  ASSERT_GT(figures.longest_idle, Duration{0});
  EXPECT_LE(figures.longest_gather, 5 * scenario.longest_run);
  EXPECT_LE(figures.longest_idle, scenario.longest_run);
  EXPECT_LE(figures.most_held_over_passed, scenario.longest_run);
  const char* csv = std::getenv("TWOFOLD_GANGS_CSV");
  if (csv != nullptr && GetParam() == 1) Write(figures, csv);
}

TEST_P(GangSimulationTest, PatientGangStartsWithinTheLongestRun) {
  scenario.gang_timeout = seconds(30);
  const GangFigures figures = GangSimulation(scenario).Run();
  Print(figures);
  EXPECT_LE(figures.longest_gather, scenario.longest_run);
  EXPECT_LE(figures.longest_idle, scenario.longest_run);
}

TEST_P(GangSimulationTest, SlotsAreHeldForTheTimeoutAndThenForTwiceThat) {
  scenario.gang_timeout = milliseconds(500);
  scenario.gang_every = seconds(6);
  scenario.gang_size = 4;
  const GangFigures figures = GangSimulation(scenario).Run();
  Print(figures);
  ASSERT_LE(figures.longest_gather, 4 * scenario.gang_timeout) << "some gang had a third try";
  EXPECT_GT(figures.longest_idle, scenario.gang_timeout) << "none had a second one";
  EXPECT_LE(figures.longest_idle, 2 * scenario.gang_timeout);
}

// What gangs cost the small jobs: at most what the gangs run and hold.
TEST_P(GangSimulationTest, SmallJobsDoNotStarve) {
  GangScenario without = scenario;
  without.gang_every = scenario.length + seconds(1);
  const GangFigures alone = GangSimulation(without).Run();
  const GangFigures beside = GangSimulation(scenario).Run();
  Print(alone);
  EXPECT_LE(beside.longest_small_wait,
            alone.longest_small_wait + scenario.gang_run + 2 * scenario.longest_run);
}

INSTANTIATE_TEST_SUITE_P(Seeds, GangSimulationTest, testing::Range<std::uint64_t>(1, 1 + Fewer(3)));

}  // namespace
}  // namespace twofold::queue
