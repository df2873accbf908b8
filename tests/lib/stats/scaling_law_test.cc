// Laws of throughput: closed forms, refusals, and how often intervals hold what was planted.
//
//   TWOFOLD_TRIES  simulated sets of data a design; 100 if not set, fewer with a sanitizer
//   TWOFOLD_SEED   of the first one; 1 if not set

#include "lib/stats/scaling_law.h"

#include <absl/strings/str_cat.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "tests/lib/stats/tries.h"
#include "tests/support/promise.h"
#include "tests/support/sanitized.h"

namespace twofold::stats {
namespace {

const std::uint64_t kLawTries = FromEnvironment("TWOFOLD_TRIES", Fewer(100));
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
const std::vector<double> kUpTo64 = {1, 2, 4, 8, 16, 32, 64};
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
  const ScalingLaw& law = *laws.Best();
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
  EXPECT_EQ(laws.Best()->law, Law::kAmdahl);
  EXPECT_NEAR(laws.Best()->peak_throughput, 10'000.0, 1e-3);
  EXPECT_EQ(laws.laws.back().peak.upper, kNever);
  EXPECT_FALSE(laws.laws.back().HasPeak());
}

TEST(ScalingLaws, TwiceTheWorkersWithTwiceTheThroughputIsLinearAndClose) {
  const auto laws = FitScalingLaws(Exact({}, kUpTo16)).value();
  EXPECT_EQ(laws.Best()->law, Law::kLinear);
  EXPECT_EQ(laws.Best()->peak.lower, kNever);
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
    const bool has_contention = law.law == Law::kAmdahl || law.law == Law::kUniversal;
    EXPECT_EQ(law.IsContradicted(), has_contention);
    if (!has_contention) continue;
    EXPECT_FALSE(law.HasPeak());
    EXPECT_EQ(law.At(16.0).status().code(), absl::StatusCode::kFailedPrecondition);
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
  EXPECT_NEAR(laws.Best()->At(32.0)->value, Planted{.contention = 0.1}.At(32.0), 1e-3);
  EXPECT_EQ(laws.Best()->At(33.0).status().code(), absl::StatusCode::kOutOfRange);
}

TEST(ScalingLaws, TooFewSizesAreRefusedLawByLaw) {
  EXPECT_EQ(FitScalingLaws(Exact({}, {1, 2})).status().code(), absl::StatusCode::kInvalidArgument);
  const auto three = FitScalingLaws(Exact({}, {1, 2, 4})).value();
  EXPECT_EQ(three.laws.size(), 3U);
  ASSERT_EQ(three.refused.size(), 2U);
  EXPECT_EQ(three.refused[0], "usl: needs 4 different numbers of workers");
  EXPECT_TRUE(FitScalingLaws(Exact({}, {1, 2, 4, 8})).value().refused.empty());
}

TEST(ScalingLaws, OfThreeSizesNoneIsBest) {
  const auto laws = FitScalingLaws(std::vector<Observation>{{1, 100}, {4, 250}, {16, 333}}).value();
  EXPECT_EQ(laws.Best(), nullptr);
  EXPECT_EQ(laws.refused.back(),
            "no best law: too few observations to choose; measure more sizes, or repeat them");
  EXPECT_EQ(laws.At(4.0).status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST(ScalingLaws, WhatLevelsOffIsAPlateau) {
  std::vector<Observation> all;
  for (const double n : kUpTo64) all.push_back({n, 100.0 * std::min(n, 11.0)});
  const ScalingLaws laws = FitScalingLaws(all).value();
  ASSERT_NE(laws.Best(), nullptr);
  EXPECT_EQ(laws.Best()->law, Law::kPlateau);
  EXPECT_NEAR(laws.Best()->rate.value, 100.0, 1e-9);
  EXPECT_NEAR(laws.Best()->level_from.value, 11.0, 1e-9);
  EXPECT_NEAR(laws.Best()->level.value, 1100.0, 1e-9);
  EXPECT_NEAR(laws.At(64.0)->value, 1100.0, 1e-9);
  EXPECT_EQ(laws.verdict, ScalingClass::kIssue);
}

TEST(ScalingLaws, RepetitionsRefuteALawThatDoesNotFit) {
  std::vector<Observation> all;
  for (const double n : kUpTo64) {
    for (const double error : {0.99, 1.0, 1.01})
      all.push_back({n, 100.0 * std::min(n, 8.0) * error});
  }
  const ScalingLaws laws = FitScalingLaws(all).value();
  const ScalingLaw& universal = *laws.Of(Law::kUniversal);
  EXPECT_LT(*universal.fit_p, 0.001);
  EXPECT_FALSE(universal.HasPeak());
  EXPECT_FALSE(universal.At(64.0).ok());
  EXPECT_TRUE(laws.Best()->Holds());
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
  const ScalingLaw stated = *FitScalingLaws(all)->Of(Law::kAmdahl);
  EXPECT_GT(stated.contention.upper - stated.contention.lower, 0.005);
  const ScalingLaw exact = *FitScalingLaws(Exact({.contention = 0.1}, kUpTo16))->Of(Law::kAmdahl);
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
      {"up-to-16-times-5", kUpTo16, 5, 0.03, both},
      {"up-to-32-times-3", kUpTo32, 3, 0.03, both},
      {"up-to-32-once", kUpTo32, 1, 0.02, both},
      {"doubling-once", {1, 2, 4, 8, 16}, 1, 0.01, both},
      {"up-to-16-stated", kUpTo16, 3, 0.02, both, true},
      {"linear-up-to-16", kUpTo16, 5, 0.05, {}},
      {"linear-up-to-32", kUpTo32, 3, 0.01, {}},
      {"no-peak", kUpTo32, 3, 0.05, {.contention = 0.1}},
      {"no-contention", kUpTo32, 3, 0.03, {.coherency = 0.002}},
      {"hardly-a-peak", kUpTo32, 3, 0.02, {.contention = 0.02, .coherency = 0.0001}},
      {"serial", kUpTo16, 5, 0.02, {.contention = 0.9, .coherency = 0.01}},
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
  std::uint64_t rate = 0;
  std::uint64_t contention = 0;
  std::uint64_t coherency = 0;
  std::uint64_t peak = 0;
  std::uint64_t efficiency = 0;
  for (std::uint64_t i = 0; i < kLawTries; ++i) {
    const auto fitted = FitScalingLaws(Draw(design, random));
    ASSERT_TRUE(fitted.ok()) << fitted.status();
    const ScalingLaw& law = fitted->laws.back();
    const double largest = design.sizes.back();
    rate += Holds(law.rate, design.planted.rate) ? 1U : 0U;
    contention += Holds(law.contention, design.planted.contention) ? 1U : 0U;
    coherency += Holds(law.coherency, design.planted.coherency) ? 1U : 0U;
    peak += Holds(law.peak, design.planted.Peak()) ? 1U : 0U;
    efficiency +=
        Holds(law.efficiency, design.planted.At(largest) / largest / design.planted.rate) ? 1U : 0U;
  }
  for (const auto& [what, held] : {std::pair{"rate", rate},
                                   {"contention", contention},
                                   {"coherency", coherency},
                                   {"peak", peak},
                                   {"efficiency", efficiency}}) {
    const std::string id = absl::StrCat("law-interval-", design.name, "-", what);
    const std::string says = absl::StrCat(what, " of a known law is in its 95 % interval, ",
                                          design.name, ", CV ", 100.0 * design.cv, " %");
    twofold::Measure({.id = id, .says = says, .least = 0.94}, held, kLawTries);
  }
}

INSTANTIATE_TEST_SUITE_P(Designs, PlantedLaw, testing::ValuesIn(Designs()), [](const auto& row) {
  std::string name = row.param.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

// ---- which law is best, and what it predicts

struct Truth {
  const char* id;
  const char* says;
  double (*at)(double);
  Law law;
  const std::vector<double>& sizes;
  double workers;  // of the prediction
};

const std::vector<Truth>& Truths() {
  static const std::vector<Truth> truths = {
      {"plateau", "a throughput that levels off at 8 of 64 workers",
       [](double n) { return 100.0 * std::min(n, 8.0); }, Law::kPlateau, kUpTo64, 64.0},
      {"usl", "a throughput by the universal law, up to 32 workers",
       [](double n) { return 100.0 * n / (1.0 + 0.05 * (n - 1.0) + 0.001 * n * (n - 1.0)); },
       Law::kUniversal, kUpTo32, 32.0},
      {"usl-beyond", "the same, predicted for 64 workers",
       [](double n) { return 100.0 * n / (1.0 + 0.05 * (n - 1.0) + 0.001 * n * (n - 1.0)); },
       Law::kUniversal, kUpTo32, 64.0}};
  return truths;
}

TEST(PromisedLaws, TheTrueOneIsBestAndItsPredictionHoldsTheTruth) {
  for (const Truth& truth : Truths()) {
    std::mt19937_64 random(kLawSeed);
    std::normal_distribution<double> error(0.0, 0.03);
    std::uint64_t best = 0;
    std::uint64_t level = 0;
    std::uint64_t predicted = 0;
    std::uint64_t held = 0;
    for (std::uint64_t i = 0; i < kLawTries; ++i) {
      std::vector<Observation> all;
      for (const double n : truth.sizes) {
        for (int k = 0; k < 3; ++k) all.push_back({n, truth.at(n) * (1.0 + error(random))});
      }
      const ScalingLaws laws = FitScalingLaws(all).value();
      if (laws.Best() == nullptr) continue;
      best += laws.Best()->law == truth.law ? 1U : 0U;
      level += laws.Best()->law == Law::kPlateau ? 1U : 0U;
      const auto there = laws.At(truth.workers);
      if (!there.ok()) continue;
      ++predicted;
      held += Holds(*there, truth.at(truth.workers)) ? 1U : 0U;
    }
    const std::string id = absl::StrCat("law-best-", truth.id);
    const std::string at = absl::StrCat("law-at-", truth.id);
    const std::string seen = absl::StrCat(truth.says, ", three times each, CV 3 %: ");
    twofold::Measure({.id = id, .says = seen + "its law is best", .least = 0.97}, best, kLawTries);
    twofold::Measure({.id = at, .says = seen + "it is in the interval of `--at`", .least = 0.94},
                     held, predicted);
    if (truth.law == Law::kPlateau) continue;
    twofold::Measure(
        {.id = absl::StrCat(id, "-not-plateau"), .says = seen + "called a plateau", .most = 0.01},
        level, kLawTries);
  }
}

}  // namespace
}  // namespace twofold::stats
