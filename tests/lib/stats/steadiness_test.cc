#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "lib/stats/comparison.h"
#include "lib/stats/parts.h"

namespace twofold::stats {
namespace {

TEST(StudentQuantile, AgreesWithThePrintedTables) {
  EXPECT_NEAR(StudentQuantile(0.975, 1), 12.706, 5e-4);
  EXPECT_NEAR(StudentQuantile(0.975, 3), 3.182, 5e-4);
  EXPECT_NEAR(StudentQuantile(0.975, 15), 2.131, 5e-4);
  EXPECT_NEAR(StudentQuantile(0.995, 10), 3.169, 5e-4);
  EXPECT_NEAR(StudentQuantile(0.975, 1e9), 1.960, 5e-4);
  EXPECT_NEAR(StudentFactor(0.95, 15), 2.131, 5e-4);
}

TEST(StudentQuantile, OfHardlyAnyDegreesIsLargeButFinite) {
  EXPECT_GT(StudentQuantile(0.975, 1e-300), 1e11);
  EXPECT_TRUE(std::isfinite(StudentQuantile(0.99995, 1e-300)));
}

TEST(LargestStep, IsWhereTheMeanChangesAndMoreThanChance) {
  const Step step = LargestStep(std::vector<double>{99, 101, 109, 111, 110, 110, 110, 110}, 0.0);
  EXPECT_EQ(step.at, 2U);
  EXPECT_NEAR(step.change, 0.1, 1e-12);
  EXPECT_LT(step.chance, step.change);
}

TEST(LargestStep, AfterOnePartIsSeen) {
  const Step step = LargestStep(std::vector<double>{100, 50, 51, 49, 50, 50, 51, 49, 50}, 0.0);
  EXPECT_EQ(step.at, 1U);
  EXPECT_NEAR(step.change, -0.5, 1e-12);
  EXPECT_LT(step.chance, 0.5);
}

TEST(LargestStep, ScatterIsChance) {
  const Step step = LargestStep(std::vector<double>{90, 110, 95, 105, 112, 93, 108, 99}, 0.0);
  EXPECT_GT(step.chance, std::abs(step.change));
}

TEST(LargestStep, ChanceIsNotLessThanTheLeastError) {
  const Step step = LargestStep(std::vector<double>{100, 100, 110, 110}, 0.01);
  EXPECT_DOUBLE_EQ(step.chance, 0.01 * 2 * 105.0 / 100.0 * StudentFactor(1 - 0.002 / 3, 2.0));
  EXPECT_GT(step.change, 0.0);
}

TEST(LargestStep, AFallIsNeverMoreThanAll) {
  const auto fall = [](double rest) {
    return LargestStep(std::vector<double>{100, 100, 100, 100, rest, rest, rest, rest}, 0.0);
  };
  EXPECT_NEAR(fall(1.0).change, -0.99, 1e-12);  // relative to the mean of both it was -196 %
  EXPECT_EQ(fall(0.0).change, -1.0);
}

TEST(LargestStep, WhatBeginsLaterRisesBeyondAllBounds) {
  EXPECT_TRUE(std::isinf(LargestStep(std::vector<double>{0, 0, 5, 5}, 0.0).change));
  EXPECT_EQ(LargestStep(std::vector<double>{0, 0, 0, 0}, 0.0).change, 0.0);
  EXPECT_EQ(LargestStep(std::vector<double>{7, 7, 7, 7}, 0.0).change, 0.0);
}

TEST(Drift, IsTheChangeOfAStraightLineOverTheWindow) {
  // Parts have the means of the line from 80 to 120.
  EXPECT_NEAR(Drift(std::vector<double>{85, 95, 105, 115}), 0.4, 1e-12);
  EXPECT_NEAR(Drift(std::vector<double>{115, 105, 95, 85}), -0.4, 1e-12);
  EXPECT_EQ(Drift(std::vector<double>{5, 7, 7, 5}), 0.0);
  EXPECT_EQ(Drift(std::vector<double>{0, 0}), 0.0);
}

TEST(LongestHole, IsTheLongestRunWithLessThanAQuarterOfTheMean) {
  const Hole hole = LongestHole(std::vector<double>{9, 0, 9, 9, 1, 0, 1, 9, 9, 0});
  EXPECT_DOUBLE_EQ(hole.begin, 0.4);
  EXPECT_DOUBLE_EQ(hole.length, 0.3);
}

TEST(LongestHole, OfEvenPartsIsNone) {
  EXPECT_EQ(LongestHole(std::vector<double>{9, 8, 9, 8}).length, 0.0);
  EXPECT_EQ(LongestHole(std::vector<double>{0, 0, 0, 0}).length, 0.0);
}

}  // namespace
}  // namespace twofold::stats
