#include <gmock/gmock.h>

#include <map>
#include <set>

#include "lib/spec/expansion.h"
#include "tests/lib/spec/sweeps.h"

namespace twofold::spec {
namespace {

using testing::HasSubstr;

/// The jobs as text, such as "w1 1 1 w2 2 2": permutation, "w" for a warm-up.
std::string Jobs(const std::string& options, const std::string& values = "1, 2, 3") {
  const Expansion expansion =
      ExpandedWell(IPerfSet("permutations: {product: {streams: [" + values + "]}}\n" + options));
  std::string text;
  for (const PlannedJob& job : expansion.jobs) {
    text += (text.empty() ? "" : " ") + std::string(job.warm_up ? "w" : "") +
            std::to_string(job.permutation + 1) + "." + std::to_string(job.repetition);
  }
  return text;
}

TEST(JobOrder, RepetitionsAreConsecutiveAsInKubePerftest) {
  EXPECT_EQ(Jobs("repetitions: 2\n"), "1.1 1.2 2.1 2.2 3.1 3.2");
}

TEST(JobOrder, InterleavedGoesRoundByRound) {
  EXPECT_EQ(Jobs("repetitions: 2\norder: interleaved\n"), "1.1 2.1 3.1 1.2 2.2 3.2");
}

TEST(JobOrder, WarmUpsComeFirst) {
  EXPECT_EQ(Jobs("warmup: 1\n"), "w1.1 1.1 w2.1 2.1 w3.1 3.1");
  EXPECT_EQ(Jobs("warmup: 1\norder: interleaved\n"), "w1.1 w2.1 w3.1 1.1 2.1 3.1");
}

TEST(JobOrder, ShuffledIsTheSameEverywhereForASeed) {
  EXPECT_EQ(Jobs("order: shuffled\nseed: 1\nrepetitions: 2\n"),
            Jobs("order: shuffled\nrepetitions: 2\n"));
  EXPECT_EQ(Jobs("order: shuffled\nseed: 7\nrepetitions: 3\nwarmup: 1\n"),
            "w2.1 w3.1 w1.1 3.1 2.1 2.2 3.2 1.1 2.3 3.3 1.2 1.3");
  EXPECT_NE(Jobs("order: shuffled\nseed: 7\nrepetitions: 3\n"),
            Jobs("order: shuffled\nseed: 8\nrepetitions: 3\n"));
}

TEST(JobOrder, ShuffledHasEveryJobOnceAndRepetitionsInOrder) {
  const Expansion expansion =
      ExpandedWell(IPerfSet("permutations: {product: {streams: [1, 2, 3, 4, 5]}}\norder: shuffled\n"
                            "repetitions: 20\n"));
  ASSERT_EQ(expansion.jobs.size(), 100U);
  std::map<std::uint32_t, std::uint32_t> last;
  for (const PlannedJob& job : expansion.jobs) EXPECT_EQ(job.repetition, ++last[job.permutation]);
  for (const auto& [permutation, repetitions] : last) EXPECT_EQ(repetitions, 20U) << permutation;
}

TEST(JobOrder, JobsAreLimitedBeforeTheyAreMade) {
  EXPECT_THAT(ErrorOf(IPerfSet("permutations: {product: {streams: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, "
                               "11]}}\nrepetitions: 100000\n")),
              HasSubstr("11 permutations come to 1100000 jobs, at most 1000000 are allowed"));
}

TEST(JobName, IsAsLongForAll) {
  // kube-perftest's is a digit short at 1000 and 1000000, where its logarithm is rounded.
  EXPECT_EQ(JobName("set", 7, 9), "set-7");
  EXPECT_EQ(JobName("set", 7, 10), "set-07");
  EXPECT_EQ(JobName("set", 7, 999), "set-007");
  EXPECT_EQ(JobName("set", 1, 1000), "set-0001");
  EXPECT_EQ(JobName("set", 1000, 1000), "set-1000");
  EXPECT_EQ(JobName("set", 1, 1'000'000), "set-0000001");
}

}  // namespace
}  // namespace twofold::spec
