#include "lib/stats/growth.h"

#include <absl/strings/str_cat.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <random>
#include <sstream>
#include <string>

#include "lib/stats/many.h"
#include "tests/lib/stats/tries.h"
#include "tests/support/promise.h"
#include "tests/support/sanitized.h"

namespace twofold::stats {
namespace {

const std::uint64_t kGrowthTries = FromEnvironment("TWOFOLD_TRIES", Fewer(200));
const std::uint64_t kGrowthSeed = FromEnvironment("TWOFOLD_SEED", 1);

const std::vector<double> kSizes = {4, 8, 16, 32, 64};

template <typename Cost>
std::vector<Observation> CostsOf(const Cost& cost, double cv = 0.0, int repetitions = 1,
                                 std::uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> error(0.0, 1.0);
  std::vector<Observation> all;
  for (const double n : kSizes) {
    for (int i = 0; i < repetitions; ++i)
      all.push_back({n, cost(n) * std::exp(cv * error(random))});
  }
  return all;
}

double Constant(double /*n*/) { return 7.0; }

TEST(Growth, OfAPowerIsItsExponent) {
  const Growth growth =
      FitGrowth(CostsOf([](double n) { return 3.0 * std::pow(n, 1.5); }), {}).value();
  EXPECT_NEAR(growth.exponent.value, 1.5, 1e-12);
  EXPECT_NEAR(growth.theil_sen, 1.5, 1e-12);
  EXPECT_EQ(growth.verdict, ScalingClass::kIssue);
  EXPECT_EQ(growth.shape, Shape::kPower);
}

TEST(Growth, BesideItsIdealIsClose) {
  const auto linear = [](double n) { return 3.0 * n; };
  EXPECT_EQ(FitGrowth(CostsOf(linear), {}).value().verdict, ScalingClass::kIssue);
  EXPECT_EQ(FitGrowth(CostsOf(linear), {.ideal = Shape::kLinear}).value().verdict,
            ScalingClass::kClose);
  const auto tree = [](double n) { return 3.0 * std::log2(n); };
  EXPECT_EQ(FitGrowth(CostsOf(tree), {.ideal = Shape::kLog}).value().verdict, ScalingClass::kClose);
}

TEST(Growth, OneBadPointDoesNotMoveTheMedianOfSlopes) {
  std::vector<Observation> costs = CostsOf([](double n) { return n; });
  costs.back().y *= 10.0;
  const Growth growth = FitGrowth(costs, {}).value();
  EXPECT_NEAR(growth.theil_sen, 1.0, 0.01);
  EXPECT_GT(growth.exponent.value, 1.3);
}

TEST(Growth, ShapesAreTold) {
  const std::vector<std::pair<Shape, double (*)(double)>> shapes = {
      {Shape::kConstant, [](double) { return 5.0; }},
      {Shape::kLog, [](double n) { return 5.0 + 2.0 * std::log2(n); }},
      {Shape::kLinear, [](double n) { return 50.0 + 2.0 * n; }},
      {Shape::kLogTimes, [](double n) { return 50.0 + 2.0 * n * std::log2(n); }},
      {Shape::kSquare, [](double n) { return 500.0 + n * n; }},
      {Shape::kPower, [](double n) { return std::pow(n, 1.5); }}};
  for (const auto& [shape, cost] : shapes) {
    EXPECT_EQ(FitGrowth(CostsOf(cost, 0.01, 5), {}).value().shape, shape) << Name(shape);
  }
}

TEST(Growth, AKneeIsFoundWhereItIsAndOnlyThere) {
  const auto kinked = [](double n) { return n <= 16 ? 5.0 : 5.0 * n / 16.0; };
  const Growth growth = FitGrowth(CostsOf(kinked, 0.02, 5), {}).value();
  ASSERT_TRUE(growth.knee);
  EXPECT_NEAR(growth.knee->x, 16.0, 1e-9);
  EXPECT_NEAR(growth.knee->before, 0.0, 0.05);
  EXPECT_NEAR(growth.knee->after, 1.0, 0.05);
  EXPECT_TRUE(growth.bent);
  EXPECT_FALSE(FitGrowth(CostsOf(Constant, 0.05, 5), {}).value().knee);
}

TEST(Growth, SaysHowManyRepetitionsWouldDecide) {
  // Half of the costs a fifth above the curve, half a fifth below it, at each size.
  const auto scattered = [](int repetitions) {
    std::vector<Observation> all;
    for (const double n : kSizes) {
      for (int i = 0; i < repetitions; ++i) {
        all.push_back({n, std::pow(n, 0.15) * (i % 2 == 0 ? 1.2 : 1.0 / 1.2)});
      }
    }
    return all;
  };
  const Growth few = FitGrowth(scattered(2), {}).value();
  ASSERT_EQ(few.verdict, ScalingClass::kPossible);
  ASSERT_GT(few.repetitions_needed, 2U);
  const auto even = static_cast<int>(few.repetitions_needed + few.repetitions_needed % 2);
  EXPECT_EQ(FitGrowth(scattered(even), {}).value().verdict, ScalingClass::kIssue);
  EXPECT_EQ(FitGrowth(scattered(even / 2 / 2 * 2), {}).value().verdict, ScalingClass::kPossible);
}

TEST(Growth, RefusesWhatItCannotJudge) {
  const auto message = [](std::vector<Observation> costs, GrowthOptions options = {}) {
    return std::string(FitGrowth(costs, options).status().message());
  };
  EXPECT_EQ(message({{1, 1}, {2, 1}, {2, 1}}), "not enough sizes: 2 where 3 are needed");
  EXPECT_EQ(message({{1, 1}, {2, 0}, {4, 1}}), "value at size 2: 0 is not above 0");
  EXPECT_EQ(message({{0, 1}, {2, 1}, {4, 1}}), "size: 0 is not above 0");
  EXPECT_EQ(message({{1, 1}, {2, 1}, {4, 1}}, {.ideal = Shape::kLog}),
            "size: the ideal log n needs sizes above 1, one is 1");
}

// ---- how often it is wrong

/// Costs n^`exponent` with 10 % of scatter of each, and as much as `between` of each size.
std::vector<Observation> Scattered(double exponent, double between, int repetitions,
                                   std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  std::vector<Observation> costs;
  for (const double n : kSizes) {
    const double size = std::exp(between * normal(random));
    for (int i = 0; i < repetitions; ++i) {
      costs.push_back({n, std::pow(n, exponent) * size * std::exp(0.1 * normal(random))});
    }
  }
  return costs;
}

TEST(PromisedGrowth, IsInItsIntervalAndSeldomJudgedWrong) {
  for (const double between : {0.0, 0.05, 0.1}) {
    for (const int repetitions : {1, 3, 5}) {
      std::mt19937_64 random(kGrowthSeed);
      std::uint64_t held = 0;
      std::uint64_t wrong = 0;
      for (std::uint64_t i = 0; i < kGrowthTries; ++i) {
        const Growth growth = FitGrowth(Scattered(0.1, between, repetitions, random), {}).value();
        held += growth.exponent.lower <= 0.1 && 0.1 <= growth.exponent.upper ? 1U : 0U;
        wrong += growth.verdict != ScalingClass::kPossible ? 1U : 0U;
      }
      const std::string id = absl::StrCat("growth-", repetitions, "-", 100.0 * between);
      const std::string says =
          absl::StrCat("an exponent at the margin, five sizes ", repetitions,
                       " times, CV 10 % and ", 100.0 * between, " % from size to size: ");
      twofold::Measure({.id = id, .says = says + "it is in its 90 % interval", .least = 0.9}, held,
                       kGrowthTries);
      twofold::Measure(
          {.id = id + "-wrong", .says = says + "it is called close or an issue", .most = 0.1},
          wrong, kGrowthTries);
    }
  }
}

TEST(PromisedGrowth, FarFromTheMarginIsDecided) {
  for (const double exponent : {0.0, 0.5}) {
    const int repetitions = exponent > 0.0 ? 1 : 5;
    std::mt19937_64 random(kGrowthSeed);
    const ScalingClass truth = exponent > 0.0 ? ScalingClass::kIssue : ScalingClass::kClose;
    twofold::Measure(
        {.id = absl::StrCat("growth-decided-", 100.0 * exponent),
         .says = absl::StrCat("an exponent of ", exponent, ", five sizes ", repetitions,
                              " times, CV 10 %: called ", std::string(Name(truth))),
         .least = 0.95},
        kGrowthTries, [&] {
          return FitGrowth(Scattered(exponent, 0.0, repetitions, random), {})->verdict == truth;
        });
  }
}

// ---- measured

std::map<std::string, std::vector<Observation>> OsuTimes() {
  std::ifstream file(TWOFOLD_SOURCE "/tests/golden/scaling/osu-times.csv");
  std::map<std::string, std::vector<Observation>> all;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::istringstream fields(line);
    std::string name;
    std::string seconds;
    std::string nodes;
    std::getline(std::getline(std::getline(fields, name, ','), seconds, ','), nodes, ',');
    all[name].push_back({std::stod(nodes), std::stod(seconds)});
  }
  return all;
}

// The classes that the author of the measurement gave by eye, where one run decides. The others are
// "possible": intervals reach over the margin, as the scatter of single runs is as large as it.
const std::map<std::string, ScalingClass> kOsuClasses = {
    {"osu_allgather", ScalingClass::kIssue},      {"osu_ibarrier", ScalingClass::kIssue},
    {"osu_barrier", ScalingClass::kIssue},        {"osu_multi_lat", ScalingClass::kIssue},
    {"osu_mbw_mr", ScalingClass::kIssue},         {"osu_hello", ScalingClass::kIssue},
    {"osu_init", ScalingClass::kIssue},           {"osu_bw", ScalingClass::kClose},
    {"osu_bibw", ScalingClass::kClose},           {"osu_get_bw", ScalingClass::kClose},
    {"osu_latency_mp", ScalingClass::kClose},     {"osu_put_bw", ScalingClass::kClose},
    {"osu_put_bibw", ScalingClass::kClose},       {"osu_acc_latency", ScalingClass::kPossible},
    {"osu_cas_latency", ScalingClass::kPossible}, {"osu_fop_latency", ScalingClass::kPossible},
    {"osu_get_latency", ScalingClass::kPossible}, {"osu_get_acc_latency", ScalingClass::kPossible},
    {"osu_latency", ScalingClass::kPossible},     {"osu_latency_mt", ScalingClass::kPossible},
    {"osu_put_latency", ScalingClass::kPossible}};

TEST(GrowthOfOsuTimes, HasTheClassesOfItsAuthorOrAnIntervalThatDoesNotDecide) {
  std::vector<std::string> names;
  std::vector<Growth> all;
  for (const auto& [name, costs] : OsuTimes()) {
    const auto growth = FitGrowth(costs, {});
    if (name == "osu_allreduce") {
      EXPECT_EQ(growth.status().message(), "not enough sizes: 2 where 3 are needed");
      continue;
    }
    ASSERT_TRUE(growth.ok()) << name << growth.status();
    names.push_back(name);
    all.push_back(*growth);
  }
  EXPECT_TRUE(CorrectForMany(all));
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Bounded& b = all[i].exponent;
    EXPECT_EQ(Name(all[i].verdict), Name(kOsuClasses.at(names[i])))
        << names[i] << ": " << b.value << " in " << b.lower << " .. " << b.upper;
  }
  EXPECT_EQ(all.size(), kOsuClasses.size());
}

