#include "lib/stats/measured_window.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "tests/lib/stats/made_windows.h"

namespace twofold::stats {
namespace {

double SumOfParts(const Parts& parts) { return std::accumulate(parts.begin(), parts.end(), 0.0); }

TEST(NoiseWaves, OfNoiseWithoutMemoryEachHasTheVarianceOfTheMean) {
  for (const Parts& wave : NoiseWaves()) {
    const double squares = std::inner_product(wave.begin(), wave.end(), wave.begin(), 0.0);
    EXPECT_NEAR(squares, 1.0 / double{kParts}, 1e-12);
    EXPECT_NEAR(SumOfParts(wave), 0.0, 1e-12);
  }
}

TEST(MeasureGroups, ScattersAsTheWorkersDo) {
  const MeasuredWindow window = EvenWindow(8, 8.0, 0.1);
  EXPECT_EQ(window.groups, 8U);
  EXPECT_NEAR(window.Throughput(0.0, 60.0), 8.0, 1e-9);
  for (const BetweenGroups& between : window.between) {
    EXPECT_NEAR(std::sqrt(between.whole), 0.1, 1e-9);
    for (const double wave : between.waves) EXPECT_NEAR(wave, 0.0, 1e-12);
  }
}

TEST(MeasureGroups, OfOneWorkerSaysNothingAboutOthers) {
  const MeasuredWindow window = NoisyWindow(1, 1.0, 0.3, 0.0, 1);
  EXPECT_TRUE(window.IsKnown());
  EXPECT_EQ(window.between[0].whole, 0.0);
}

TEST(MeasureGroups, PutsManyWorkersTogetherWithoutLossOfWork) {
  std::vector<WorkerGroup> workers(100);
  for (WorkerGroup& worker : workers) worker.jobs.fill(1.0);
  workers.push_back({workers[0].jobs, 1.0});  // so that they cannot be shared out evenly
  const MeasuredWindow window = MeasureGroups(1.0, 0.01, std::move(workers));
  EXPECT_LE(window.groups, kMostGroups);
  EXPECT_GE(window.groups, kMostGroups / 2);
  EXPECT_NEAR(SumOfParts(window.total), 101.0 * 64.0, 1e-9);
  EXPECT_NEAR(window.between[0].whole, 0.0, 1e-12);  // each member did the same
}

TEST(MeasuredWindow, OfWhichNothingIsDoneIsNotKnown) {
  EXPECT_FALSE(MeasuredWindow{}.IsKnown());
  EXPECT_FALSE(EvenWindow(8, 0.0).IsKnown());
}

TEST(MeasuredWindow, ACutIsRoundedUpToBlocksAndNeverMoreThanHalf) {
  const MeasuredWindow window = EvenWindow(8, 8.0);  // of 16 times 3.75 s
  EXPECT_EQ(window.BlocksIn(0.0), 0U);
  EXPECT_EQ(window.BlocksIn(3.75), 1U);
  EXPECT_EQ(window.BlocksIn(3.76), 2U);
  EXPECT_EQ(window.BlocksIn(1000.0), kMostCut);
}

TEST(WithoutBlocks, LeavesTheWorkOfTheRest) {
  Parts parts{};
  for (std::size_t i = 0; i < kParts; ++i) parts[i] = static_cast<double>(i);
  const Parts left = WithoutBlocks(parts, 3);  // twelve parts
  EXPECT_NEAR(SumOfParts(left), SumOfParts(parts) - 66.0, 1e-9);
  EXPECT_EQ(WithoutBlocks(parts, 0), parts);
}

/// Of a rate that begins at 1 + `off` and comes to 1 by e in so many parts, with a little noise.
Parts Warming(double off, double parts) {
  return ShapedWindow(8, 8.0,
                      [&](std::size_t i) {
                        const auto at = static_cast<double>(i);
                        return 1.0 + off * std::exp(-at / parts) + 0.004 * std::cos(7.0 * at * at);
                      })
      .total;
}

TEST(WarmUpOf, IsCutWhateverItsSide) {
  const WarmUp slower = WarmUpOf(Warming(-0.3, 5.0));
  const WarmUp faster = WarmUpOf(Warming(0.3, 5.0));
  EXPECT_GE(slower.blocks, 3U);
  EXPECT_LT(slower.change, -0.05);
  EXPECT_NEAR(static_cast<double>(slower.blocks), static_cast<double>(faster.blocks), 1.0);
  EXPECT_GT(faster.change, 0.05);
}

TEST(WarmUpOf, OfASlowOneIsHalfOfTheWindow) {
  EXPECT_EQ(WarmUpOf(Warming(-0.3, 25.0)).blocks, kMostCut);
}

TEST(WarmUpOf, SteadyWindowsHaveNone) {
  int cut = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    cut += WarmUpOf(NoisyWindow(1, 1.0, 0.2, 0.0, seed).total).blocks > 0 ? 1 : 0;
  }
  EXPECT_LE(cut, 12);  // 4 expected
}

TEST(WarmUpOf, WhatMattersLittleIsLeft) {
  const auto total = ShapedWindow(8, 8.0, [](std::size_t i) { return i < 4 ? 0.99 : 1.0; }).total;
  EXPECT_EQ(WarmUpOf(total).blocks, 0U);
}

}  // namespace
}  // namespace twofold::stats
