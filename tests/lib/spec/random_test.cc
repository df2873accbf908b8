#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <set>

#include "lib/spec/permutations.h"

namespace twofold::spec {
namespace {

using testing::ElementsAre;

TEST(SampleOf, HasDifferentNumbersInOrder) {
  Random random(1);
  for (std::uint64_t count = 0; count <= 10; ++count) {
    const auto sample = SampleOf(10, count, random);
    EXPECT_EQ(sample.size(), count);
    EXPECT_EQ(std::set<std::uint64_t>(sample.begin(), sample.end()).size(), count);
    EXPECT_TRUE(std::is_sorted(sample.begin(), sample.end()));
    for (const std::uint64_t number : sample) EXPECT_LT(number, 10U);
  }
}

TEST(SampleOf, EverySetIsAlike) {
  Random random(1);
  std::map<std::vector<std::uint64_t>, int> seen;
  for (int i = 0; i < 30'000; ++i) ++seen[SampleOf(4, 2, random)];
  ASSERT_EQ(seen.size(), 6U);
  for (const auto& [sample, times] : seen) EXPECT_NEAR(times, 5000, 280);
}

TEST(SampleOf, AHugeTotalCostsNoMore) {
  Random random(1);
  EXPECT_EQ(SampleOf(std::uint64_t{1} << 60, 3, random).size(), 3U);
}

TEST(Shuffle, EveryOrderIsAlike) {
  Random random(1);
  std::map<std::vector<int>, int> seen;
  for (int i = 0; i < 30'000; ++i) {
    std::vector<int> items = {1, 2, 3};
    Shuffle(items, random);
    ++seen[items];
  }
  ASSERT_EQ(seen.size(), 6U);
  for (const auto& [order, times] : seen) EXPECT_NEAR(times, 5000, 280);
}

}  // namespace
}  // namespace twofold::spec
