#include <absl/strings/str_cat.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <utility>

#include "lib/stats/comparison.h"
#include "lib/stats/scaling.h"
#include "tests/support/promise.h"

namespace twofold::stats {
namespace {

TEST(LookAt, IsDueAfterTenLivesAndTwoSeconds) {
  EXPECT_FALSE(LookAt(1.9, 0.1, 60.0).due);
  EXPECT_TRUE(LookAt(2.0, 0.1, 60.0).due);
  EXPECT_FALSE(LookAt(9.0, 1.0, 60.0).due);
  EXPECT_NEAR(LookAt(9.0, 1.0, 60.0).next_seconds, 1.0, 1e-9);
  EXPECT_TRUE(LookAt(10.0, 1.0, 60.0).due);
}

TEST(LookAt, OfAWindowWithoutAJobIsNotDue) {
  EXPECT_FALSE(LookAt(0.0, 0.0, 60.0).due);
  EXPECT_EQ(LookAt(0.0, 0.0, 60.0).next_seconds, 2.0);
}

TEST(LookAt, ComesAgainWhenTheWindowHasGrownByHalfButNotAfterTheCap) {
  EXPECT_NEAR(LookAt(10.0, 1.0, 60.0).next_seconds, 5.0, 1e-9);
  EXPECT_NEAR(LookAt(50.0, 1.0, 60.0).next_seconds, 10.0, 1e-9);
  EXPECT_FALSE(LookAt(50.0, 1.0, 60.0).last);
}

TEST(LookAt, AtTheCapIsTheLastOneHoweverFewJobs) {
  const Look look = LookAt(60.0, 100.0, 60.0);
  EXPECT_TRUE(look.due);
  EXPECT_TRUE(look.last);
  EXPECT_EQ(look.next_seconds, 0.0);
}

TEST(LookAt, KeepsMoreForTheCapThanForEarlierLooks) {
  EXPECT_LT(LookAt(60.0, 1.0, 60.0).confidence, LookAt(10.0, 1.0, 60.0).confidence);
}

/// Whether one of the looks takes a Brownian motion without a drift for one with a drift.
bool IsDecided(double cap, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  const double early = StudentFactor(LookAt(10.0, 1.0, cap).confidence, 1e9);
  const double last = StudentFactor(LookAt(cap, 1.0, cap).confidence, 1e9);
  double time = 0.0;
  double sum = 0.0;
  for (Look look = LookAt(0.0, 1.0, cap); !look.last;) {
    sum += std::sqrt(look.next_seconds) * normal(random);
    time += look.next_seconds;
    look = LookAt(time, 1.0, cap);
    if (look.due && std::abs(sum) > (look.last ? last : early) * std::sqrt(time)) return true;
  }
  return false;
}

TEST(PromisedLooks, SpendLittleMoreThanFivePercentTogether) {
  constexpr std::uint64_t kMotions = 20'000;
  std::mt19937_64 random(1);
  for (const auto& [first_looks, most] : {std::pair(20, 0.06), {30, 0.06}, {100, 0.065}}) {
    const std::string id = absl::StrCat("looks-", first_looks);
    const std::string says = absl::StrCat("all looks up to a cap of ", first_looks,
                                          " times the first one: noise alone decides");
    Measure({.id = id, .says = says, .most = most}, kMotions,
            [&, cap = 10.0 * first_looks] { return IsDecided(cap, random); });
  }
}

}  // namespace
}  // namespace twofold::stats
