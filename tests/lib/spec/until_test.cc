#include <gmock/gmock.h>

#include <cmath>
#include <vector>

#include "lib/spec/sweep.h"
#include "tests/lib/spec/sweeps.h"

namespace twofold::spec {
namespace {

using testing::HasSubstr;

constexpr Until kUntil = {0.03, 10};

Next NextAfter(const std::vector<double>& headlines, std::uint32_t failed = 0) {
  return Judge(kUntil, 3, headlines, failed).next;
}

using Values = std::vector<double>;

const Values kAlike = {10.0, 10.01, 9.99, 10.0, 10.01, 9.99, 10.0, 10.01};

TEST(Until, RepeatsUntilTheIntervalIsNarrow) {
  EXPECT_EQ(NextAfter({10.0, 9.0, 11.0, 10.0, 9.0, 11.0, 10.0, 9.0}), Next::kRepeat);
  EXPECT_EQ(NextAfter(kAlike), Next::kNarrow);
}

TEST(Until, AnIntervalAsWideAsAskedIsNarrowEnough) {
  const double now = Judge(kUntil, 3, kAlike, 0).relative_interval;
  EXPECT_EQ(Judge({now, 10}, 3, kAlike, 0).next, Next::kNarrow);
  EXPECT_EQ(Judge({0.99 * now, 10}, 3, kAlike, 0).next, Next::kRepeat);
}

TEST(Until, NeedsEightHeadlinesEvenIfTheyAreEqual) {
  EXPECT_EQ(NextAfter({}), Next::kRepeat);
  EXPECT_EQ(NextAfter(Values(7, 5.0)), Next::kRepeat);
  EXPECT_EQ(NextAfter(Values(8, 5.0)), Next::kNarrow);
  EXPECT_EQ(Judge(kUntil, 9, Values(8, 5.0), 0).next, Next::kRepeat);
}

TEST(Until, StopsAtTheMostRepetitionsFailedOnesCounted) {
  const std::vector<double> wide = {1, 9, 1, 9, 1, 9, 1, 9};
  EXPECT_EQ(NextAfter(wide), Next::kRepeat);
  EXPECT_EQ(NextAfter(wide, 1), Next::kRepeat);
  EXPECT_EQ(NextAfter(wide, 2), Next::kMost);
  EXPECT_EQ(NextAfter({}, 10), Next::kMost);
}

TEST(Until, AHeadlineThatIsNoNumberNeverLooksNarrow) {
  EXPECT_EQ(NextAfter({5, 5, 5, 5, std::nan(""), 5, 5, 5}), Next::kRepeat);
}

TEST(UntilOfASweep, PlansTheLeastAndSaysTheMost) {
  const std::string product = "permutations: {product: {streams: [1, 2]}}\nwarmup: 1\n";
  const std::string until = "until: {relativeInterval: 3%, max: 30}\n";
  EXPECT_EQ(ExpandedWell(IPerfSet(product + until)).jobs.size(), 18U);  // (1 + 8) x 2
  EXPECT_EQ(ExpandedWell(IPerfSet(product + until)).most_jobs, 62U);
  EXPECT_EQ(ExpandedWell(IPerfSet(product + until + "repetitions: 5\n")).jobs.size(), 12U);
}

TEST(UntilOfASweep, RefusesWhatMakesNoSense) {
  const std::string product = "permutations: {product: {streams: [1, 2]}}\n";
  const auto error = [&](const std::string& rest) { return ErrorOf(IPerfSet(product + rest)); };
  EXPECT_THAT(error("until: {relativeInterval: 0.03, max: 30}\n"),
              HasSubstr("spec.until.relativeInterval: must be a percentage such as 3%"));
  EXPECT_THAT(error("until: {relativeInterval: 3%}\n"), HasSubstr("spec.until.max: is missing"));
  EXPECT_THAT(error("repetitions: 1\nuntil: {relativeInterval: 3%, max: 30}\n"),
              HasSubstr("12:16: spec.repetitions: must be 2 or more with until"));
  EXPECT_THAT(error("repetitions: 3\nuntil: {relativeInterval: 3%, max: 2}\n"),
              HasSubstr("2 is less than the 3 repetitions that are run anyway"));
  EXPECT_EQ(error("until: {relativeInterval: 3%, max: 5}\n"), "no error");
}

}  // namespace
}  // namespace twofold::spec