// ---- many

// One more just at its risk is as sure as the limit asks, beside those that are sure already.
TEST(Many, TheRiskOfOneMoreIsWhatItMayHaveToCount) {
  const double share = RiskForShare(0.05, 2, 4);
  const double any = RiskForAny(0.05, 2, 4);
  EXPECT_NEAR(AdjustedForShare({0.001, 0.002, share, 0.9})[2], 0.05, 1e-12);
  EXPECT_NEAR(AdjustedForAny({0.001, 0.002, any, 0.9})[2], 0.05, 1e-12);
}

TEST(Many, AdjustedValuesAreThoseOfTheTextbook) {
  const std::vector<double> p = {0.01, 0.04, 0.03, 0.005};
  const std::vector<double> share = AdjustedForShare(p);
  const std::vector<double> any = AdjustedForAny(p);
  for (const auto& [at, by_share, by_any] :
       {std::tuple{0, 0.02, 0.03}, {1, 0.04, 0.06}, {2, 0.04, 0.06}, {3, 0.02, 0.02}}) {
    EXPECT_NEAR(share[static_cast<std::size_t>(at)], by_share, 1e-12) << at;
    EXPECT_NEAR(any[static_cast<std::size_t>(at)], by_any, 1e-12) << at;
  }
  EXPECT_TRUE(AdjustedForShare({}).empty());
}

TEST(Many, FewAtOnceAreNotCorrected) {
  std::vector<Growth> ten(10, Growth{.p = 0.04, .verdict = ScalingClass::kClose});
  EXPECT_FALSE(CorrectForMany(ten));
  EXPECT_EQ(ten[0].verdict, ScalingClass::kClose);
}

TEST(Many, OneSureOfElevenIsLeft) {
  std::vector<Growth> eleven(11, Growth{.p = 0.06, .verdict = ScalingClass::kClose});
  eleven[4].p = 0.001;
  EXPECT_TRUE(CorrectForMany(eleven));
  EXPECT_EQ(eleven[4].verdict, ScalingClass::kClose);
  EXPECT_EQ(eleven[5].verdict, ScalingClass::kPossible);
}

}  // namespace
}  // namespace twofold::stats
