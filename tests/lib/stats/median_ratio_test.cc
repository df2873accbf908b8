#include "lib/stats/median_ratio.h"

#include <gtest/gtest.h>

#include <cmath>
#include <iostream>
#include <random>
#include <vector>

#include "tests/lib/stats/tries.h"
#include "tests/support/sanitized.h"

namespace twofold::stats {
namespace {

const int kMedianTries = static_cast<int>(FromEnvironment("TWOFOLD_TRIES", kSanitized ? 10 : 100));
const std::uint64_t kMedianSeed = FromEnvironment("TWOFOLD_SEED", 1);

TEST(MedianRatio, StandsAnOutlier) {
  const std::vector<double> base = {10, 10.1, 9.9, 10, 10.2, 9.8};
  const std::vector<double> now = {20, 20.1, 19.9, 20, 20.2, 900};
  const MedianRatio compared = CompareMedians(base, now);
  EXPECT_NEAR(compared.ratio.value, 2.0, 0.02);
  EXPECT_LT(compared.ratio.lower, 2.0);
  EXPECT_GT(compared.ratio.lower, 1.9);
  EXPECT_LT(compared.p, 0.01);
}

TEST(MedianRatio, OfFewerThanFiveHasNoInterval) {
  const std::vector<double> four = {1, 2, 3, 4};
  const std::vector<double> five = {1, 2, 3, 4, 5};
  EXPECT_TRUE(std::isinf(CompareMedians(four, five).ratio.upper));
  EXPECT_EQ(CompareMedians(five, four).ratio.lower, 0.0);
  EXPECT_FALSE(std::isinf(CompareMedians(five, five).ratio.upper));
  EXPECT_EQ(CompareMedians({}, five).p, 1.0);
}

TEST(MedianRatio, OfEqualValuesIsOneForCertain) {
  const std::vector<double> same(5, 3.0);
  const MedianRatio compared = CompareMedians(same, same);
  EXPECT_EQ(compared.ratio.lower, 1.0);
  EXPECT_EQ(compared.ratio.upper, 1.0);
  EXPECT_EQ(compared.p, 1.0);
}

TEST(SimulatedMedians, AreInTheirInterval) {
  std::cout << "TWOFOLD_TRIES=" << kMedianTries << " TWOFOLD_SEED=" << kMedianSeed << "\n";
  for (const std::size_t size : {5U, 10U, 30U}) {
    std::mt19937_64 random(kMedianSeed);
    std::lognormal_distribution<double> value(0.0, 0.3);
    int held = 0;
    for (int i = 0; i < kMedianTries; ++i) {
      std::vector<double> base(size);
      std::vector<double> now(size);
      for (double& each : base) each = value(random);
      for (double& each : now) each = 1.3 * value(random);
      const Bounded ratio = CompareMedians(base, now).ratio;
      held += ratio.lower <= 1.3 && 1.3 <= ratio.upper ? 1 : 0;
    }
    std::cout << size << " values | held " << 100.0 * held / kMedianTries << " %\n";
    EXPECT_GE(held, 0.94 * kMedianTries - 3.1 * std::sqrt(0.06 * kMedianTries) - 1.0) << size;
  }
}

}  // namespace
}  // namespace twofold::stats
