#include "bench/peers/arrivals.h"

#include <gtest/gtest.h>

namespace twofold::bench {
namespace {

using std::chrono::milliseconds;

TEST(ExponentialTimes, HaveTheirMean) {
  ExponentialTimes times(milliseconds(10), 7);
  Duration sum{};
  constexpr int kDraws = 100'000;
  for (int i = 0; i < kDraws; ++i) sum += times.Draw();
  // The standard error of the mean is 0.03 ms.
  EXPECT_NEAR(ToSeconds(sum) / kDraws, 0.010, 0.0002);
}

TEST(ExponentialTimes, AreNeverNegativeAndNeverAlike) {
  ExponentialTimes times(milliseconds(10), 7);
  const Duration first = times.Draw();
  EXPECT_GE(first, Duration(0));
  EXPECT_NE(first, times.Draw());
}

TEST(ExponentialTimes, OfMeanZeroAreZero) {
  EXPECT_EQ(ExponentialTimes(Duration(0), 1).Draw(), Duration(0));
}

TEST(Arrivals, ComeAtTheirRate) {
  Arrivals arrivals(Instant{}, 1000, 1);
  int before_10_s = 0;
  while (arrivals.Take() < Instant{} + std::chrono::seconds(10)) ++before_10_s;
  EXPECT_NEAR(before_10_s, 10'000, 500);  // five standard deviations
}

TEST(Arrivals, KeepTheirPlanHoweverLateTheyAreTaken) {
  Arrivals watched(Instant{}, 1000, 1);
  Arrivals plan(Instant{}, 1000, 1);
  for (int i = 0; i < 10; ++i) {
    const Instant next = watched.next();
    EXPECT_EQ(next, watched.Take());
    EXPECT_EQ(next, plan.Take());
    EXPECT_GE(watched.next(), next);
  }
}

TEST(Arrivals, OfAnotherSeedAreOthers) {
  EXPECT_NE(Arrivals(Instant{}, 1000, 1).Take(), Arrivals(Instant{}, 1000, 2).Take());
}

}  // namespace
}  // namespace twofold::bench
