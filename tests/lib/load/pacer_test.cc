#include "lib/load/pacer.h"

#include <gtest/gtest.h>

namespace twofold::load {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Instant kBegin{};
constexpr std::size_t kFirst = Pacer::kFirstBurst;

TEST(Pacer, GrantsEverythingBeforeARejection) {
  Pacer pacer;
  EXPECT_EQ(pacer.Grant(kBegin, 100'000), 100'000U);
  EXPECT_FALSE(pacer.NextGrant());
}

TEST(Pacer, GrantsNothingBeforeTheAdviceHasPassed) {
  Pacer pacer;
  pacer.Rejected(kBegin, milliseconds(100));
  EXPECT_EQ(pacer.Grant(kBegin + milliseconds(100) - Duration(1), 5), 0U);
  EXPECT_EQ(pacer.NextGrant(), kBegin + milliseconds(100));
  EXPECT_EQ(pacer.Grant(kBegin + milliseconds(100), 5), 5U);
  EXPECT_FALSE(pacer.NextGrant());
}

TEST(Pacer, WaitsASecondWithoutAdvice) {
  Pacer pacer;
  pacer.Rejected(kBegin, Duration(0));
  EXPECT_EQ(pacer.NextGrant(), kBegin + seconds(1));
}

TEST(Pacer, BoundsAbsurdAdvice) {
  Pacer pacer;
  pacer.Rejected(kBegin, Duration(1));
  EXPECT_EQ(pacer.NextGrant(), kBegin + Pacer::kShortest);
  pacer.Rejected(kBegin, Duration::max());
  EXPECT_EQ(pacer.NextGrant(), kBegin + Pacer::kLongest);
}

TEST(Pacer, DoublesWithEachPeriodWithoutRejection) {
  Pacer pacer;
  pacer.Rejected(kBegin, milliseconds(100));
  EXPECT_EQ(pacer.Grant(kBegin + milliseconds(100), 100'000), kFirst);
  EXPECT_EQ(pacer.Grant(kBegin + milliseconds(150), 100'000), 0U);
  EXPECT_EQ(pacer.Grant(kBegin + milliseconds(200), 100'000), 2 * kFirst);
  EXPECT_EQ(pacer.Grant(kBegin + milliseconds(300), 100'000), 4 * kFirst);
  EXPECT_EQ(pacer.Grant(kBegin + milliseconds(400), 10), 10U);
  EXPECT_EQ(pacer.Grant(kBegin + milliseconds(400), 100'000), 100'000U);
}

TEST(Pacer, StartsSmallAgainAfterAnotherRejection) {
  Pacer pacer;
  pacer.Rejected(kBegin, milliseconds(100));
  pacer.Grant(kBegin + milliseconds(100), 100'000);
  pacer.Grant(kBegin + milliseconds(200), 100'000);
  pacer.Rejected(kBegin + milliseconds(201), milliseconds(100));
  EXPECT_EQ(pacer.Grant(kBegin + milliseconds(301), 100'000), kFirst);
}

}  // namespace
}  // namespace twofold::load
