#include "lib/stats/fluid_bins.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

namespace twofold::stats {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(FluidBins, OneJobIsOneWhereverItLies) {
  for (const auto& [from, to] : {std::pair{microseconds(3), microseconds(4)},
                                 {microseconds(0), microseconds(100)},
                                 {microseconds(7), microseconds(123'457)}}) {
    FluidBins bins;
    bins.Add(from, to, 1.0 / ToSeconds(to - from));
    EXPECT_NEAR(bins.Total(), 1.0, 1e-12);
  }
}

TEST(FluidBins, CreditLiesWhereTheJobLived) {
  FluidBins bins;
  bins.Add(seconds(2), seconds(6), 1.0 / 4.0);
  const std::vector<double> credit = bins.Split(seconds(8), 8);
  const std::vector<double> expected = {0.0, 0.0, 0.25, 0.25, 0.25, 0.25, 0.0, 0.0};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(credit[i], expected[i], 1e-2) << i;
}

TEST(FluidBins, PartsAddUpToTheTotal) {
  FluidBins bins;
  for (int i = 0; i < 1000; ++i) bins.Add(milliseconds(i), milliseconds(i + 17), 1.0 / 0.017);
  for (const int parts : {1, 3, 16}) {
    const std::vector<double> credit = bins.Split(milliseconds(1017), parts);
    EXPECT_EQ(credit.size(), static_cast<std::size_t>(parts));
    EXPECT_NEAR(std::accumulate(credit.begin(), credit.end(), 0.0), 1000.0, 1e-9);
  }
}

TEST(FluidBins, DoublingKeepsTheTotal) {
  FluidBins bins;
  std::mt19937_64 random(1);
  double expected = 0.0;
  Duration end = microseconds(50);
  for (int doubling = 0; doubling < 30; ++doubling, end *= 2) {  // until 15 hours
    for (int i = 0; i < 100; ++i) {
      const auto a = Duration(random() % static_cast<std::uint64_t>(end.count()));
      const auto b = Duration(random() % static_cast<std::uint64_t>(end.count()));
      if (a == b) continue;
      const auto [from, to] = std::minmax(a, b);
      bins.Add(from, to, 1.0 / ToSeconds(to - from));
      expected += 1.0;
    }
    ASSERT_NEAR(bins.Total() / expected, 1.0, 1e-12) << doubling;
  }
}

TEST(FluidBins, DoublingKeepsTheCreditInItsPlace) {
  FluidBins bins;
  bins.Add(seconds(0), seconds(10), 3.0);
  bins.Add(seconds(10), seconds(20), 1.0);
  bins.Add(seconds(4000), seconds(4001), 0.0);  // bins are 33.5 s wide after it
  const std::vector<double> credit = bins.Split(seconds(4001), 40);
  EXPECT_NEAR(credit[0], 40.0, 1e-9);
  EXPECT_NEAR(*std::max_element(credit.begin() + 1, credit.end()), 0.0, 1e-9);
}

TEST(FluidBins, TimeAfterTheLastJobHasNoCredit) {
  FluidBins bins;
  bins.Add(microseconds(0), microseconds(64), 1.0 / 64e-6);
  const std::vector<double> credit = bins.Split(seconds(10), 10);
  EXPECT_NEAR(credit.front(), 1.0, 1e-12);
  EXPECT_NEAR(credit.back(), 0.0, 1e-12);
}

}  // namespace
}  // namespace twofold::stats
