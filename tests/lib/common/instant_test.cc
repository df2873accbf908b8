#include "lib/common/instant.h"

#include <gtest/gtest.h>

#include <limits>

namespace twofold {
namespace {

TEST(FromSeconds, RoundsToTheNanosecond) {
  EXPECT_EQ(FromSeconds(0.1).count(), 100'000'000);
  EXPECT_EQ(FromSeconds(-1.5).count(), -1'500'000'000);
}

TEST(FromSeconds, ClampsWhatDoesNotFit) {
  EXPECT_GT(FromSeconds(1e300), std::chrono::hours(24 * 365 * 200));
  EXPECT_LT(FromSeconds(-std::numeric_limits<double>::infinity()),
            -std::chrono::hours(24 * 365 * 200));
}

TEST(BoundedNs, KeepsSumsWithInstantsInRange) {
  EXPECT_EQ(BoundedNs(1500).count(), 1500);
  EXPECT_GT(Now() + BoundedNs(std::numeric_limits<std::uint64_t>::max()), Now());
}

}  // namespace
}  // namespace twofold
