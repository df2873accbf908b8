#include "workloads/gpu/nvml.h"

#include <gtest/gtest.h>

namespace twofold::gpu {
namespace {

TEST(GpuHealth, NothingSeenIsNothingSaid) {
  const auto health = HealthRecord().Summary();
  EXPECT_EQ(health.samples(), 0U);
  EXPECT_FALSE(health.has_clock_mhz());
}

TEST(GpuHealth, ARangeIsOfTheSamplesThatHaveTheNumber) {
  HealthRecord record;
  record.Add({.clock_mhz = 1000, .power_w = 100});
  record.Add({.clock_mhz = -1, .power_w = 300});
  record.Add({.clock_mhz = 2000, .power_w = 200});
  const auto health = record.Summary();
  EXPECT_EQ(health.samples(), 3U);
  EXPECT_EQ(health.clock_mhz().least(), 1000);
  EXPECT_EQ(health.clock_mhz().mean(), 1500);
  EXPECT_EQ(health.clock_mhz().most(), 2000);
  EXPECT_EQ(health.power_w().mean(), 200);
  EXPECT_FALSE(health.has_temperature_c());
}

TEST(GpuHealth, IdleAndChosenClocksAreNotThrottling) {
  HealthRecord record;
  record.Add({.reasons = 0x1});         // idle
  record.Add({.reasons = 0x2});         // clocks chosen by a person
  record.Add({.reasons = 0x100});       // by the display
  record.Add({.reasons = 0x4 | 0x40});  // power cap, and heat
  const auto health = record.Summary();
  EXPECT_EQ(health.throttled_samples(), 1U);
  ASSERT_EQ(health.throttle_reasons_size(), 2);
  EXPECT_EQ(health.throttle_reasons(0), "power cap");
  EXPECT_EQ(health.throttle_reasons(1), "hardware thermal");
}

}  // namespace
}  // namespace twofold::gpu
