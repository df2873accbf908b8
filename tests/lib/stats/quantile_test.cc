#include "lib/stats/quantile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

namespace twofold::stats {
namespace {

std::vector<double> OneTo(int n) {
  std::vector<double> values(static_cast<std::size_t>(n));
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

TEST(Quantile, OfNothingIsNothing) { EXPECT_FALSE(QuantileOf({}, 0.5)); }

TEST(Quantile, IsTheNearestRank) {
  const auto values = OneTo(10);
  EXPECT_EQ(QuantileOf(values, 0.5)->value, 5);
  EXPECT_EQ(QuantileOf(values, 0.51)->value, 6);
  EXPECT_EQ(QuantileOf(values, 0.0)->value, 1);
  EXPECT_EQ(QuantileOf(values, 1.0)->value, 10);
}

// Ranks 40 and 61 of 100: the textbook's table of intervals for the median.
TEST(Quantile, BoundsAreRanksOfTheBinomial) {
  const auto median = QuantileOf(OneTo(100), 0.5);
  EXPECT_EQ(median->lower, 40);
  EXPECT_EQ(median->upper, 61);
}

// Of so many the binomial distribution is a normal one.
TEST(Quantile, BoundsOfAMillionMillionValuesAreThoseOfTheNormalDistribution) {
  constexpr std::uint64_t kMany = 1'000'000'000'000;
  for (const double q : {0.5, 0.99, 0.999}) {
    const Ranks ranks = RanksOfQuantile(kMany, q);
    const double middle = q * static_cast<double>(kMany);
    const double half = 1.959964 * std::sqrt(middle * (1 - q));
    EXPECT_NEAR(static_cast<double>(ranks.lower), middle - half, half / 1000) << q;
    EXPECT_NEAR(static_cast<double>(ranks.upper), middle + half, half / 1000) << q;
  }
}

TEST(Quantile, FewValuesDoNotBoundAHighQuantile) {
  const auto p99 = QuantileOf(OneTo(50), 0.99);
  EXPECT_EQ(p99->value, 50);
  EXPECT_TRUE(std::isinf(p99->upper));
  EXPECT_GT(p99->lower, 40);
}

TEST(Quantile, WhatNeverCameIsInfinitelyLate) {
  auto values = OneTo(98);
  values.insert(values.end(), 2, std::numeric_limits<double>::infinity());
  EXPECT_EQ(QuantileOf(values, 0.98)->value, 98);
  EXPECT_TRUE(std::isinf(QuantileOf(values, 0.99)->value));
}

TEST(Quantile, IntervalsHoldTheTrueOneAsOftenAsTheySay) {
  std::mt19937_64 random(7);
  std::exponential_distribution<double> wait(1.0);
  const double truth = -std::log(0.1);
  int holds = 0;
  for (int i = 0; i < 2000; ++i) {
    std::vector<double> values(200);
    for (double& value : values) value = wait(random);
    std::sort(values.begin(), values.end());
    const auto p90 = QuantileOf(values, 0.9);
    holds += p90->lower <= truth && truth <= p90->upper ? 1 : 0;
  }
  EXPECT_GE(holds, 1890) << "of 2000, seed 7";
}

}  // namespace
}  // namespace twofold::stats
