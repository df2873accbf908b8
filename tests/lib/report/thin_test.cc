#include "lib/report/thin.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace twofold::report {
namespace {

struct Extent {
  double first = 0;
  double least = 0;
  double greatest = 0;
  double last = 0;

  bool operator==(const Extent&) const = default;
};

/// Of each column of pixels.
std::map<double, Extent> ExtentsOf(const std::vector<Spot>& spots) {
  std::map<double, Extent> columns;
  for (const Spot& spot : spots) {
    if (spot.gap) continue;
    auto [column, is_new] =
        columns.try_emplace(std::floor(spot.x), Extent{spot.y, spot.y, spot.y, spot.y});
    column->second.least = std::min(column->second.least, spot.y);
    column->second.greatest = std::max(column->second.greatest, spot.y);
    column->second.last = spot.y;
  }
  return columns;
}

std::vector<Spot> Walk(std::size_t count, double width, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> step(0, 3);
  std::vector<Spot> spots;
  double y = 0;
  for (std::size_t i = 0; i < count; ++i) {
    y += step(random);
    spots.push_back({width * static_cast<double>(i) / static_cast<double>(count), y});
  }
  return spots;
}

TEST(ThinLine, KeepsFirstLeastGreatestAndLastOfEachColumn) {
  const std::vector<Spot> spots = Walk(200'000, 800, 1);
  const std::vector<Spot> thin = ThinLine(spots);
  EXPECT_LE(thin.size(), 4U * 800U);
  EXPECT_EQ(ExtentsOf(thin), ExtentsOf(spots));
  EXPECT_TRUE(std::is_sorted(thin.begin(), thin.end(),
                             [](const Spot& a, const Spot& b) { return a.x < b.x; }));
}

TEST(ThinLine, ALonePeakSurvives) {
  std::vector<Spot> spots = Walk(100'000, 500, 2);
  for (Spot& spot : spots) spot.y = 1;
  spots[54'321].y = 99;
  const std::vector<Spot> thin = ThinLine(spots);
  EXPECT_EQ(std::count_if(thin.begin(), thin.end(), [](const Spot& spot) { return spot.y == 99; }),
            1);
}

TEST(ThinLine, AGapOfColumnsStaysOneWithinAColumnDoesNot) {
  std::vector<Spot> spots = {{0.1, 1}, {.gap = true}, {0.5, 2}, {.gap = true}, {9, 3}};
  const std::vector<Spot> thin = ThinLine(spots);
  ASSERT_EQ(thin.size(), 4U);
  EXPECT_FALSE(thin[1].gap);
  EXPECT_TRUE(thin[2].gap);
  spots.assign(1000, {.gap = true});
  EXPECT_TRUE(ThinLine(spots).empty());
}

using Pixels = std::set<std::pair<int, int>>;

Pixels PixelsOf(const std::vector<Stroke>& runs) {
  Pixels pixels;
  for (const Stroke& run : runs) {
    for (int y = static_cast<int>(run.top); y < static_cast<int>(run.bottom); ++y) {
      EXPECT_TRUE(pixels.emplace(static_cast<int>(std::floor(run.x)), y).second) << "twice";
    }
  }
  return pixels;
}

TEST(Cover, CoversThePixelsOfAllStrokesAndNoOthers) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> x(0, 60);
  std::uniform_real_distribution<double> y(0, 100);
  std::vector<Stroke> strokes;
  Pixels expected;
  for (int i = 0; i < 500; ++i) {
    const double top = y(random);
    const double bottom = std::min(99.0, top + (i % 3 == 0 ? 7.5 : 0.0));
    strokes.push_back({x(random), top, bottom});
    for (int row = static_cast<int>(std::min(top, bottom));
         row <= static_cast<int>(std::max(top, bottom)); ++row) {
      expected.emplace(static_cast<int>(strokes.back().x), row);
    }
  }
  EXPECT_EQ(PixelsOf(Cover(strokes)), expected);
  EXPECT_TRUE(Cover({}).empty());
}

}  // namespace
}  // namespace twofold::report
