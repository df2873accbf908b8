#include "cli/runs/run_view.h"

#include <gmock/gmock.h>

#include "cli/runs/benchmark.h"
#include "tests/cli/runs/expansions.h"

namespace twofold::run {
namespace {

using testing::HasSubstr;

class RunViewTest : public testing::Test {
 protected:
  RunViewTest()
      : benchmark_(*cli::ExpandBenchmark(
            "f.yaml",
            "apiVersion: twofold/v1\nkind: BenchmarkSet\nmetadata: {name: set}\nspec:\n"
            "  template: {kind: Fio}\n  permutations: {product: {rw: [read, write], bs: [4k]}}\n"
            "  repetitions: 2\n",
            {})),
        driver_({}, benchmark_.expansion) {}

  void See(std::uint64_t permutation, std::uint32_t repetition, Phase phase, double headline = 0) {
    Seen seen = Succeeded({permutation, repetition, false}, ++id_, headline);
    seen.phase = phase;
    driver_.See(seen);
  }

  cli::Benchmark benchmark_;
  Driver driver_;
  std::uint64_t id_ = 0;
};

TEST_F(RunViewTest, ARunThatFellShortSaysHowAndWhyTheFirstJobFailed) {
  See(1, 1, Phase::kSucceeded, 10);
  See(1, 2, Phase::kSucceeded, 10);
  Seen failed = Succeeded({2, 1, false}, ++id_, 0);
  failed.phase = Phase::kFailed;
  failed.reason = "exit code 1";
  driver_.See(failed);
  EXPECT_EQ(ShortfallText(driver_),
            "1 failed, 1 unfinished of 4 jobs; the first that failed: permutation 2 repetition 1 "
            "(rw=write bs=4k): exit code 1");
  See(2, 1, Phase::kSucceeded, 10);
  See(2, 2, Phase::kWithdrawn);
  EXPECT_EQ(ShortfallText(driver_), "1 withdrawn of 4 jobs");
}

TEST_F(RunViewTest, WhereNothingIsVariedTheLineEndsWithoutIt) {
  benchmark_.expansion.permutations[1].values.clear();
  See(2, 1, Phase::kRunning);
  EXPECT_EQ(ProgressText(driver_, ProgressOf(driver_)), "0/4 done, 1 running");
}

TEST_F(RunViewTest, ALineSaysHowFarItIs) {
  See(1, 1, Phase::kSucceeded, 10);
  See(1, 2, Phase::kFailed);
  See(2, 1, Phase::kRunning);
  const Progress progress = ProgressOf(driver_);
  EXPECT_EQ(ProgressText(driver_, progress),
            "2/4 done, 1 running, 1 failed, 1 s left, 2: rw=write bs=4k");
  EXPECT_THAT(ProgressLine(driver_, progress, 200), HasSubstr("[##########..........] 2/4 done"));
  EXPECT_LE(ProgressLine(driver_, progress, 30).size(), 30U);
}

TEST_F(RunViewTest, ALineCountsWhatHasEnded) {
  EXPECT_EQ(CountsText(benchmark_.sweep, driver_), "Fio: 0 of 4 jobs succeeded, 4 unfinished\n");
  See(1, 1, Phase::kSucceeded, 10);
  See(1, 2, Phase::kFailed);
  See(2, 1, Phase::kWithdrawn);
  See(2, 2, Phase::kRunning);
  EXPECT_EQ(CountsText(benchmark_.sweep, driver_),
            "Fio: 1 of 4 jobs succeeded, 1 failed, 1 withdrawn, 1 unfinished\n");
}

}  // namespace
}  // namespace twofold::run
