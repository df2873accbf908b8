#include "kubernetes/lifecycle/times/clock_offset.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/kubernetes/lifecycle/objects.h"

namespace twofold::lifecycle {
namespace {

constexpr std::int64_t kBegin = 1'795'428'000;  // Unix seconds of At(0)

/// Sent at `ms`, seen 8 ms later, created 3 ms after sending by a server whose clock is `ahead_ms`.
Life Created(double ms, double ahead_ms) {
  Life life;
  Of(life.own, Moment::kSent) = Sight{At(ms), At(ms), std::nullopt};
  const auto second = kBegin + static_cast<std::int64_t>((ms + 3 + ahead_ms) / 1000);
  Of(life.own, Moment::kCreated) = Sight{At(ms + 8), At(ms + 8), second};
  return life;
}

std::optional<Between> OffsetOf(const std::vector<Life>& lives) {
  return ClockOffset(lives, {At(0), kBegin * 1'000'000'000});
}

TEST(ClockOffset, IsFoundWithinMillisecondsFromWholeSeconds) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> when(1000, 60000);
  std::vector<Life> lives;
  for (int i = 0; i < 1000; ++i) lives.push_back(Created(when(random), 317));
  const auto offset = OffsetOf(lives);
  ASSERT_TRUE(offset);
  EXPECT_LE(offset->low, 0.317);
  EXPECT_GE(offset->high, 0.317);
  EXPECT_LT(offset->high - offset->low, 0.020);
}

TEST(ClockOffset, OfOneWorkloadIsASecondWide) {
  const auto offset = OffsetOf({Created(5500, 0)});
  EXPECT_NEAR(offset->high - offset->low, 1.008, 1e-9);
  EXPECT_LE(offset->low, 0);
  EXPECT_GE(offset->high, 0);
}

TEST(ClockOffset, AClockThatWasSetFitsNoOffset) {
  const auto offset = OffsetOf({Created(5500, 0), Created(9500, 30000)});
  ASSERT_TRUE(offset);
  EXPECT_GT(offset->low, offset->high);
}

TEST(ClockOffset, OfNothingIsUnknown) {
  EXPECT_FALSE(OffsetOf({}));
  EXPECT_FALSE(OffsetOf({Life()}));
}

}  // namespace
}  // namespace twofold::lifecycle
