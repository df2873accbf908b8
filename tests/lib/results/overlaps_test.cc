#include "lib/results/overlaps.h"

#include <gtest/gtest.h>

#include <vector>

namespace twofold::results {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

// Of a job that ran so many seconds until then.
Ran Until(std::int64_t end, std::int64_t seconds) {
  return RanUntil(end * kSecond, seconds * kSecond);
}

// With how many others each overlaps.
std::vector<std::uint64_t> OverlapsOf(const std::vector<Ran>& all) {
  const Overlaps overlaps(all);
  std::vector<std::uint64_t> counts;
  for (const Ran& job : all) counts.push_back(overlaps.With(job));
  return counts;
}

using Counts = std::vector<std::uint64_t>;

TEST(Overlaps, JobsOneAfterTheOtherHaveNone) {
  EXPECT_EQ(OverlapsOf({Until(10, 10), Until(20, 10), Until(35, 15)}), (Counts{0, 0, 0}));
}

TEST(Overlaps, EachCountsTheOthersThatRanMeanwhile) {
  EXPECT_EQ(OverlapsOf({Until(10, 10), Until(12, 4), Until(30, 20), Until(50, 10)}),
            (Counts{1, 2, 1, 0}));
  EXPECT_EQ(OverlapsOf({Until(10, 10), Until(10, 10), Until(10, 10)}), (Counts{2, 2, 2}));
}

TEST(Overlaps, ClocksThatDifferALittleMakeNone) {
  EXPECT_EQ(OverlapsOf({Until(3'600, 3'600), Until(7'198, 3'600)}), (Counts{0, 0}));
  EXPECT_EQ(OverlapsOf({Until(10, 10), Until(19, 10)}), (Counts{1, 1}));
}

TEST(Overlaps, JobsThatRunYetOverlapWithAllThatCome) {
  EXPECT_EQ(OverlapsOf({RanSince(5 * kSecond), Until(10, 2), Until(4, 2)}), (Counts{1, 1, 0}));
}

TEST(Overlaps, JobsThatTookNoTimeOverlapWithWhatRanAroundThem) {
  EXPECT_EQ(OverlapsOf({Until(5, 0), Until(10, 10), Until(20, 0)}), (Counts{1, 1, 0}));
}

TEST(Overlaps, NoneIsKnownOfNoJobs) { EXPECT_EQ(Overlaps().With(Until(1, 1)), 0U); }

}  // namespace
}  // namespace twofold::results
