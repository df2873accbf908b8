#include "lib/words/machine.h"

#include <gtest/gtest.h>

#include <string>

namespace twofold {
namespace {

/// Of jobs during which others had these shares.
MachineMeans Others(std::initializer_list<double> percent,
                    const std::string& name = "machine_others") {
  MachineMeans means;
  for (const double value : percent) {
    v1::Measurement measured;
    measured.set_name(name);
    measured.set_value(value);
    means.Add(measured);
  }
  return means;
}

TEST(Machine, SideWithTheWorseNumberHadMoreOfIt) {
  const auto found = MayHaveMade("worse", Others({2, 4}), Others({44, 46}));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(Text(found[0], "A", "B"),
            "other programs had the processors for 3 % of the time in A, 45 % in B");
  EXPECT_EQ(MayHaveMade("better", Others({45}), Others({3})).size(), 1u);
  EXPECT_EQ(MayHaveMade("less", Others({45}), Others({3})).size(), 1u);
  EXPECT_EQ(MayHaveMade("more", Others({3}), Others({45})).size(), 1u);
}

TEST(Machine, DisturbedSideThatIsTheBetterOneExplainsNothing) {
  EXPECT_TRUE(MayHaveMade("worse", Others({45}), Others({3})).empty());
  EXPECT_TRUE(MayHaveMade("better", Others({3}), Others({45})).empty());
}

TEST(Machine, WhatIsNoChangeIsNotMarked) {
  EXPECT_TRUE(MayHaveMade("-", Others({3}), Others({45})).empty());
}

TEST(Machine, SidesWithinTheLimitAreAlike) {
  EXPECT_TRUE(MayHaveMade("worse", Others({3}), Others({7.9})).empty());
  EXPECT_EQ(MayHaveMade("worse", Others({3}), Others({8})).size(), 1u);
}

TEST(Machine, WhatOneSideDoesNotKnowIsNotCompared) {
  EXPECT_TRUE(MayHaveMade("worse", Others({}), Others({45})).empty());
  EXPECT_TRUE(MayHaveMade("worse", Others({0}), Others({45}, "machine_stolen")).empty());
  EXPECT_TRUE(MayHaveMade("worse", Others({0}), Others({45}, "throughput")).empty());
}

}  // namespace
}  // namespace twofold
