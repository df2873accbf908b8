// Laws of throughput: closed forms, refusals, and how often intervals hold what was planted.
//
//   TWOFOLD_TRIES  simulated sets of data a design; 100 if not set, a tenth of that with a
//   sanitizer TWOFOLD_SEED   of the first one; 1 if not set

#include "lib/stats/scaling_law.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <random>

#include "tests/lib/stats/tries.h"
#include "tests/support/sanitized.h"

namespace twofold::stats {
namespace {

const int kLawTries = static_cast<int>(FromEnvironment("TWOFOLD_TRIES", kSanitized ? 10 : 100));
const std::uint64_t kLawSeed = FromEnvironment("TWOFOLD_SEED", 1);

constexpr double kNever = std::numeric_limits<double>::infinity();

struct Planted {
  double rate = 1000.0;
  double contention = 0.0;
  double coherency = 0.0;

  [[nodiscard]] double At(double n) const {
    return rate * n / (1.0 + contention * (n - 1.0) + coherency * n * (n - 1.0));
  }
  [[nodiscard]] double Peak() const {
    return coherency > 0.0 ? std::sqrt((1.0 - contention) / coherency) : kNever;
  }
};

const std::vector<double> kUpTo16 = {1, 2, 4, 8, 12, 16};
const std::vector<double> kUpTo32 = {1, 2, 4, 8, 16, 24, 32};

std::vector<Observation> Exact(const Planted& planted, const std::vector<double>& sizes) {
  std::vector<Observation> all;
  for (const double n : sizes) all.push_back({n, planted.At(n)});
  return all;
}

bool Holds(const Bounded& interval, double truth) {
  return interval.lower <= truth * (1.0 + 1e-12) && interval.upper >= truth * (1.0 - 1e-12);
}

TEST(ScalingLaws, ExactThroughputsGiveTheirLawBack) {
  const Planted planted{.rate = 1000.0, .contention = 0.05, .coherency = 0.001};
  const auto laws = FitScalingLaws(Exact(planted, kUpTo32)).value();
  const ScalingLaw& law = laws.Best();
  EXPECT_EQ(law.law, Law::kUniversal);
  EXPECT_NEAR(law.rate.value, 1000.0, 1e-6);
  EXPECT_NEAR(law.contention.value, 0.05, 1e-9);
  EXPECT_NEAR(law.coherency.value, 0.001, 1e-9);
  EXPECT_NEAR(law.peak.value, std::sqrt(0.95 / 0.001), 1e-5);
  EXPECT_NEAR(law.peak_throughput, planted.At(law.peak.value), 1e-3);
  EXPECT_NEAR(law.efficiency.value, planted.At(32.0) / 32'000.0, 1e-9);
  EXPECT_TRUE(law.HasPeak());
  EXPECT_EQ(laws.verdict, ScalingClass::kIssue);
}

TEST(ScalingLaws, AmdahlsDataHaveACeilingAndNoPeak) {
  const auto laws = FitScalingLaws(Exact({.contention = 0.1}, kUpTo16)).value();
  EXPECT_EQ(laws.Best().law, Law::kAmdahl);
  EXPECT_NEAR(laws.Best().peak_throughput, 10'000.0, 1e-3);
  EXPECT_EQ(laws.laws.back().peak.upper, kNever);
  EXPECT_FALSE(laws.laws.back().HasPeak());
}

TEST(ScalingLaws, TwiceTheWorkersWithTwiceTheThroughputIsLinearAndClose) {
  const auto laws = FitScalingLaws(Exact({}, kUpTo16)).value();
  EXPECT_EQ(laws.Best().law, Law::kLinear);
  EXPECT_EQ(laws.Best().peak.lower, kNever);
  EXPECT_EQ(laws.verdict, ScalingClass::kClose);
}

TEST(ScalingLaws, MoreThanTwiceTheThroughputIsNeverNegativeContention) {
  std::vector<Observation> better;
  for (const double n : kUpTo16) better.push_back({n, 1000.0 * std::pow(n, 1.2)});
  const auto laws = FitScalingLaws(better).value();
  EXPECT_EQ(laws.laws.back().contention.value, 0.0);
  EXPECT_EQ(laws.laws.back().coherency.value, 0.0);
  EXPECT_GT(laws.laws.back().scatter, 0.1);
}

TEST(ScalingLaws, WhatGrowsFasterThanALawAllowsContradictsIt) {
  std::vector<Observation> better;
  for (const double n : kUpTo16) better.push_back({n, 1000.0 * std::pow(n, 1.2)});
  const auto laws = FitScalingLaws(better).value();
  for (const ScalingLaw& law : laws.laws) {
    EXPECT_EQ(law.IsContradicted(), law.law != Law::kLinear);
  }
}

TEST(ScalingLaws, ExactDataContradictNoLaw) {
  const auto laws = FitScalingLaws(Exact({}, kUpTo16)).value();
  for (const ScalingLaw& law : laws.laws) {
    EXPECT_FALSE(law.IsContradicted());
  }
}

TEST(ScalingLaws, BeyondTwiceTheLargestSizeNothingIsPredicted) {
  const auto laws = FitScalingLaws(Exact({.contention = 0.1}, kUpTo16)).value();
  EXPECT_NEAR(laws.Best().At(32.0).value(), Planted{.contention = 0.1}.At(32.0), 1e-3);
  EXPECT_EQ(laws.Best().At(33.0).status().code(), absl::StatusCode::kOutOfRange);
}

TEST(ScalingLaws, TooFewSizesAreRefusedLawByLaw) {
  EXPECT_EQ(FitScalingLaws(Exact({}, {1, 2})).status().code(), absl::StatusCode::kInvalidArgument);
  const auto three = FitScalingLaws(Exact({}, {1, 2, 4})).value();
  EXPECT_EQ(three.laws.size(), 2U);
  ASSERT_EQ(three.refused.size(), 1U);
  EXPECT_EQ(three.refused[0], "usl: needs 4 different numbers of workers");
  EXPECT_TRUE(FitScalingLaws(Exact({}, {1, 2, 4, 8})).value().refused.empty());
}

TEST(ScalingLaws, ValuesThatAreNotAboveZeroAreNamed) {
  std::vector<Observation> all = Exact({}, kUpTo16);
  all[2].y = 0.0;
  EXPECT_EQ(FitScalingLaws(all).status().message(), "throughput at 4 workers: 0 is not above 0");
  all[2] = {0.5, 1.0};
  EXPECT_EQ(FitScalingLaws(all).status().message(), "workers: 0.5 is not 1 or more");
}

TEST(ScalingLaws, StatedErrorsAreALeastWidth) {
  std::vector<Observation> all = Exact({.contention = 0.1}, kUpTo16);
  for (Observation& one : all) one.log_error = 0.02;
  const ScalingLaw stated = FitScalingLaws(all).value().laws[1];
  EXPECT_GT(stated.contention.upper - stated.contention.lower, 0.005);
  const ScalingLaw exact = FitScalingLaws(Exact({.contention = 0.1}, kUpTo16)).value().laws[1];
  EXPECT_LT(exact.contention.upper - exact.contention.lower, 1e-6);
}

// ---- simulation

struct Design {
  const char* name;
  std::vector<double> sizes;
  int repetitions;
  double cv;
  Planted planted;
  bool states_errors = false;
};

std::vector<Design> Designs() {
  const Planted both{.contention = 0.05, .coherency = 0.001};
  return {
      {"UpTo16Times5", kUpTo16, 5, 0.03, both},
      {"UpTo32Times3", kUpTo32, 3, 0.03, both},
      {"UpTo32Once", kUpTo32, 1, 0.02, both},
      {"DoublingOnce", {1, 2, 4, 8, 16}, 1, 0.01, both},
      {"UpTo16Times3StatedErrors", kUpTo16, 3, 0.02, both, true},
      {"LinearUpTo16Times5", kUpTo16, 5, 0.05, {}},
      {"LinearUpTo32Times3", kUpTo32, 3, 0.01, {}},
      {"NoPeakUpTo32Times3", kUpTo32, 3, 0.05, {.contention = 0.1}},
      {"NoContentionUpTo32Times3", kUpTo32, 3, 0.03, {.coherency = 0.002}},
      {"HardlyAPeakUpTo32Times3", kUpTo32, 3, 0.02, {.contention = 0.02, .coherency = 0.0001}},
      {"SerialUpTo16Times5", kUpTo16, 5, 0.02, {.contention = 0.9, .coherency = 0.01}},
  };
}

class PlantedLaw : public testing::TestWithParam<Design> {
 protected:
  /// A set of data; errors are normal and relative.
  static std::vector<Observation> Draw(const Design& design, std::mt19937_64& random) {
    std::normal_distribution<double> error(0.0, design.cv);
    std::vector<Observation> all;
    for (const double n : design.sizes) {
      for (int i = 0; i < design.repetitions; ++i) {
        all.push_back({n, design.planted.At(n) * std::max(0.1, 1.0 + error(random)),
                       design.states_errors ? design.cv : 0.0});
      }
    }
    return all;
  }
};

TEST_P(PlantedLaw, IsInItsIntervals) {
  const Design& design = GetParam();
  std::mt19937_64 random(kLawSeed);
  int rate = 0;
  int contention = 0;
  int coherency = 0;
  int peak = 0;
  int efficiency = 0;
  for (int i = 0; i < kLawTries; ++i) {
    const auto fitted = FitScalingLaws(Draw(design, random));
    ASSERT_TRUE(fitted.ok()) << fitted.status();
    const ScalingLaw& law = fitted->laws.back();
    const double largest = design.sizes.back();
    rate += Holds(law.rate, design.planted.rate) ? 1 : 0;
    contention += Holds(law.contention, design.planted.contention) ? 1 : 0;
    coherency += Holds(law.coherency, design.planted.coherency) ? 1 : 0;
    peak += Holds(law.peak, design.planted.Peak()) ? 1 : 0;
    efficiency +=
        Holds(law.efficiency, design.planted.At(largest) / largest / design.planted.rate) ? 1 : 0;
  }
  std::cout << "TWOFOLD_TRIES=" << kLawTries << " TWOFOLD_SEED=" << kLawSeed << "\n";
  for (const auto& [what, held] : {std::pair{"rate", rate},
                                   {"contention", contention},
                                   {"coherency", coherency},
                                   {"peak", peak},
                                   {"efficiency", efficiency}}) {
    std::cout << design.name << " | " << what << " | " << 100.0 * held / kLawTries << "\n";
    // Fewer only by a chance of one in a thousand.
    EXPECT_GE(held, 0.94 * kLawTries - 3.1 * std::sqrt(0.94 * 0.06 * kLawTries) - 1.0) << what;
  }
}

INSTANTIATE_TEST_SUITE_P(Designs, PlantedLaw, testing::ValuesIn(Designs()),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace twofold::stats
