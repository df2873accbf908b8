#include "cli/lifecycle/times/plateau.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/cli/lifecycle/objects.h"

namespace twofold::lifecycle {
namespace {

/// `burst` at once, then `rate` a second, `n` in all.
std::vector<Instant> TokenBucket(int n, int burst, double rate) {
  std::vector<Instant> out;
  for (int i = 0; i < n; ++i) out.push_back(At(i < burst ? 0 : (i - burst + 1) * 1000.0 / rate));
  return out;
}

std::vector<Instant> AllAt(int n, double ms) { return {static_cast<std::size_t>(n), At(ms)}; }

TEST(Plateau, TheSchedulersClientLimitIsNamed) {
  const auto found =
      FindPlateau("scheduled", Worker::kScheduler, AllAt(700, -100), TokenBucket(700, 100, 50));
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->rate, 50, 0.6);
  EXPECT_GE(found->seconds, 9);
  EXPECT_NE(found->limiter.find("scheduler's default client limit"), std::string::npos);
}

TEST(Plateau, TheControllerManagersLimitIsNamed) {
  const auto found =
      FindPlateau("first_pod", Worker::kController, AllAt(150, -100), TokenBucket(150, 5, 9));
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->rate, 9, 0.3);
  EXPECT_NE(found->limiter.find("controller manager"), std::string::npos);
}

TEST(Plateau, AFlatRateThatNobodyKnowsIsShownWithoutAName) {
  const auto found =
      FindPlateau("scheduled", Worker::kScheduler, AllAt(2000, -100), TokenBucket(2000, 100, 130));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->limiter, "");
}

TEST(Plateau, AFlatGeneratorIsNoLimit) {
  const auto in = TokenBucket(700, 0, 50);
  auto out = in;
  for (Instant& instant : out) instant += std::chrono::milliseconds(8);
  EXPECT_FALSE(FindPlateau("scheduled", Worker::kScheduler, in, out));
}

TEST(Plateau, AFastSchedulerHasNone) {
  EXPECT_FALSE(FindPlateau("scheduled", Worker::kScheduler, AllAt(1000, 0), AllAt(1000, 20)));
}

TEST(Plateau, RandomServiceIsNotFlat) {
  std::mt19937_64 random(3);
  std::exponential_distribution<double> gap(50.0);
  std::vector<Instant> out;
  double ms = 0;
  for (int i = 0; i < 1000; ++i) out.push_back(At(ms += gap(random) * 1000));
  EXPECT_FALSE(FindPlateau("scheduled", Worker::kScheduler, AllAt(1000, -100), out)) << "seed 3";
}

TEST(Plateau, OfNothingIsNone) {
  EXPECT_FALSE(FindPlateau("scheduled", Worker::kScheduler, AllAt(10, 0), {}));
  EXPECT_FALSE(FindPlateau("scheduled", Worker::kScheduler, {}, AllAt(10, 0)));
}

TEST(Plateau, TheOrderOfArrivalDoesNotMatter) {
  auto out = TokenBucket(700, 100, 50);
  std::shuffle(out.begin(), out.end(), std::mt19937_64(5));
  EXPECT_TRUE(FindPlateau("scheduled", Worker::kScheduler, AllAt(700, -100), out));
}

}  // namespace
}  // namespace twofold::lifecycle
