#include "lib/stats/batch_means.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "lib/stats/student.h"

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

TEST(RelativeError, IsDeviationOverRootOfCountOverMean) {
  const std::vector<double> batches = {9.0, 11.0, 9.0, 11.0};
  EXPECT_DOUBLE_EQ(RelativeError(batches), std::sqrt(4.0 / 3.0) / 2.0 / 10.0);
}

TEST(RelativeError, OfEqualBatchesIsZero) {
  EXPECT_EQ(RelativeError(std::vector<double>{5.0, 5.0, 5.0, 5.0}), 0.0);
  EXPECT_EQ(RelativeError(std::vector<double>{0.0, 0.0, 0.0, 0.0}), 0.0);
}

TEST(RelativeError, GrowsWhenNeighboursAreAlike) {
  const std::vector<double> mixed = {9, 11, 11, 9, 9, 11, 9, 11, 11, 9, 9, 11, 11, 9, 9, 11};
  const std::vector<double> alike = {9, 9, 9, 9, 11, 11, 11, 11, 9, 9, 9, 9, 11, 11, 11, 11};
  // Lag-1 autocorrelation of `alike`: 12 pairs alike and 3 not, of 16.
  EXPECT_DOUBLE_EQ(RelativeError(alike), RelativeError(mixed) * std::sqrt(1.0 + 2.0 * 9.0 / 16.0));
}

TEST(CompareHalves, AStepIsMoreThanChance) {
  const auto [change, chance] =
      CompareHalves(std::vector<double>{99, 101, 100, 100, 109, 111, 110, 110}, 0.0);
  EXPECT_NEAR(change, 10.0 / 105.0, 1e-12);
  EXPECT_LT(chance, change);
}

TEST(CompareHalves, ScatterIsChance) {
  const auto [change, chance] =
      CompareHalves(std::vector<double>{90, 110, 95, 105, 112, 93, 108, 99}, 0.0);
  EXPECT_GT(chance, std::abs(change));
}

TEST(CompareHalves, ChanceIsNotLessThanTheLeastError) {
  const auto [change, chance] = CompareHalves(std::vector<double>{100, 100, 110, 110}, 0.01);
  EXPECT_DOUBLE_EQ(chance, 0.02 * StudentFactor(0.99, 2.0));
  EXPECT_GT(change, 0.0);
}

}  // namespace
}  // namespace twofold::stats
