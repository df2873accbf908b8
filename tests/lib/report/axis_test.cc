#include "lib/report/axis.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace twofold::report {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<std::string> Texts(const PlacedAxis& axis) {
  std::vector<std::string> texts;
  for (const Tick& tick : axis.ticks()) texts.push_back(tick.text);
  return texts;
}

using List = std::vector<std::string>;

TEST(NiceStep, IsOneTwoOrFiveTimesAPowerOfTen) {
  EXPECT_DOUBLE_EQ(NiceStep(10, 10), 1);
  EXPECT_DOUBLE_EQ(NiceStep(10.1, 10), 2);
  EXPECT_DOUBLE_EQ(NiceStep(0.35, 10), 0.05);
  EXPECT_DOUBLE_EQ(NiceStep(60, 10), 10);
  EXPECT_DOUBLE_EQ(NiceStep(1e-9, 5), 2e-10);
}

TEST(PlacedAxis, HasRoundTicksInTheUnitOfItsNumbers) {
  const PlacedAxis axis({.label = "time", .unit = "s", .from_zero = true}, {0.012, 0.047}, 100, 0);
  EXPECT_EQ(Texts(axis), (List{"0", "20", "40", "60"}));
  EXPECT_EQ(axis.label(), "time (ms)");
  EXPECT_DOUBLE_EQ(axis.Place(0), 100);
  EXPECT_DOUBLE_EQ(axis.Place(0.06), 0);
  EXPECT_NEAR(axis.Place(0.03), 50, 1e-9);
}

TEST(PlacedAxis, CountsHaveNoTicksBetweenThem) {
  const PlacedAxis axis({.whole = true}, {1, 2, 3}, 0, 1000);
  EXPECT_EQ(Texts(axis), (List{"1", "2", "3"}));
}

TEST(PlacedAxis, OneNumberHasRoomAroundIt) {
  for (const double value : {0.0, 1.0, 5e-9, 1e12, -3.0}) {
    const PlacedAxis axis({}, {value}, 0, 640);
    EXPECT_GT(axis.Place(value), 0) << value;
    EXPECT_LT(axis.Place(value), 640) << value;
    EXPECT_GE(axis.ticks().size(), 2) << value;
  }
}

TEST(PlacedAxis, NoNumberIsAnAxisAllTheSame) {
  EXPECT_EQ(Texts(PlacedAxis({.from_zero = true}, {}, 100, 0)), (List{"0.0", "0.5", "1.0"}));
  EXPECT_GE(PlacedAxis({.logarithmic = true}, {}, 0, 640).ticks().size(), 2);
  const PlacedAxis nothing({}, {std::nan(""), kInfinity, -kInfinity, 1e300}, 0, 640);
  EXPECT_DOUBLE_EQ(nothing.high(), 1);
}

TEST(PlacedAxis, LogarithmicShowsDecadesAndNothingThatIsNotAboveZero) {
  const PlacedAxis axis({.label = "time", .unit = "s", .logarithmic = true}, {0.001, 10, 0, -1}, 0,
                        400);
  EXPECT_EQ(Texts(axis), (List{"1 ms", "10 ms", "100 ms", "1 s", "10 s"}));
  EXPECT_NEAR(axis.Place(0.1), 200, 1e-9);
  EXPECT_FALSE(axis.Shows(0));
  EXPECT_FALSE(axis.Shows(-1));
  EXPECT_TRUE(axis.Shows(1e-9));
}

TEST(PlacedAxis, ADecadeHasTicksWithinIt) {
  const PlacedAxis axis({.logarithmic = true}, {1, 10}, 0, 400);
  EXPECT_EQ(Texts(axis), (List{"1", "2", "5", "10"}));
}

/// Whatever the numbers: few ticks, in order, on the axis, and each number in its place.
TEST(PlacedAxis, AnyRangeHasFewTicksInOrder) {
  for (const double low : {-1e14, -250.0, -1e-7, 0.0, 1e-11, 0.3, 7.0, 123456.0, 1e14}) {
    for (const double width : {0.0, 1e-11, 1e-4, 0.9, 17.0, 1e5, 5e14}) {
      for (const bool logarithmic : {false, true}) {
        for (const bool whole : {false, true}) {
          const PlacedAxis axis({.unit = "s", .logarithmic = logarithmic, .whole = whole},
                                {low, low + width}, 120, 0);
          ASSERT_LE(axis.ticks().size(), 16) << low << " " << width;
          for (std::size_t i = 1; i < axis.ticks().size(); ++i) {
            EXPECT_LT(axis.ticks()[i - 1].at, axis.ticks()[i].at);
            EXPECT_NE(axis.ticks()[i - 1].text, axis.ticks()[i].text)
                << low << " " << width << (logarithmic ? " log" : "");
          }
          if (!axis.Shows(low)) continue;
          EXPECT_GE(axis.Place(low), axis.Place(low + width));
          EXPECT_TRUE(std::isfinite(axis.Place(low)));
        }
      }
    }
  }
}

}  // namespace
}  // namespace twofold::report
