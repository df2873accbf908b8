#include "lib/common/random.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace twofold {
namespace {

TEST(Random, GivesTheNumbersOfSplitMix64) {
  Random random(1234567);
  EXPECT_EQ(random.Next(), 6457827717110365317U);
  EXPECT_EQ(random.Next(), 3203168211198807973U);
  EXPECT_EQ(random.Next(), 9817491932198370423U);
}

TEST(Random, BelowABoundAllAreAlike) {
  Random random(1);
  std::map<std::uint64_t, int> seen;
  for (int i = 0; i < 60'000; ++i) ++seen[random.Below(6)];
  ASSERT_EQ(seen.size(), 6U);
  for (const auto& [number, times] : seen) EXPECT_NEAR(times, 10'000, 400) << number;
}

TEST(Random, BelowTheLargestBoundsStaysBelow) {
  Random random(1);
  constexpr std::uint64_t kBound = (std::uint64_t{1} << 63) + 1;  // half of all are thrown away
  for (int i = 0; i < 1000; ++i) EXPECT_LT(random.Below(kBound), kBound);
  EXPECT_EQ(random.Below(1), 0U);
}

TEST(Random, EvenTheLargestShareIsLessThanOne) {
  EXPECT_LT(Random(0x31628af67b2131ab).Share(), 1);  // whose first number has all bits
  EXPECT_EQ(Random(0x31628af67b2131ab).Next(), ~std::uint64_t{0});
}

constexpr int kDraws = 20'000;

// Jobs draw by their ids, which count up: no run of ids may look like another distribution.
TEST(Random, NumbersThatCountUpDrawAsIndependentOnesDo) {
  double sum = 0;
  double product = 0;
  double before = 0;
  for (std::uint64_t id = 1; id <= kDraws; ++id) {
    const double share = Random(0, id).Share() - 0.5;
    sum += share;
    product += share * before;
    before = share;
  }
  // Standard errors of the two means: 0.0020 and 0.0006.
  EXPECT_NEAR(sum / kDraws, 0, 0.01);
  EXPECT_NEAR(product / kDraws, 0, 0.003);
}

TEST(Random, AnotherSeedGivesOtherNumbersNotTheSameInAnotherOrder) {
  std::set<std::uint64_t> first;
  for (std::uint64_t id = 0; id < 1024; ++id) first.insert(Random(1, id).Next());
  for (std::uint64_t id = 0; id < 1024; ++id) EXPECT_FALSE(first.contains(Random(2, id).Next()));
}

}  // namespace
}  // namespace twofold
