#include "lib/common/backoff.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace twofold {
namespace {

using std::chrono::milliseconds;

TEST(Backoff, DoublesUpToTheMostWithJitterInTheUpperHalf) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Backoff backoff(milliseconds(100), milliseconds(1000), seed);
    for (const int span : {100, 200, 400, 800, 1000, 1000}) {
      const Duration wait = backoff.Next();
      EXPECT_GE(wait, milliseconds(span) / 2);
      EXPECT_LE(wait, milliseconds(span));
    }
  }
}

TEST(Backoff, FullJitterUsesTheWholeSpan) {
  Duration shortest = milliseconds(1000);
  Duration longest = {};
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const Duration wait =
        Backoff(milliseconds(100), milliseconds(1000), seed, Jitter::kFull).Next();
    shortest = std::min(shortest, wait);
    longest = std::max(longest, wait);
  }
  EXPECT_LT(shortest, milliseconds(5));
  EXPECT_GT(longest, milliseconds(95));
  EXPECT_LE(longest, milliseconds(100));
}

TEST(Backoff, StartsOverAfterASuccess) {
  Backoff backoff(milliseconds(100), milliseconds(1000), 1);
  for (int i = 0; i < 5; ++i) backoff.Next();
  backoff.Reset();
  EXPECT_LE(backoff.Next(), milliseconds(100));
}

}  // namespace
}  // namespace twofold
