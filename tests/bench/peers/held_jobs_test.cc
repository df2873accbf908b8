#include "bench/peers/held_jobs.h"

#include <gtest/gtest.h>

#include <string>

namespace twofold::bench {
namespace {

using std::chrono::milliseconds;

constexpr Instant kBegin{};

TEST(HeldJobs, OfRunTimeZeroNeedNotBeHeld) {
  EXPECT_TRUE(HeldJobs<int>(Duration(0), 1).at_once());
  EXPECT_FALSE(HeldJobs<int>(milliseconds(1), 1).at_once());
}

TEST(HeldJobs, EndOneByOneInTheOrderOfTheirTimes) {
  HeldJobs<std::string> jobs(milliseconds(10), 1);
  for (int i = 0; i < 100; ++i) jobs.Hold(kBegin, std::to_string(i));
  Instant last = kBegin;
  for (int ended = 0; ended < 100; ++ended) {
    const Instant next = jobs.NextDue();
    EXPECT_GE(next, last);
    int taken = 0;
    jobs.TakeDue(next - Duration(1), [&](const std::string&) { ++taken; });
    EXPECT_EQ(taken, 0);
    jobs.TakeDue(next, [&](const std::string&) { ++taken; });
    ASSERT_EQ(taken, 1);
    last = next;
  }
  EXPECT_EQ(jobs.NextDue(), Instant::max());
}

}  // namespace
}  // namespace twofold::bench
