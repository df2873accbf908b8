// How often the intervals hold is counted over simulated loads:
//   TWOFOLD_TRIES  how many; 200 if not set, a tenth of that with a sanitizer
#include "lib/stats/throughput.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tests/lib/stats/lanes.h"
#include "tests/lib/stats/tries.h"
#include "tests/support/sanitized.h"

namespace twofold::stats {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

constexpr int kLanes = 16;
const int kThroughputTries =
    static_cast<int>(FromEnvironment("TWOFOLD_TRIES", kSanitized ? 20 : 200));

double RelativeDistance(double value, double truth) { return std::abs(value / truth - 1.0); }

double Equal(double, Random&) { return 1.0; }
double Exponential(double, Random& random) { return -std::log(Uniform(random)); }
double HalfToThreeHalves(double, Random& random) { return 0.5 + Uniform(random); }
double ShortOrLong(double, Random& random) { return Uniform(random) <= 0.75 ? 0.25 : 3.25; }

TEST(ThroughputWindow, WavesGiveTheSameWhereverTheyAreCut) {
  Random random(1);
  const auto jobs = RunLanes(kLanes, 40.0, Equal, random);
  double worst_count = 0.0;
  for (int cut = 0; cut < 200; ++cut) {
    const double start = 10.0 * Uniform(random);
    const double now = start + 3.0 + 17.0 * Uniform(random);
    const ThroughputEstimate estimate = Measure(jobs, start, now);
    EXPECT_LT(RelativeDistance(estimate.throughput, kLanes), 0.001) << start << ".." << now;
    worst_count = std::max(worst_count, RelativeDistance(estimate.counted, kLanes));
  }
  EXPECT_GT(worst_count, 0.05);  // the plain rate is what this class is there to replace
}

TEST(ThroughputWindow, WavesOfEqualJobsHaveNoError) {
  Random random(1);
  const ThroughputEstimate estimate = Measure(RunLanes(kLanes, 40.0, Equal, random), 2.3, 20.9);
  EXPECT_TRUE(estimate.steady) << estimate.reason;
  EXPECT_NEAR(estimate.log_error, 0.0, 1e-9);
  EXPECT_NEAR(estimate.upper, kLanes, 0.001);
}

/// Many windows of free-running lanes; lives have mean 1 s, so the truth is kLanes jobs/s.
struct Trials {
  double mean = 0.0;     ///< of the estimates, relative to the truth
  double covered = 0.0;  ///< share of intervals that hold the truth
  double steady = 0.0;   ///< share called steady
};

Trials RunTrials(const DrawLife& draw, double seconds) {
  constexpr int kTrials = 2000;
  constexpr double kWarmUp = 20.0;  // until the lanes have lost their common start
  Trials trials;
  for (int seed = 1; seed <= kTrials; ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    const double start = kWarmUp + Uniform(random);
    const auto jobs = RunLanes(kLanes, start + seconds, draw, random);
    const ThroughputEstimate estimate = Measure(jobs, start, start + seconds);
    trials.mean += estimate.throughput / kLanes / kTrials;
    trials.covered += estimate.lower <= kLanes && kLanes <= estimate.upper ? 1.0 / kTrials : 0.0;
    trials.steady += estimate.steady ? 1.0 / kTrials : 0.0;
  }
  return trials;
}

class FreeRunningLanes : public ::testing::TestWithParam<std::pair<const char*, DrawLife>> {};

TEST_P(FreeRunningLanes, AreEstimatedWithoutBiasAndWithAnHonestInterval) {
  const Trials trials = RunTrials(GetParam().second, 40.0);
  EXPECT_LT(RelativeDistance(trials.mean, 1.0), 0.005);
  EXPECT_GE(trials.covered, 0.95);
  EXPECT_GE(trials.steady, 0.99);
}

TEST_P(FreeRunningLanes, InAShortWindowHaveAnIntervalThatIsRatherTooWide) {
  const Trials trials = RunTrials(GetParam().second, 12.0);
  EXPECT_LT(RelativeDistance(trials.mean, 1.0), 0.005);
  EXPECT_GE(trials.covered, 0.95);
  EXPECT_GE(trials.steady, 0.99);
}

INSTANTIATE_TEST_SUITE_P(Lives, FreeRunningLanes,
                         ::testing::Values(std::pair{"Exponential", DrawLife(Exponential)},
                                           std::pair{"Uniform", DrawLife(HalfToThreeHalves)},
                                           std::pair{"Bimodal", DrawLife(ShortOrLong)}),
                         [](const auto& lives) { return std::string(lives.param.first); });

TEST(ThroughputWindow, ACommonStartOfUnequalLivesIsOverCreditedSoWarmUpFirst) {
  double cold = 0.0;
  double warm = 0.0;
  constexpr int kTrials = 500;
  for (int seed = 1; seed <= kTrials; ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    const auto jobs = RunLanes(kLanes, 30.0, HalfToThreeHalves, random);
    cold += Measure(jobs, 0.0, 2.5).throughput / kLanes / kTrials;
    warm += Measure(jobs, 20.0, 22.5).throughput / kLanes / kTrials;
  }
  EXPECT_GT(cold, 1.01);
  EXPECT_LT(RelativeDistance(warm, 1.0), 0.005);
}

TEST(ThroughputWindow, AStuckLaneIsWorthOneJobAtMost) {
  Random random(1);
  auto jobs = RunLanes(kLanes - 1, 120.0, Equal, random);
  jobs.push_back({Instant{}, Instant::max()});
  for (const double seconds : {10.5, 30.5, 100.5}) {
    const ThroughputEstimate estimate = Measure(jobs, 0.0, seconds);
    EXPECT_NEAR(estimate.throughput * seconds, (kLanes - 1) * seconds + 1.0, 1e-6) << seconds;
  }
}

TEST(ThroughputWindow, AStepInThroughputIsNotSteady) {
  Random random(1);
  const DrawLife slower = [](double at, Random& r) {
    return (at < 30.0 ? 1.0 : 1.25) * HalfToThreeHalves(at, r);
  };
  const ThroughputEstimate estimate = Measure(RunLanes(kLanes, 60.0, slower, random), 5.0, 55.0);
  EXPECT_FALSE(estimate.steady);
  EXPECT_THAT(estimate.reason, HasSubstr("throughput falls by"));
}

TEST(ThroughputWindow, ASlowRiseIsNotSteady) {
  Random random(1);
  const DrawLife faster = [](double at, Random& r) {
    return HalfToThreeHalves(at, r) / (1.0 + at / 200.0);
  };
  const ThroughputEstimate estimate = Measure(RunLanes(kLanes, 105.0, faster, random), 5.0, 105.0);
  EXPECT_FALSE(estimate.steady);
  EXPECT_THAT(estimate.reason, HasSubstr("throughput rises by"));
}

TEST(ThroughputWindow, AChangeUnderTwoPercentIsSteady) {
  Random random(1);
  const DrawLife slower = [](double at, Random&) { return at < 30.0 ? 1.0 : 1.01; };
  const ThroughputEstimate estimate = Measure(RunLanes(kLanes, 60.0, slower, random), 5.0, 55.0);
  EXPECT_TRUE(estimate.steady) << estimate.reason;
}

TEST(ThroughputWindow, AFallToNearlyNothingIsNotMoreThanAll) {
  Random random(1);
  const DrawLife stops = [](double at, Random& r) {
    return (at < 20.0 ? 1.0 : 100.0) * HalfToThreeHalves(at, r);
  };
  const ThroughputEstimate estimate = Measure(RunLanes(kLanes, 40.0, stops, random), 2.0, 40.0);
  EXPECT_FALSE(estimate.steady);
  EXPECT_THAT(estimate.reason, AnyOf(HasSubstr("falls by 9"), HasSubstr("next to nothing")));
}

/// All lanes stand still from `begin` on for `length` seconds.
DrawLife WithHole(double life, double begin, double length) {
  return [=](double at, Random& random) {
    const double own = life * (0.95 + 0.1 * Uniform(random));
    return at <= begin && begin < at + own ? own + length : own;
  };
}

TEST(ThroughputWindow, AHoleOfSevenOfThirtyNineSecondsIsNotSteady) {
  for (const int lanes : {1, 2, 4, 16}) {
    for (const double begin : {1.0, 16.0, 31.0}) {
      Random random(1);
      const auto jobs = RunLanes(lanes, 60.0, WithHole(0.2, 5.0 + begin, 7.0), random);
      const ThroughputEstimate estimate = Measure(jobs, 5.0, 44.0);
      EXPECT_FALSE(estimate.steady) << lanes << " lanes, from " << begin;
      EXPECT_THAT(estimate.reason, HasSubstr("next to nothing was done for ")) << begin;
      EXPECT_THAT(estimate.reason, HasSubstr(" of the window's 39 s")) << begin;
    }
  }
}

TEST(ThroughputWindow, AHoleThatIsNotOverIsNotSteady) {
  Random random(1);
  const auto jobs = RunLanes(kLanes, 60.0, WithHole(0.2, 37.0, 30.0), random);
  EXPECT_THAT(Measure(jobs, 5.0, 44.0).reason, HasSubstr("next to nothing was done for "));
}

TEST(ThroughputWindow, AHoleOfAHundredthIsSteady) {
  Random random(1);
  const auto jobs = RunLanes(kLanes, 60.0, WithHole(0.2, 20.0, 0.4), random);
  const ThroughputEstimate estimate = Measure(jobs, 5.0, 44.0);
  EXPECT_TRUE(estimate.steady) << estimate.reason;
}

double PowerLaw(double, Random& random) { return 0.5 / std::sqrt(Uniform(random)); }

TEST(ThroughputWindow, LongLivesOfFewLanesAreNoHoles) {
  constexpr int kTrials = kSanitized ? 100 : 1000;
  for (const DrawLife& draw : {DrawLife(Exponential), DrawLife(ShortOrLong), DrawLife(PowerLaw)}) {
    for (const int lanes : {1, 2, 4, 16}) {
      int holes = 0;
      for (int seed = 1; seed <= kTrials; ++seed) {
        Random random(static_cast<std::uint64_t>(seed));
        const double seconds = 12.0 + 100.0 * Uniform(random);
        const auto jobs = RunLanes(lanes, 20.0 + seconds, draw, random);
        const std::string reason = Measure(jobs, 20.0, 20.0 + seconds).reason;
        holes += reason.starts_with("next to nothing") ? 1 : 0;
      }
      EXPECT_LE(holes, 6) << lanes << " lanes";  // 0.3 %, and two standard errors
    }
  }
}

TEST(ThroughputWindow, TooShortAWindowSaysHowLongItMustBe) {
  Random random(1);
  const ThroughputEstimate estimate = Measure(RunLanes(kLanes, 40.0, Equal, random), 2.0, 9.5);
  EXPECT_FALSE(estimate.steady);
  EXPECT_EQ(estimate.batches, 0);
  EXPECT_EQ(estimate.reason,
            "the window of 7.5 s is too short: 4 batches of 2 mean lives take 8 s");
}

TEST(ThroughputWindow, AWindowOfJustEightMeanLivesIsLongEnough) {
  Random random(1);
  const ThroughputEstimate estimate = Measure(RunLanes(kLanes, 40.0, Equal, random), 2.0, 10.0);
  EXPECT_EQ(estimate.batches, 4);
  EXPECT_NEAR(estimate.degrees, 3.0, 0.1);
  EXPECT_TRUE(estimate.steady) << estimate.reason;
}

TEST(ThroughputWindow, NothingEndedIsNotZeroThroughputButUnknown) {
  const ThroughputWindow window(Instant{});
  const Instant begun{};
  const ThroughputEstimate estimate =
      window.Estimate(begun + std::chrono::seconds(5), std::span(&begun, 1));
  EXPECT_FALSE(estimate.steady);
  EXPECT_EQ(estimate.reason, "no job has ended yet");
  EXPECT_TRUE(std::isinf(estimate.log_error));
  EXPECT_TRUE(std::isinf(estimate.upper));
  EXPECT_EQ(estimate.seconds, 5.0);
}

TEST(ThroughputWindow, OnlyFailuresIsUnknown) {
  ThroughputWindow window(Instant{});
  window.Ended(Instant{}, Instant{} + std::chrono::seconds(1), false);
  const ThroughputEstimate estimate = window.Estimate(Instant{} + std::chrono::seconds(5), {});
  EXPECT_EQ(estimate.failed, 1U);
  EXPECT_EQ(estimate.reason, "no job has succeeded yet");
}

TEST(ThroughputWindow, OneEndedJobHasNoErrorYet) {
  ThroughputWindow window(Instant{});
  window.Ended(Instant{}, Instant{} + std::chrono::seconds(1), true);
  const ThroughputEstimate estimate = window.Estimate(Instant{} + std::chrono::seconds(10), {});
  EXPECT_NEAR(estimate.throughput, 0.1, 1e-12);
  EXPECT_TRUE(std::isinf(estimate.log_error));
  EXPECT_EQ(estimate.lower, 0.0);
}

TEST(ThroughputWindow, AJobThatEndsAsItBeginsHasDoneNothingInItAndBoundsNothing) {
  const Instant start = Instant{} + std::chrono::seconds(10);
  ThroughputWindow window(start);
  window.Ended(Instant{}, start, true);
  const ThroughputEstimate estimate = window.Estimate(start + std::chrono::seconds(5), {});
  EXPECT_EQ(estimate.throughput, 0.0);
  EXPECT_EQ(estimate.lower, 0.0);
  EXPECT_TRUE(std::isinf(estimate.upper));
}

TEST(ThroughputWindow, FailuresAreCountedApartAndGiveNoThroughput) {
  Random random(1);
  auto jobs = RunLanes(kLanes, 60.0, HalfToThreeHalves, random);
  for (SimulatedJob& job : jobs) job.succeeded = Uniform(random) > 0.25;
  const ThroughputEstimate estimate = Measure(jobs, 5.0, 55.0);
  EXPECT_TRUE(estimate.steady) << estimate.reason;
  EXPECT_NEAR(static_cast<double>(estimate.failed), 0.25 * kLanes * 50.0, 40.0);
  EXPECT_NEAR(estimate.throughput, 0.75 * kLanes, 0.5);
  EXPECT_LE(estimate.lower, 0.75 * kLanes);
  EXPECT_GE(estimate.upper, 0.75 * kLanes);
}

TEST(ThroughputWindow, EqualJobsOfWhichSomeFailAreEstimatedWithoutBias) {
  double mean = 0.0;
  constexpr int kTrials = 500;
  for (int seed = 1; seed <= kTrials; ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    auto jobs = RunLanes(kLanes, 20.0, Equal, random);
    for (SimulatedJob& job : jobs) job.succeeded = Uniform(random) > 0.25;
    mean += Measure(jobs, 2.0, 13.7).throughput / kTrials;
  }
  EXPECT_LT(RelativeDistance(mean, 0.75 * kLanes), 0.005);
}

TEST(ThroughputWindow, JobsThatEndedBeforeItAreIgnored) {
  ThroughputWindow window(Instant{} + std::chrono::seconds(10));
  window.Ended(Instant{}, Instant{} + std::chrono::seconds(9), true);
  const ThroughputEstimate estimate = window.Estimate(Instant{} + std::chrono::seconds(20), {});
  EXPECT_EQ(estimate.succeeded, 0U);
}

TEST(ThroughputWindow, AJobBegunBeforeItCountsWithItsPartInside) {
  ThroughputWindow window(Instant{} + std::chrono::seconds(10));
  window.Ended(Instant{} + std::chrono::seconds(7), Instant{} + std::chrono::seconds(11), true);
  const ThroughputEstimate estimate = window.Estimate(Instant{} + std::chrono::seconds(20), {});
  EXPECT_NEAR(estimate.throughput * 10.0, 0.25, 1e-12);
  EXPECT_EQ(estimate.counted, 0.1);
}

TEST(ThroughputWindow, JobsWithoutLengthCount) {
  ThroughputWindow window(Instant{});
  const Instant at = Instant{} + std::chrono::seconds(1);
  for (int i = 0; i < 10; ++i) window.Ended(at, at, true);
  const ThroughputEstimate estimate = window.Estimate(Instant{} + std::chrono::seconds(2), {});
  EXPECT_NEAR(estimate.throughput, 5.0, 1e-6);
}

TEST(ThroughputWindow, ManyJobsInFlightAreEachGivenTheirPart) {
  ThroughputWindow window(Instant{});
  const Instant now = Instant{} + std::chrono::seconds(4);
  window.Ended(Instant{}, now, true);
  window.Ended(Instant{}, now, true);
  const std::vector<Instant> in_flight(100'000, Instant{} + std::chrono::seconds(1));
  const ThroughputEstimate estimate = window.Estimate(now, in_flight);
  EXPECT_NEAR(estimate.throughput * 4.0, 2.0 + 100'000 * 0.75, 1e-3);
}

/// Loads that end as soon as their throughput seems known within `share`: how many were right.
double ShareOfRightEnds(const DrawLife& draw, double share) {
  constexpr double kWarmUp = 20.0;
  constexpr double kLongest = 400.0;
  int right = 0;
  for (int seed = 1; seed <= kThroughputTries; ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    const auto jobs = RunLanes(kLanes, kWarmUp + kLongest, draw, random);
    ThroughputEstimate estimate;
    double seconds = 1.0;
    do {
      estimate = Measure(jobs, kWarmUp, kWarmUp + seconds);
      seconds *= 1.05;
    } while (!estimate.IsKnownWithin(share) && seconds < kLongest);
    right += estimate.lower <= kLanes && kLanes <= estimate.upper ? 1 : 0;
  }
  return static_cast<double>(right) / kThroughputTries;
}

TEST(ThroughputWindow, WhoLooksUntilItIsKnownIsRightAsOftenAsTheIntervalSays) {
  EXPECT_GE(ShareOfRightEnds(Exponential, 0.10), 0.95);
  EXPECT_GE(ShareOfRightEnds(HalfToThreeHalves, 0.05), 0.95);
}

}  // namespace
}  // namespace twofold::stats
