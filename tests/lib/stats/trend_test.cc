// Changes in series of runs: exact ones, and how often planted ones are found and none are
// invented.
//
//   TWOFOLD_TRIES  simulated series a cell; 100 if not set, a tenth of that with a sanitizer
//   TWOFOLD_SEED   of the first one; 1 if not set

#include "lib/stats/trend.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <random>

#include "tests/lib/stats/tries.h"
#include "tests/support/sanitized.h"

namespace twofold::stats {
namespace {

const int kTrendTries = static_cast<int>(FromEnvironment("TWOFOLD_TRIES", kSanitized ? 10 : 100));
const std::uint64_t kTrendSeed = FromEnvironment("TWOFOLD_SEED", 1);

/// `size` values around each mean, with 3 % of scatter.
std::vector<double> Series(const std::vector<double>& means, std::size_t size,
                           std::mt19937_64& random) {
  std::normal_distribution<double> error(0.0, 0.03);
  std::vector<double> values;
  for (const double mean : means) {
    for (std::size_t i = 0; i < size; ++i) values.push_back(mean * (1.0 + error(random)));
  }
  return values;
}

TEST(Changes, OfAStepAreWhereItIs) {
  const std::vector<double> step = {10, 10.1, 9.9, 10, 10.1, 9.9, 12, 12.1, 11.9, 12, 12.1, 11.9};
  const auto segments = FindChanges(step, {});
  ASSERT_EQ(segments.size(), 2U);
  EXPECT_EQ(segments[1].first, 6U);
  EXPECT_NEAR(segments[1].change, 0.2, 1e-9);
  EXPECT_LT(segments[1].p, 0.01);
}

TEST(Changes, UnderTheLeastAreNone) {
  const std::vector<double> step = {10, 10.1, 9.9, 10, 10.1, 9.9, 12, 12.1, 11.9, 12, 12.1, 11.9};
  EXPECT_EQ(FindChanges(step, {.least = 0.19}).size(), 2U);
  EXPECT_EQ(FindChanges(step, {.least = 0.21}).size(), 1U);
}

TEST(Changes, AreNotInEqualValuesNorInTooFew) {
  EXPECT_EQ(FindChanges(std::vector<double>(50, 0.1), {}).size(), 1U);
  EXPECT_EQ(FindChanges(std::vector<double>{1, 1, 9}, {}).size(), 1U);
  EXPECT_TRUE(FindChanges({}, {}).empty());
}

TEST(Changes, OneValueThatStandsOutIsNone) {
  std::vector<double> values(20, 10.0);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] += i % 2 == 0 ? 0.1 : -0.1;
  values.back() = 15.0;
  for (const Segment& segment : FindChanges(values, {})) EXPECT_NE(segment.size, 1U);
}

TEST(Changes, AreTheSameForTheSameSeed) {
  std::mt19937_64 random(kTrendSeed);
  const auto values = Series({10, 10.3}, 15, random);
  EXPECT_EQ(FindChanges(values, {})[0].size, FindChanges(values, {})[0].size);
}

TEST(SimulatedSeries, WithoutAChangeRarelyHasOne) {
  std::cout << "TWOFOLD_TRIES=" << kTrendTries << " TWOFOLD_SEED=" << kTrendSeed << "\n";
  for (const std::size_t size : {10U, 30U, 100U}) {
    std::mt19937_64 random(kTrendSeed);
    int invented = 0;
    for (int i = 0; i < kTrendTries; ++i) {
      invented += FindChanges(Series({10}, size, random), {}).size() > 1 ? 1 : 0;
    }
    std::cout << size << " values | invented " << 100.0 * invented / kTrendTries << " %\n";
    EXPECT_LE(invented, 0.05 * kTrendTries + 3.1 * std::sqrt(0.0475 * kTrendTries) + 1.0) << size;
  }
}

struct Changed {
  const char* name;
  std::vector<double> means;
  std::size_t size;
};

TEST(SimulatedSeries, WithChangesHasThemWithinOneRun) {
  for (const Changed& changed :
       {Changed{"up 10 %", {10, 11}, 8}, Changed{"up 10 % and back", {10, 11, 10}, 12},
        Changed{"two steps down", {10, 9, 8}, 12}}) {
    std::mt19937_64 random(kTrendSeed);
    int found = 0;
    int too_many = 0;
    for (int i = 0; i < kTrendTries; ++i) {
      const auto segments = FindChanges(Series(changed.means, changed.size, random), {});
      bool all = true;
      for (std::size_t at = changed.size; at < changed.means.size() * changed.size;
           at += changed.size) {
        all = all && std::any_of(segments.begin(), segments.end(), [&](const Segment& segment) {
                return segment.first + 1 >= at && segment.first <= at + 1;
              });
      }
      found += all ? 1 : 0;
      too_many += segments.size() > changed.means.size() ? 1 : 0;
    }
    std::cout << changed.name << " | found " << 100.0 * found / kTrendTries << " % | too many "
              << 100.0 * too_many / kTrendTries << " %\n";
    EXPECT_GE(found, 0.9 * kTrendTries) << changed.name;
    // Each part is asked once more.
    const double parts = static_cast<double>(changed.means.size());
    EXPECT_LE(too_many,
              0.05 * parts * kTrendTries + 3.1 * std::sqrt(0.05 * parts * kTrendTries) + 1.0);
  }
}

}  // namespace
}  // namespace twofold::stats
