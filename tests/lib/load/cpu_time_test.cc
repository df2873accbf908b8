#include "lib/load/cpu_time.h"

#include <gtest/gtest.h>

namespace twofold::load {
namespace {

TEST(CpuTime, ReadsCgroupsOfBothVersions) {
  const auto v2 =
      ParseCpuStat("usage_usec 9\nnr_periods 30\nnr_throttled 12\nthrottled_usec 2500\n");
  ASSERT_TRUE(v2);
  EXPECT_EQ(v2->periods, 12U);
  EXPECT_EQ(v2->throttled, std::chrono::microseconds(2500));
  const auto v1 = ParseCpuStat("nr_periods 30\nnr_throttled 12\nthrottled_time 2500\n");
  ASSERT_TRUE(v1);
  EXPECT_EQ(v1->throttled, std::chrono::nanoseconds(2500));
}

TEST(CpuTime, IsNotKnownWithoutAQuota) {
  EXPECT_FALSE(ParseCpuStat(""));
  EXPECT_FALSE(ParseCpuStat("usage_usec 9\nuser_usec 5\n"));
  EXPECT_FALSE(ParseCpuStat("nr_throttled x\nthrottled_usec 1\n"));
  EXPECT_FALSE(ParseCpuStat("nr_throttled 1\nthrottled_usec -1"));
}

}  // namespace
}  // namespace twofold::load
