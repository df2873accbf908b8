#include "lib/show/quantity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <optional>

namespace twofold::show {
namespace {

using ::testing::ElementsAre;

TEST(Quantity, OfSecondsTakesTheUnitThatReadsBest) {
  EXPECT_EQ(Text(Quantity{0.0123, "s"}), "12.3 ms");
  EXPECT_EQ(Text(Quantity{45e-6, "s"}), "45 us");
  EXPECT_EQ(Text(Quantity{1.0, "s"}), "1 s");
  EXPECT_EQ(Text(Quantity{12345.6, "s"}), "12346 s");
  EXPECT_EQ(Text(Quantity{0.0, "s"}), "0 s");
  EXPECT_EQ(Text(Quantity{-0.5, "s"}), "-500 ms");
  EXPECT_EQ(Text(Quantity{20000.0, ""}), "20000");
  EXPECT_EQ(Text(Quantity{50.0, "/s"}), "50 /s");
}

TEST(Quantity, ThatIsNotKnownIsALine) {
  EXPECT_EQ(Text(Quantity{std::nullopt, "s"}), "-");
  EXPECT_EQ(Text(Quantity{std::numeric_limits<double>::infinity(), "s"}), "-");
}

TEST(Quantity, OfAnIntervalHasAUnitAtBothEndsOnlyWhereItIsScaled) {
  EXPECT_EQ(Text(Interval({0.09, "s"}, {1.2, "s"})), "90 ms to 1.2 s");
  EXPECT_EQ(Text(Interval({5.0, "/s"}, {7.0, "/s"})), "5 to 7 /s");
  EXPECT_EQ(Text(Interval({5.0, "/s"}, {std::nullopt, "/s"})), "-");
}

TEST(WrittenCells, OfOneUnitInAColumnHaveOneNumberOfDecimals) {
  const Rows rows = Written({{"", "MEAN", "MAX"},
                             {"latency", Quantity{0.1347, "s"}, Quantity{6.364, "s"}},
                             {"run", Quantity{0.1, "s"}, Quantity{0.11, "s"}},
                             {"late", Quantity{17e-6, "s"}, Quantity{std::nullopt, "s"}}});
  EXPECT_THAT(
      rows,
      ElementsAre(ElementsAre("", "MEAN", "MAX"), ElementsAre("latency", "134.7 ms", "6.364 s"),
                  ElementsAre("run", "100.0 ms", "110 ms"), ElementsAre("late", "17 us", "-")));
}

TEST(WrittenCells, CountQuantitiesWithinTexts) {
  const Rows rows = Written({{Cell(">= ") + Quantity{2.0, "s"}},
                             {Interval({1.25, "s"}, {2.5, "s"})},
                             {Interval({1.25, "/s"}, {std::nullopt, "/s"})}});
  EXPECT_THAT(rows, ElementsAre(ElementsAre(">= 2.00 s"), ElementsAre("1.25 s to 2.50 s"),
                                ElementsAre("-")));
}

}  // namespace
}  // namespace twofold::show
