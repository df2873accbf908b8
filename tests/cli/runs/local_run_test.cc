#include "cli/runs/local_run.h"

#include <absl/strings/str_cat.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace twofold::cli {
namespace {

using ::testing::HasSubstr;

/// Of a sweep, with lines of its spec.
Benchmark SweepOf(const std::string& lines) {
  return ExpandBenchmark(
             "f.yaml",
             absl::StrCat("apiVersion: twofold/v1\nkind: BenchmarkSet\nmetadata: {name: set}\n",
                          "spec:\n", lines),
             {})
      .value();
}

TEST(TooFewCores, MoreProcessesThanCoresAreSaidWithTheirPermutation) {
  const Benchmark sweep = SweepOf(
      "  template: {kind: OpenFOAM, spec: {numNodes: 1}}\n"
      "  permutations: {product: {numProcs: [2, 16, 4]}}\n");
  EXPECT_EQ(TooFewCores(sweep, 2),
            "permutation 2 runs 16 processes at once on 2 cores: they take turns, which takes "
            "long, and what it measures is that");
  EXPECT_THAT(TooFewCores(sweep, 1), HasSubstr("16 processes at once on 1 core:"));
  EXPECT_THAT(TooFewCores(sweep, 15), HasSubstr("16 processes at once on 15 cores:"));
}

TEST(TooFewCores, AsManyCoresAsProcessesAreEnough) {
  const Benchmark sweep =
      SweepOf("  template: {kind: OpenFOAM, spec: {numNodes: 2, numProcs: 16}}\n");
  EXPECT_EQ(TooFewCores(sweep, 16), "");
}

TEST(TooFewCores, JobsThatRunSideBySideCountTogether) {
  const Benchmark sweep = SweepOf(
      "  template: {kind: OpenFOAM, spec: {numProcs: 4}}\n"
      "  repetitions: 3\n"
      "  maxParallel: 3\n");
  EXPECT_THAT(TooFewCores(sweep, 11), HasSubstr("permutation 1 runs 12 processes at once"));
  EXPECT_EQ(TooFewCores(sweep, 12), "");
}

TEST(TooFewCores, ASuiteThatDoesNotSayHowManyItKeepsBusyIsNotNoted) {
  EXPECT_EQ(TooFewCores(SweepOf("  template: {kind: Fio, spec: {numWorkers: 4}}\n"), 1), "");
}

}  // namespace
}  // namespace twofold::cli
