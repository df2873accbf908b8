#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "lib/stats/parts.h"

namespace twofold::stats {
namespace {

using Random = std::mt19937_64;

/// Parts of mean 1 and standard deviation 0.1, whose likeness falls by e in `lives` lives.
Parts Draw(double lives_per_part, double lives, Random& random) {
  std::normal_distribution<double> normal;
  const double likeness = lives > 0.0 ? std::exp(-lives_per_part / lives) : 0.0;
  double state = normal(random);
  Parts parts{};
  for (double& part : parts) {
    part = 1.0 + 0.1 * state;
    state = likeness * state + std::sqrt(1.0 - likeness * likeness) * normal(random);
  }
  return parts;
}

/// How large the mean of such parts scatters, and what is said of it, in windows of `lives`.
struct Seen {
  double error = 0.0;  ///< root mean square
  double said = 0.0;   ///< the same
};
Seen Try(double window_lives, double lasting_lives) {
  constexpr int kTries = 3000;
  Random random(1);
  Seen seen;
  for (int i = 0; i < kTries; ++i) {
    const Parts parts = Draw(window_lives / kParts, lasting_lives, random);
    double mean = 0.0;
    for (const double part : parts) mean += part / kParts;
    const double said = ErrorOfMean(parts, window_lives / kParts).relative;
    seen.error += (mean - 1.0) * (mean - 1.0) / kTries;
    seen.said += said * said / kTries;
  }
  return {std::sqrt(seen.error), std::sqrt(seen.said)};
}

TEST(ErrorOfMean, OfNoiseThatLastsSixLivesIsRightInWindowsOfAnyLength) {
  for (const double lives : {10.0, 30.0, 100.0, 300.0}) {
    const Seen seen = Try(lives, kLastingLives);
    EXPECT_NEAR(seen.said / seen.error, 1.0, 0.08) << lives;
  }
}

TEST(ErrorOfMean, OfNoiseThatDoesNotLastIsTooLargeInShortWindowsAndNearlyRightInLongOnes) {
  const Seen at_10 = Try(10.0, 0.0);
  const Seen at_200 = Try(200.0, 0.0);
  const Seen at_2000 = Try(2000.0, 0.0);
  EXPECT_GT(at_10.said, 2.0 * at_10.error);
  EXPECT_NEAR(at_200.said / at_200.error, 1.16, 0.08);
  EXPECT_NEAR(at_2000.said / at_2000.error, 1.0, 0.05);
}

TEST(ErrorOfMean, HasFewDegreesOfFreedomInShortWindows) {
  Random random(1);
  const Parts parts = Draw(1.0, 0.0, random);
  EXPECT_NEAR(ErrorOfMean(parts, 10.0 / kParts).degrees, 3.2, 0.1);
  EXPECT_NEAR(ErrorOfMean(parts, 200.0 / kParts).degrees, 11.3, 0.1);
  EXPECT_NEAR(ErrorOfMean(parts, 1e6).degrees, 12.0, 1e-9);
}

TEST(ErrorOfMean, OfEqualPartsIsZero) {
  Parts parts{};
  EXPECT_EQ(ErrorOfMean(parts, 1.0).relative, 0.0);
  parts.fill(5.0);
  EXPECT_NEAR(ErrorOfMean(parts, 1.0).relative, 0.0, 1e-15);
}

}  // namespace
}  // namespace twofold::stats
