#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "lib/stats/comparison.h"
#include "lib/stats/scaling.h"

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

/// The share of Brownian motions without drift that one of the looks takes for one with a drift.
double SpentByLooks(double cap) {
  constexpr int kTries = 20'000;
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  const double early = StudentFactor(LookAt(10.0, 1.0, cap).confidence, 1e9);
  const double last = StudentFactor(LookAt(cap, 1.0, cap).confidence, 1e9);
  int wrong = 0;
  for (int i = 0; i < kTries; ++i) {
    double time = 0.0;
    double sum = 0.0;
    for (Look look = LookAt(0.0, 1.0, cap); !look.last;) {
      sum += std::sqrt(look.next_seconds) * normal(random);
      time += look.next_seconds;
      look = LookAt(time, 1.0, cap);
      if (look.due && std::abs(sum) > (look.last ? last : early) * std::sqrt(time)) {
        ++wrong;
        break;
      }
    }
  }
  return wrong / double{kTries};
}

TEST(LookAt, AllLooksTogetherSpendFivePercent) {
  EXPECT_NEAR(SpentByLooks(200.0), 0.048, 0.005);
  EXPECT_NEAR(SpentByLooks(300.0), 0.050, 0.005);
  EXPECT_LT(SpentByLooks(1000.0), 0.060);
}

}  // namespace
}  // namespace twofold::stats
