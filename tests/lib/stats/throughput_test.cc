// How often the intervals hold is counted over simulated windows:
//   TWOFOLD_TRIES  how many loads that end when they are known; 100 if not set; ten times as many
//                  windows, 2000 at least. A sanitizer tries fewer (tests/support/sanitized.h).
#include "lib/stats/throughput.h"

#include <absl/strings/str_cat.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tests/lib/stats/lanes.h"
#include "tests/lib/stats/tries.h"
#include "tests/support/promise.h"
#include "tests/support/sanitized.h"

namespace twofold::stats {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

constexpr int kLanes = 16;
const std::uint64_t kThroughputTries = FromEnvironment("TWOFOLD_TRIES", Fewer(100));
const std::uint64_t kWindows = std::max(10 * kThroughputTries, Fewer(2000));

double RelativeDistance(double value, double truth) { return std::abs(value / truth - 1.0); }

/// How far the mean of so many windows may be from the truth, relative to it.
double MostBias(std::uint64_t windows) {
  constexpr double kEnough = 500.0;  // for half a percent
  return 0.005 * std::sqrt(std::max(1.0, kEnough / static_cast<double>(windows)));
}

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

TEST(ThroughputWindow, WavesOfEqualJobsHaveHardlyAnError) {
  Random random(1);
  const ThroughputEstimate estimate = Measure(RunLanes(kLanes, 40.0, Equal, random), 2.3, 20.9);
  EXPECT_TRUE(estimate.steady) << estimate.reason;
  EXPECT_LT(estimate.log_error, 1e-5);
  EXPECT_NEAR(estimate.upper, kLanes, 0.001);
}

/// A kind of lives with a mean of a second, so the truth is a job a second and lane.
struct Lives {
  const char* name;
  DrawLife draw;
};

class PromisedWindows : public ::testing::TestWithParam<Lives> {
 protected:
  [[nodiscard]] std::string Id(const std::string& of) const {
    return absl::StrCat("window-", of, "-", GetParam().name);
  }
  [[nodiscard]] std::string Says(const std::string& what) const {
    return absl::StrCat(what, ", ", GetParam().name, " lives");
  }
};

TEST_P(PromisedWindows, AreEstimatedWithoutBiasAndWithAnHonestInterval) {
  constexpr double kWarmUp = 20.0;  // until the lanes have lost their common start
  for (const int lives : {12, 40}) {
    double mean = 0.0;
    std::uint64_t covered = 0;
    std::uint64_t steady = 0;
    for (std::uint64_t seed = 1; seed <= kWindows; ++seed) {
      Random random(seed);
      const double start = kWarmUp + Uniform(random);
      const auto jobs = RunLanes(kLanes, start + lives, GetParam().draw, random);
      const ThroughputEstimate estimate = Measure(jobs, start, start + lives);
      mean += estimate.throughput / kLanes / static_cast<double>(kWindows);
      covered += estimate.lower <= kLanes && kLanes <= estimate.upper ? 1U : 0U;
      steady += estimate.steady ? 1U : 0U;
    }
    EXPECT_LT(RelativeDistance(mean, 1.0), MostBias(kWindows));
    const std::string windows = absl::StrCat("windows of ", lives, " mean lives, 16 workers");
    const std::string interval = Says("the 95 % interval holds the truth: " + windows);
    twofold::Measure({.id = Id(absl::StrCat("interval-", lives)), .says = interval, .least = 0.95},
                     covered, kWindows);
    const std::string says = Says("steady " + windows + ", are called steady");
    twofold::Measure({.id = Id(absl::StrCat("steady-", lives)), .says = says, .least = 0.99},
                     steady, kWindows);
  }
}

INSTANTIATE_TEST_SUITE_P(Of, PromisedWindows,
                         ::testing::Values(Lives{"exponential", Exponential},
                                           Lives{"uniform", HalfToThreeHalves},
                                           Lives{"bimodal", ShortOrLong}),
                         [](const auto& lives) { return std::string(lives.param.name); });

double PowerLaw(double, Random& random) { return 0.5 / std::sqrt(Uniform(random)); }

TEST(PromisedHoles, AreNotSeenInLongLivesOfFewLanes) {
  const std::uint64_t tries = 5 * kThroughputTries;
  for (const Lives& lives : {Lives{"exponential", Exponential}, Lives{"bimodal", ShortOrLong},
                             Lives{"power-law", PowerLaw}}) {
    std::uint64_t holes = 0;
    for (const int lanes : {1, 2, 4, 16}) {
      for (std::uint64_t seed = 1; seed <= tries; ++seed) {
        Random random(seed);
        const double seconds = 12.0 + 100.0 * Uniform(random);
        const auto jobs = RunLanes(lanes, 20.0 + seconds, lives.draw, random);
        const std::string reason = Measure(jobs, 20.0, 20.0 + seconds).reason;
        holes += reason.starts_with("next to nothing") ? 1U : 0U;
      }
    }
    const std::string id = absl::StrCat("window-hole-", lives.name);
    const std::string says =
        absl::StrCat("long ", lives.name, " lives of 1 to 16 workers are taken for a hole");
    twofold::Measure({.id = id, .says = says, .most = 0.006}, holes, 4 * tries);
  }
}

TEST(ThroughputWindow, ACommonStartOfUnequalLivesIsOverCreditedSoWarmUpFirst) {
  double cold = 0.0;
  double warm = 0.0;
  constexpr std::uint64_t kTrials = Fewer(500);
  for (std::uint64_t seed = 1; seed <= kTrials; ++seed) {
    Random random(seed);
    const auto jobs = RunLanes(kLanes, 30.0, HalfToThreeHalves, random);
    cold += Measure(jobs, 0.0, 2.5).throughput / kLanes / kTrials;
    warm += Measure(jobs, 20.0, 22.5).throughput / kLanes / kTrials;
  }
  EXPECT_GT(cold, 1.01);
  EXPECT_LT(RelativeDistance(warm, 1.0), MostBias(kTrials));
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
  EXPECT_TRUE(estimate.steady) << estimate.reason;
}

TEST(ThroughputWindow, AnIntervalThatSaysNothingIsNone) {
  ThroughputWindow window{Instant{}};
  window.Ended(Instant{}, Instant{} + FromSeconds(0.1), true);
  window.Ended(Instant{}, Instant{} + FromSeconds(5.0), true);
  const ThroughputEstimate estimate = window.Estimate(Instant{} + FromSeconds(6.0), {});
  EXPECT_GT(estimate.throughput, 0.0);
  EXPECT_TRUE(std::isfinite(estimate.log_error));
  EXPECT_EQ(estimate.lower, 0.0);
  EXPECT_TRUE(std::isinf(estimate.upper));
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
  constexpr std::uint64_t kTrials = Fewer(500);
  for (std::uint64_t seed = 1; seed <= kTrials; ++seed) {
    Random random(seed);
    auto jobs = RunLanes(kLanes, 20.0, Equal, random);
    for (SimulatedJob& job : jobs) job.succeeded = Uniform(random) > 0.25;
    mean += Measure(jobs, 2.0, 13.7).throughput / kTrials;
  }
  EXPECT_LT(RelativeDistance(mean, 0.75 * kLanes), MostBias(kTrials));
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

TEST(ThroughputEstimate, SaysHowLongUntilItIsKnown) {
  ThroughputEstimate estimate;
  EXPECT_EQ(estimate.SecondsUntilKnownWithin(0.02), std::nullopt) << "nothing is known";
  estimate.seconds = 10;
  estimate.succeeded = 1000;
  estimate.throughput = 100;
  estimate.log_error = 0.02;
  estimate.degrees = 1e9;
  estimate.jobs_needed = 500;
  EXPECT_EQ(estimate.SecondsUntilKnownWithin(0.02), std::nullopt) << "it is not steady";
  estimate.steady = true;
  const double more = estimate.SecondsUntilKnownWithin(0.02).value();
  EXPECT_GT(more, 10 * (1.96 * 1.96 - 1)) << "looks take more than 95 %";
  // So long is it, and no shorter: the error falls with the root of the time.
  estimate.log_error *= std::sqrt(10 / (10 + more));
  EXPECT_TRUE(estimate.IsKnownWithin(0.0201));
  EXPECT_FALSE(estimate.IsKnownWithin(0.0199));
  EXPECT_EQ(estimate.SecondsUntilKnownWithin(0.03), 0.0);
  estimate.jobs_needed = 3000;
  EXPECT_DOUBLE_EQ(estimate.SecondsUntilKnownWithin(0.03).value(), 20)
      << "three times as many jobs";
}

/// Each one depends on the last ones of its worker: 0.9 from job to job, 20 %.
DrawLife Moody() {
  return [mood = 0.0](double at, Random& random) mutable {
    constexpr double kLikeness = 0.9;
    constexpr double kScatter = 0.2;
    const double fresh = std::normal_distribution<double>(0.0, kScatter)(random);
    const bool is_first = at == 0.0;
    mood = is_first ? fresh : kLikeness * mood + std::sqrt(1.0 - kLikeness * kLikeness) * fresh;
    return std::exp(mood - kScatter * kScatter / 2.0);
  };
}

/// How a load ends that somebody looks at until its throughput is known.
struct Known {
  ThroughputEstimate estimate;
  double seconds = 0.0;
};

Known LookUntilKnown(const DrawLife& draw, double within, std::uint64_t seed) {
  constexpr double kWarmUp = 20.0;
  constexpr double kLongest = 400.0;
  Random random(seed);
  const auto jobs = RunLanes(kLanes, kWarmUp + kLongest, draw, random);
  LanesWindow window(jobs, kWarmUp);
  Known known;
  double next = 8.0;
  do {
    known = {window.Look(kWarmUp + next), next};
    next *= 1.05;
  } while (!known.estimate.IsKnownWithin(within) && next < kLongest);
  return known;
}

TEST(PromisedLoads, OfWhoLooksUntilItIsKnownAreRightAsOftenAsTheIntervalSays) {
  for (const auto& [lives, share] : {std::pair(Lives{"exponential", Exponential}, 0.10),
                                     {Lives{"uniform", HalfToThreeHalves}, 0.05},
                                     {Lives{"moody", Moody()}, 0.05}}) {
    std::uint64_t seed = 0;
    const auto is_right = [&, draw = lives.draw, within = share] {
      const ThroughputEstimate estimate = LookUntilKnown(draw, within, ++seed).estimate;
      return estimate.lower <= kLanes && kLanes <= estimate.upper;
    };
    const std::string id = absl::StrCat("load-until-interval-", lives.name);
    const std::string says = absl::StrCat(
        "`load --until`: the interval at its end holds the truth, ", lives.name, " lives");
    twofold::Measure({.id = id, .says = says, .least = 0.95}, kThroughputTries, is_right);
  }
}

TEST(PromisedLoads, OfWhoLooksUntilItIsKnownEndSoon) {
  std::uint64_t seed = 0;
  twofold::Measure({.id = "load-until-soon",
                    .says = "`load --until 10%` of 16 workers with exponential lives ends within "
                            "75 job times",
                    .least = 0.75},
                   kThroughputTries,
                   [&] { return LookUntilKnown(Exponential, 0.10, ++seed).seconds <= 75.0; });
}

// ---- by worker

Instant AtSecond(double seconds) { return Instant{} + FromSeconds(seconds); }

TEST(MeasuredByWorker, EachJobIsItsWorkers) {
  ThroughputWindow window(AtSecond(0.0));
  for (int i = 1; i <= 20; ++i) window.Ended(AtSecond(i - 1.0), AtSecond(i), true, 0);
  for (int i = 1; i <= 10; ++i) window.Ended(AtSecond(2.0 * i - 2.0), AtSecond(2.0 * i), true, 7);
  const MeasuredWindow measured = window.Measured(AtSecond(20.0), {});
  EXPECT_EQ(measured.groups, 2U);
  EXPECT_NEAR(measured.Throughput(0.0, 20.0), 1.5, 1e-9);
  EXPECT_NEAR(measured.between[0].whole, 2.0 / 9.0, 1e-9);  // 4/3 and 2/3 of the mean
}

TEST(MeasuredByWorker, HasTheTotalOfTheEstimate) {
  Random random(1);
  ThroughputWindow window(AtSecond(5.0));
  std::vector<Instant> at_work;
  std::uint32_t worker = 0;
  for (const SimulatedJob& job : RunLanes(100, 40.0, Exponential, random)) {
    if (job.ended <= AtSecond(40.0)) {
      window.Ended(job.submitted, job.ended, job.succeeded, worker++ % 100);
    } else if (job.submitted <= AtSecond(40.0)) {
      at_work.push_back(job.submitted);
    }
  }
  const MeasuredWindow measured = window.Measured(AtSecond(40.0), at_work);
  EXPECT_NEAR(measured.Throughput(0.0, 35.0), window.Estimate(AtSecond(40.0), at_work).throughput,
              1e-6);
  EXPECT_LE(measured.groups, kMostGroups);
}

TEST(MeasuredByWorker, AJobAtWorkIsOfTheWorkerThatEndedOneJustBefore) {
  ThroughputWindow window(AtSecond(0.0));
  for (int i = 1; i <= 10; ++i) window.Ended(AtSecond(i - 1.0), AtSecond(i), true, 0);
  for (int i = 1; i <= 10; ++i) window.Ended(AtSecond(i - 0.6), AtSecond(i + 0.4), true, 1);
  const std::vector<Instant> at_work = {AtSecond(10.0), AtSecond(10.4)};
  const MeasuredWindow measured = window.Measured(AtSecond(10.5), at_work);
  // The first has worked 10.5 s, the other 10.1 s since it began.
  const double mean = 10.3;
  const double variance = 2.0 * (0.2 / mean) * (0.2 / mean);
  EXPECT_NEAR(measured.between[0].whole, variance, 0.05 * variance);
}

TEST(MeasuredByWorker, WhatIsOfNoKnownWorkerSaysNothingAboutHowTheyDiffer) {
  ThroughputWindow window(AtSecond(0.0));
  for (const std::uint32_t worker : {0U, 1U}) {
    for (int i = 1; i <= 20; ++i) window.Ended(AtSecond(i - 1.0), AtSecond(i), true, worker);
  }
  for (int i = 1; i <= 5; ++i) window.Ended(AtSecond(i - 1.0), AtSecond(i), true);
  const MeasuredWindow measured = window.Measured(AtSecond(20.0), {});
  EXPECT_EQ(measured.groups, 2U);
  EXPECT_NEAR(measured.Throughput(0.0, 20.0), 45.0 / 20.0, 1e-9);
  EXPECT_NEAR(measured.between[0].whole, 0.0, 1e-12);
}

TEST(MeasuredByWorker, FailedJobsAreAWorkersLessWork) {
  ThroughputWindow window(AtSecond(0.0));
  for (const std::uint32_t worker : {0U, 1U}) {
    for (int i = 1; i <= 20; ++i) {
      window.Ended(AtSecond(i - 1.0), AtSecond(i), worker == 0 || i % 2 == 0, worker);
    }
  }
  EXPECT_NEAR(window.Measured(AtSecond(20.0), {}).between[0].whole, 2.0 / 9.0, 1e-9);
}

TEST(MeasuredByWorker, NothingIsKnownBeforeAJobHasSucceeded) {
  ThroughputWindow window(AtSecond(0.0));
  EXPECT_FALSE(window.Measured(AtSecond(1.0), {}).IsKnown());
  window.Ended(AtSecond(0.0), AtSecond(1.0), false, 0);
  EXPECT_FALSE(window.Measured(AtSecond(1.0), {}).IsKnown());
}

}  // namespace
}  // namespace twofold::stats
