#include "kubernetes/lifecycle/times/plateau.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/kubernetes/lifecycle/objects.h"

namespace twofold::lifecycle {
namespace {

constexpr std::string_view kScheduler = "default-scheduler";
constexpr std::string_view kController = "kube-controller-manager";

/// `burst` at once, then `rate` a second, `n` in all.
std::vector<Instant> TokenBucket(int n, int burst, double rate) {
  std::vector<Instant> out;
  for (int i = 0; i < n; ++i) out.push_back(At(i < burst ? 0 : (i - burst + 1) * 1000.0 / rate));
  return out;
}

std::vector<Instant> AllAt(int n, double ms) { return {static_cast<std::size_t>(n), At(ms)}; }

TEST(Plateau, TheSchedulersClientLimitIsNamed) {
  const auto found =
      FindPlateau("scheduled", kScheduler, AllAt(1200, -100), TokenBucket(1200, 100, 50));
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->rate, 50, 0.6);
  EXPECT_GE(found->seconds, 19);
  EXPECT_NE(found->limiter.find("scheduler's default client limit"), std::string::npos);
}

TEST(Plateau, TheControllerManagersLimitIsNamed) {
  const auto found =
      FindPlateau("first_pod", kController, AllAt(250, -100), TokenBucket(250, 5, 9));
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->rate, 9, 0.3);
  EXPECT_NE(found->limiter.find("controller manager"), std::string::npos);
}

TEST(Plateau, LimitsAreNamedAfterTheProgramThatWorksThere) {
  struct Row {
    const char* program;
    double rate;
    std::string limiter;  // begins so
  };
  for (const Row& row :
       {Row{"kai-scheduler", 50, "KAI's scheduler's default client limit (50 QPS"},
        Row{"volcano", 50, ""}, Row{"runai-scheduler", 50, ""},
        Row{"", 50, ""},  // pods name several
        Row{"mpi-operator", 4, "the MPI operator's default client limit (5 QPS"},
        Row{"mpi-operator", 9, ""}, Row{"training-operator", 9, "the training operator's"},
        Row{"vc-controller-manager", 40, "Volcano's controllers' default"}, Row{"runai", 9, ""}}) {
    const auto found =
        FindPlateau("step", row.program, AllAt(1000, -100), TokenBucket(1000, 5, row.rate));
    ASSERT_TRUE(found) << row.program;
    EXPECT_EQ(found->limiter.substr(0, row.limiter.size()), row.limiter) << row.program;
    EXPECT_EQ(found->limiter.empty(), row.limiter.empty()) << found->limiter;
  }
}

TEST(Plateau, AFlatRateThatNobodyKnowsIsShownWithoutAName) {
  const auto found =
      FindPlateau("scheduled", kScheduler, AllAt(3000, -100), TokenBucket(3000, 100, 130));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->limiter, "");
}

TEST(Plateau, AFlatGeneratorIsNoLimit) {
  const auto in = TokenBucket(1500, 0, 50);
  auto out = in;
  for (Instant& instant : out) instant += std::chrono::milliseconds(8);
  EXPECT_FALSE(FindPlateau("scheduled", kScheduler, in, out));
}

TEST(Plateau, AFastSchedulerHasNone) {
  EXPECT_FALSE(FindPlateau("scheduled", kScheduler, AllAt(1000, 0), AllAt(1000, 20)));
}

/// Service of which each takes a random time, for `seconds`.
std::vector<Instant> RandomService(double seconds, double rate, std::mt19937_64& random) {
  std::exponential_distribution<double> gap(rate);
  std::vector<Instant> out;
  for (double s = gap(random); s < seconds; s += gap(random)) out.push_back(At(s * 1000));
  return out;
}

/// How many of `runs` runs with a queue that never empties are said to have a plateau.
template <typename Make>
int Plateaus(int runs, std::uint64_t seed, Make make) {
  std::mt19937_64 random(seed);
  int found = 0;
  for (int i = 0; i < runs; ++i) {
    const std::vector<Instant> out = make(random);
    const std::vector<Instant> in(2 * out.size() + 1000, At(-100));
    found += FindPlateau("first_pod", kController, in, out) ? 1 : 0;
  }
  return found;
}

TEST(Plateau, RandomServiceIsFlatInOneOfAHundredRunsAtMost) {
  for (const double seconds : {30.0, 100.0, 300.0}) {
    for (const double rate : {3.0, 10.0, 20.0, 50.0}) {
      const int found = Plateaus(
          200, 3, [&](std::mt19937_64& random) { return RandomService(seconds, rate, random); });
      EXPECT_LE(found, 2) << seconds << " s at " << rate << "/s, seed 3";
    }
  }
}

TEST(Plateau, ConstantServiceIsFoundThoughEachIsALittleLate) {
  for (const double rate : {5.0, 9.0, 20.0, 50.0}) {
    const int found = Plateaus(100, 5, [&](std::mt19937_64& random) {
      std::exponential_distribution<double> late(1 / 20.0);  // ms
      auto out = TokenBucket(static_cast<int>(40 * rate), 5, rate);
      for (Instant& instant : out) instant += FromSeconds(late(random) / 1000);
      return out;
    });
    EXPECT_GE(found, 99) << rate << "/s, seed 5";
  }
}

TEST(Plateau, AFlatMomentIsNone) {
  EXPECT_FALSE(FindPlateau("scheduled", kScheduler, AllAt(900, -100), TokenBucket(800, 100, 50)));
}

TEST(Plateau, OfNothingIsNone) {
  EXPECT_FALSE(FindPlateau("scheduled", kScheduler, AllAt(10, 0), {}));
  EXPECT_FALSE(FindPlateau("scheduled", kScheduler, {}, AllAt(10, 0)));
}

TEST(Plateau, TheOrderOfArrivalDoesNotMatter) {
  auto out = TokenBucket(1200, 100, 50);
  std::shuffle(out.begin(), out.end(), std::mt19937_64(5));
  EXPECT_TRUE(FindPlateau("scheduled", kScheduler, AllAt(1200, -100), out));
}

}  // namespace
}  // namespace twofold::lifecycle
