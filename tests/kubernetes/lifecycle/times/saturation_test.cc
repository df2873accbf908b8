#include "kubernetes/lifecycle/times/saturation.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/kubernetes/lifecycle/objects.h"

namespace twofold::lifecycle {
namespace {

const Kind& Jobs() { return *FindKind("job").value(); }

/// `count` Jobs sent at once; created each 10 ms, bound each 20 ms, ready each 40 ms.
void Live(Observer& observer, int count, int ready) {
  for (int i = 0; i < count; ++i) {
    const std::string name = "f" + std::to_string(i);
    ASSERT_TRUE(observer.Tell(input::Plan{"load", name, 1, At(0)}).ok());
    observer.Tell(input::Sent{"load", name, At(0)});
    observer.Tell(input::Seen{Event::kAdded, Made("Job", name, "job" + name), At(10 * (i + 1))});
    const Object pod = PodOf(name, "pod" + name);
    observer.Tell(input::Seen{Event::kAdded, pod, At(1000 + i)});
    observer.Tell(input::Seen{Event::kModified, Bound(pod), At(2000 + 20 * i)});
    if (i < ready) observer.Tell(input::Seen{Event::kModified, Ready(pod), At(5000 + 40 * i)});
  }
}

TEST(Saturation, RatesAreFromTheFirstToTheLast) {
  Observer observer(Jobs(), "r1");
  Live(observer, 101, 101);
  const Saturation saturation = SaturationOf(Jobs(), observer, At(20'000));
  EXPECT_EQ(saturation.workloads, 101U);
  EXPECT_EQ(saturation.ready, 101U);
  EXPECT_NEAR(saturation.created_rate.value_or(0), 100, 1e-6);
  EXPECT_NEAR(saturation.scheduled_rate.value_or(0), 50, 1e-6);
  EXPECT_NEAR(saturation.ready_rate.value_or(0), 25, 1e-6);
  EXPECT_NEAR(saturation.all_ready_seconds.value_or(0), 9.0, 1e-6);
}

TEST(Saturation, WhatIsNotReadyIsSaidAndHasNoTime) {
  Observer observer(Jobs(), "r1");
  Live(observer, 10, 8);
  const Saturation saturation = SaturationOf(Jobs(), observer, At(20'000));
  EXPECT_EQ(saturation.ready, 8U);
  EXPECT_FALSE(saturation.all_ready_seconds);
}

TEST(Saturation, OneOrNoneHasNoRate) {
  Observer observer(Jobs(), "r1");
  EXPECT_FALSE(SaturationOf(Jobs(), observer, At(0)).all_ready_seconds);
  Live(observer, 1, 1);
  const Saturation saturation = SaturationOf(Jobs(), observer, At(20'000));
  EXPECT_FALSE(saturation.created_rate);
  EXPECT_TRUE(saturation.all_ready_seconds);
}

}  // namespace
}  // namespace twofold::lifecycle
