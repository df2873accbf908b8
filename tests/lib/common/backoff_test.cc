#include "lib/common/backoff.h"

#include <gtest/gtest.h>

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

TEST(Backoff, StartsOverAfterASuccess) {
  Backoff backoff(milliseconds(100), milliseconds(1000), 1);
  for (int i = 0; i < 5; ++i) backoff.Next();
  backoff.Reset();
  EXPECT_LE(backoff.Next(), milliseconds(100));
}

}  // namespace
}  // namespace twofold
