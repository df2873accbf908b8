#include "lib/report/bins.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace twofold::report {
namespace {

double Total(const std::vector<Datum>& bins) {
  return std::accumulate(bins.begin(), bins.end(), 0.0,
                         [](double sum, const Datum& bin) { return sum + bin.y; });
}

TEST(Bins, AreRoundAndBeginAtMultiplesOfTheirWidth) {
  const auto bins = BinsOf({0.010, 0.012, 0.030, 0.068});
  ASSERT_FALSE(bins.empty());
  EXPECT_NEAR(bins[0].end - bins[0].x, 0.002, 1e-12);
  EXPECT_NEAR(bins.front().x, 0.010, 1e-12);
  EXPECT_NEAR(bins.back().end, 0.070, 1e-12);
  EXPECT_EQ(bins[0].y, 1);  // 0.012 begins the second
  EXPECT_EQ(Total(bins), 4);
}

TEST(Bins, ABoundBelongsToTheBinThatBeginsThere) {
  const auto bins = BinsOf({0, 1, 1, 29});
  EXPECT_EQ(bins[0].y, 1);
  EXPECT_EQ(bins[1].y, 2);
}

TEST(Bins, CountEachFiniteValueOnce) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const bool logarithmic : {false, true}) {
    for (const double scale : {1e-9, 1.0, 1e9}) {
      std::vector<double> values = {infinity, -infinity, std::numeric_limits<double>::quiet_NaN()};
      for (int i = 1; i <= 1000; ++i) values.push_back(scale * i * i);
      const auto bins = BinsOf(values, logarithmic);
      EXPECT_EQ(Total(bins), 1000) << scale;
      EXPECT_LE(bins.size(), 70U);
      EXPECT_GE(bins.size(), 10U);
    }
  }
}

TEST(Bins, EqualValuesAreOneBinAndNoneIsNone) {
  EXPECT_TRUE(BinsOf({}).empty());
  EXPECT_TRUE(BinsOf({0, -1}, true).empty());
  for (const double value : {0.0, 7.0, -3.5, 1e-12, 1e14}) {
    const auto bins = BinsOf(std::vector<double>(5, value));
    ASSERT_EQ(bins.size(), 1) << value;
    EXPECT_GE(bins[0].end - bins[0].x, std::abs(value) / 100) << "too narrow to be seen";
    EXPECT_LE(bins[0].x, value);
    EXPECT_GE(bins[0].end, value);
  }
}

TEST(Bins, AreNoNarrowerThanWhatIsKnown) {
  const auto bins = BinsOf({0.1, 0.2, 1.7, 2.4}, false, 1.0);
  ASSERT_EQ(bins.size(), 3);
  EXPECT_EQ(bins[0].y, 2);
}

}  // namespace
}  // namespace twofold::report
