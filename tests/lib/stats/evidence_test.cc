#include "lib/stats/evidence.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "lib/stats/comparison.h"
#include "tests/lib/stats/made_windows.h"

namespace twofold::stats {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

std::vector<WindowPair> PairOf(const MeasuredWindow& base, const MeasuredWindow& now) {
  std::vector<WaveScatter> both = {ScatterOf(base, 0), ScatterOf(now, 0)};
  ExtrapolateOverTime(both);
  return {{both[0], both[1], 60.0}};
}

/// The standard error of ln(ratio) that common noise is expected to give.
double CommonError(const std::vector<Explained>& explained) {
  double variance = 0.0;
  for (const Explained& each : explained) variance += each.weight * each.variance;
  return std::sqrt(variance);
}

/// The same that an unseen drift is expected to give.
double DriftError(double own, double common) {
  double variance = 0.0;
  for (const Explained& each : ExplainCommonNoise(
           PairOf(NoisyWindow(8, 8.0, own, common, 1), NoisyWindow(16, 16.0, own, common, 2)))) {
    variance += each.weight * each.drift_variance;
  }
  return std::sqrt(variance);
}

TEST(StudentTail, AgreesWithTheQuantiles) {
  for (const double degrees : {7.0, 10.0, 22.0, 100.0}) {
    for (const double p : {0.25, 0.025, 0.01}) {
      EXPECT_NEAR(StudentTail(StudentQuantile(1.0 - p, degrees), degrees) / p, 1.0, 0.05)
          << degrees << " " << p;
    }
  }
  EXPECT_NEAR(StudentTail(1.959964, kInfinite), 0.025, 1e-6);
  EXPECT_NEAR(StudentTail(-1.959964, kInfinite), 0.975, 1e-6);
}

TEST(StudentTail, OfOneDegreeIsNotLessThanTheTrueOne) {
  EXPECT_GE(StudentTail(12.706, 1.0), 0.025);
}

TEST(ExtrapolateOverTime, OfNoiseWithoutMemoryIsThatOfTheMean) {
  std::vector<WaveScatter> windows = {ScatterOf(NoisyWindow(16, 16.0, 0.4, 0.0, 1), 0)};
  ExtrapolateOverTime(windows);
  EXPECT_NEAR(windows[0].over_time, 0.4 * 0.4 / 64.0, 0.0005);
}

TEST(ExtrapolateOverTime, OfFewWorkersIsWhatTheFastestWavesShow) {
  for (const std::uint32_t workers : {1U, 3U}) {
    double mean = 0.0;
    constexpr std::uint64_t kTries = 50;
    for (std::uint64_t i = 0; i < kTries; ++i) {
      WaveScatter window = ScatterOf(NoisyWindow(workers, workers, 0.4, 0.0, 1 + i), 0);
      ExtrapolateOverTime({&window, 1});
      EXPECT_NEAR(window.error[0] * workers, window.over_time, 1e-4);
      mean += window.over_time / double{kTries};
    }
    EXPECT_NEAR(mean, 0.4 * 0.4 / 64.0, 0.0004) << workers;
  }
}

TEST(ExtrapolateOverTime, OfFewWorkersLeavesWhatIsSlowToTheCommonNoise) {
  const auto slow = [](std::size_t part) {
    return 1.0 + 0.2 * std::cos(0.1 * static_cast<double>(part));
  };
  WaveScatter window = ScatterOf(ShapedWindow(1, 1.0, slow), 0);
  ExtrapolateOverTime({&window, 1});
  EXPECT_LT(window.over_time, 1e-4);
  EXPECT_GT(CommonError(ExplainCommonNoise(window)), 0.02);
}

/// The credit of workers whose lives, one after the other from the window's begin, scatter evenly
/// by `scatter` around 1.
MeasuredWindow WindowOfLives(std::size_t workers, std::size_t lives, double scatter,
                             std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<WorkerGroup> groups(workers);
  const double length = static_cast<double>(lives) / double{kParts};
  for (WorkerGroup& group : groups) {
    double begin = 0.0;
    while (begin < static_cast<double>(lives)) {
      const double even = static_cast<double>(random() >> 11) * 0x1p-53;
      const double life = 1.0 + scatter * (2.0 * even - 1.0);
      for (std::size_t part = 0; part < kParts; ++part) {
        const double from = std::max(begin, length * static_cast<double>(part));
        const double to = std::min(begin + life, length * static_cast<double>(part + 1));
        group.jobs[part] += std::max(to - from, 0.0) / life;
      }
      begin += life;
    }
  }
  return MeasureGroups(static_cast<double>(lives), 1.0, std::move(groups));
}

TEST(ExtrapolateOverTime, OfAShortWindowIsNotMoreThanThatOfIndependentLives) {
  constexpr std::uint64_t kTries = 30;
  constexpr double kScatter = 0.2;
  for (const std::size_t workers : {std::size_t{1}, std::size_t{8}}) {
    double mean = 0.0;
    for (std::uint64_t i = 0; i < kTries; ++i) {
      WaveScatter window = ScatterOf(WindowOfLives(workers, 12, kScatter, 1 + i), 0);
      ExtrapolateOverTime({&window, 1});
      mean += window.over_time / double{kTries};
    }
    const double independent = kScatter * kScatter / 3.0 / 12.0;
    EXPECT_GT(mean, 0.7 * independent) << workers;
    EXPECT_LT(mean, 1.5 * independent) << workers;
  }
}

TEST(Pooled, TellsWorkersThatDifferFromTheirNoiseOverTime) {
  std::vector<WaveScatter> windows = {ScatterOf(EvenWindow(8, 8.0, 0.1), 0),
                                      ScatterOf(EvenWindow(16, 16.0, 0.1), 0)};
  ExtrapolateOverTime(windows);
  const WorkersPool differ = Pooled(windows);
  EXPECT_NEAR(std::sqrt(differ.variance), 0.1, 1e-6);
  EXPECT_EQ(differ.degrees, 22.0);
  EXPECT_NEAR(differ.excess, 1.0, 1e-6);
  std::vector<WaveScatter> noisy = {ScatterOf(NoisyWindow(32, 32.0, 0.4, 0.0, 3), 0)};
  ExtrapolateOverTime(noisy);
  EXPECT_LT(Pooled(noisy).variance, 0.5 * noisy[0].over_time);
}

TEST(ExplainCommonNoise, WeighsAllAsOne) {
  double sum = 0.0;
  for (const Explained& each : ExplainCommonNoise(
           PairOf(NoisyWindow(8, 8.0, 0.3, 0.0, 1), NoisyWindow(16, 16.0, 0.3, 0.0, 2)))) {
    sum += each.weight;
  }
  EXPECT_NEAR(sum, 1.0, 1e-9);
}

TEST(ExplainCommonNoise, FindsNoneWhereWorkersExplainAll) {
  const auto pair = PairOf(NoisyWindow(8, 8.0, 0.3, 0.0, 1), NoisyWindow(16, 16.0, 0.3, 0.0, 2));
  const double workers = std::sqrt(ErrorOfThesePods(pair).variance);
  EXPECT_LT(CommonError(ExplainCommonNoise(pair)), workers);
}

TEST(ExplainCommonNoise, FindsWhatHitsAllWorkersAtOnce) {
  const auto pair = PairOf(NoisyWindow(8, 8.0, 0.05, 0.3, 1), NoisyWindow(16, 16.0, 0.05, 0.3, 2));
  const double truth = 0.3 / std::sqrt(64.0) * std::sqrt(2.0);
  const double found = CommonError(ExplainCommonNoise(pair));
  EXPECT_GT(found, 0.8 * truth);
  EXPECT_LT(found, 3.0 * truth);  // slower noise is not excluded
}

TEST(ExplainCommonNoise, NoiseLeavesRoomForADriftHoweverLargeItIs) {
  EXPECT_GT(DriftError(1.0, 0.0), 0.95 * DriftError(0.6, 0.0));
}

TEST(ExplainCommonNoise, WithoutMemoryLeavesLessRoomForADriftAsThatOfWorkersDoes) {
  EXPECT_LT(DriftError(0.05, 0.3), 0.042);  // 0.048 with the room that quiet windows have
}

TEST(ExplainCommonNoise, ADriftIsTakenFromTheSideThatItSpeaksFor) {
  const auto rising = [](std::size_t i) { return 1.0 + 0.0006 * static_cast<double>(i); };
  const auto pair = PairOf(ShapedWindow(8, 8.0, rising), ShapedWindow(16, 16.0, rising));
  const RatioChance chance(ExplainCommonNoise(pair), ErrorOfThesePods(pair));
  EXPECT_GT(chance.Distance(0.025, 1.0), chance.Distance(0.025, -1.0) + 0.01);
}

TEST(RatioChance, OfKnownErrorIsStudents) {
  const RatioChance chance({{.weight = 1.0}}, {0.0004, 22.0});
  EXPECT_NEAR(chance.Distance(0.025, 1.0), 0.02 * StudentFactor(0.95, 22.0), 1e-4);
  EXPECT_NEAR(chance.Of(0.02 * StudentFactor(0.95, 22.0), -1.0), 0.025, 1e-3);
}

TEST(RatioChance, MoreRepeatsNarrowIt) {
  const RatioChance chance({{.weight = 1.0}}, {0.0004, 1e9});
  EXPECT_NEAR(chance.WithMore(4.0).Distance(0.025, 1.0), 0.5 * chance.Distance(0.025, 1.0), 1e-4);
}

TEST(RatioChance, WithoutTwoWorkersThereIsNoBoundForAnyPods) {
  const auto pair = PairOf(EvenWindow(1, 1.0), EvenWindow(1, 2.0));
  const RatioChance any(ExplainCommonNoise(pair), ErrorOfAnyPods(pair, Pooled({})));
  EXPECT_EQ(any.Distance(0.025, 1.0), kInfinite);
  const RatioChance these(ExplainCommonNoise(pair), ErrorOfThesePods(pair));
  EXPECT_LT(these.Distance(0.025, 1.0), 0.1);
}

}  // namespace
}  // namespace twofold::stats
