#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "lib/spec/sweep.h"
#include "lib/stats/summary.h"
#include "tests/lib/spec/sweeps.h"

namespace twofold::spec {
namespace {

using testing::HasSubstr;

constexpr Until kUntil = {0.03, 10};

Next NextAfter(const std::vector<double>& headlines, std::uint32_t failed = 0) {
  return Judge(kUntil, 3, headlines, failed).next;
}

TEST(Until, RepeatsUntilTheIntervalIsNarrow) {
  EXPECT_EQ(NextAfter({10.0, 9.0, 11.0}), Next::kRepeat);
  EXPECT_EQ(NextAfter({10.0, 10.01, 9.99}), Next::kNarrow);
  EXPECT_NEAR(Judge(kUntil, 3, std::vector<double>{10.0, 9.0, 11.0}, 0).relative_interval, 0.4021,
              1e-4);
}

TEST(Until, AnIntervalAsWideAsAskedIsNarrowEnough) {
  const std::vector<double> headlines = {10.0, 9.0, 11.0};
  const double now = Judge(kUntil, 3, headlines, 0).relative_interval;
  EXPECT_EQ(Judge({now, 10}, 3, headlines, 0).next, Next::kNarrow);
}

TEST(Until, NeedsTheLeastNumberOfHeadlinesEvenIfTheyAreEqual) {
  EXPECT_EQ(NextAfter({}), Next::kRepeat);
  EXPECT_EQ(NextAfter({5.0}), Next::kRepeat);
  EXPECT_EQ(NextAfter({5.0, 5.0}), Next::kRepeat);
  EXPECT_EQ(NextAfter({5.0, 5.0, 5.0}), Next::kNarrow);
}

TEST(Until, StopsAtTheMostRepetitionsFailedOnesCounted) {
  const std::vector<double> wide = {1, 9, 1, 9, 1, 9, 1, 9};
  EXPECT_EQ(NextAfter(wide), Next::kRepeat);
  EXPECT_EQ(NextAfter(wide, 1), Next::kRepeat);
  EXPECT_EQ(NextAfter(wide, 2), Next::kMost);
  EXPECT_EQ(NextAfter({}, 10), Next::kMost);
}

/// The share of permutations whose mean is within the interval asked for when `until` stops them,
/// or within the 95 % interval of all if it was never narrow enough.
double ShareHeld(double cv, std::uint32_t least) {
  constexpr Until until = {0.03, 100};
  constexpr int kTries = 1000;
  std::mt19937_64 random(1);
  std::normal_distribution<double> headline(100.0, 100.0 * cv);
  int held = 0;
  for (int i = 0; i < kTries; ++i) {
    std::vector<double> headlines;
    while (Judge(until, least, headlines, 0).next == Next::kRepeat) {
      headlines.push_back(headline(random));
    }
    const stats::MeanInterval interval = stats::IntervalOfMean(headlines);
    const double width = std::max(interval.half_width, until.relative_interval * interval.mean);
    held += std::abs(interval.mean - 100.0) <= width ? 1 : 0;
  }
  return held / double{kTries};
}

TEST(Until, LookingAfterEveryRepetitionDoesNotMakeItLessTrueThanItSays) {
  for (const double cv : {0.03, 0.05, 0.08}) {
    EXPECT_GE(ShareHeld(cv, 3), 0.936) << cv;  // 95 %, less two standard errors
  }
}

TEST(Until, AHeadlineThatIsNoNumberNeverLooksNarrow) {
  EXPECT_EQ(NextAfter({5.0, std::nan(""), 5.0}), Next::kRepeat);
}

TEST(UntilOfASweep, PlansTheLeastAndSaysTheMost) {
  const std::string product = "permutations: {product: {streams: [1, 2]}}\nwarmup: 1\n";
  const std::string until = "until: {relativeInterval: 3%, max: 30}\n";
  EXPECT_EQ(ExpandedWell(IPerfSet(product + until)).jobs.size(), 8U);  // (1 + 3) x 2
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
  EXPECT_THAT(error("until: {relativeInterval: 3%, max: 2}\n"),
              HasSubstr("2 is less than the 3 repetitions that are run anyway"));
}

}  // namespace
}  // namespace twofold::spec
