// Changes in series of runs: exact ones, and how often planted ones are found and none are
// invented.
//
//   TWOFOLD_TRIES  simulated series a cell; 100 if not set, fewer with a sanitizer
//   TWOFOLD_SEED   of the first one; 1 if not set

#include "lib/stats/trend.h"

#include <absl/strings/str_cat.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include "lib/stats/many.h"
#include "lib/stats/outliers.h"
#include "tests/lib/stats/tries.h"
#include "tests/support/promise.h"
#include "tests/support/sanitized.h"

namespace twofold::stats {
namespace {

const std::uint64_t kTrendTries = FromEnvironment("TWOFOLD_TRIES", Fewer(100));
const std::uint64_t kTrendSeed = FromEnvironment("TWOFOLD_SEED", 1);

using Values = std::vector<double>;

class Series {
 public:
  /// Adds so many values with this mean and this scatter.
  void Add(std::size_t size, double mean = 1.0, double scatter = 0.03) {
    for (std::size_t i = 0; i < size; ++i)
      values.push_back(mean * (1.0 + scatter * normal_(random)));
  }

  Values values;
  static inline std::mt19937_64 random{kTrendSeed};

 private:
  std::normal_distribution<double> normal_;
};

bool IsFound(const std::vector<Segment>& segments, Changed changed) {
  return std::any_of(segments.begin(), segments.end(), [&](const Segment& segment) {
    return segment.first > 0 && segment.changed == changed;
  });
}

/// Whether a change of the level is found within two runs of it.
bool IsFoundNear(const std::vector<Segment>& segments, std::size_t at) {
  return std::any_of(segments.begin(), segments.end(), [&](const Segment& segment) {
    return segment.first > 0 && segment.changed == Changed::kLevel && segment.first + 2 >= at &&
           segment.first <= at + 2;
  });
}

TEST(Changes, OfAStepAreWhereItIs) {
  const std::vector<double> step = {10, 10.1, 9.9, 10, 10.1, 9.9, 12, 12.1, 11.9, 12, 12.1, 11.9};
  const auto segments = FindChanges(step, {});
  ASSERT_EQ(segments.size(), 2U);
  EXPECT_EQ(segments[1].first, 6U);
  EXPECT_NEAR(segments[1].change, 0.2, 1e-9);
  EXPECT_LT(segments[1].p, 0.03);
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
  Series series;
  series.Add(15);
  series.Add(15, 1.03);
  EXPECT_EQ(FindChanges(series.values, {})[0].size, FindChanges(series.values, {})[0].size);
}

TEST(Changes, OfScatterAreNoneOfTheLevel) {
  Values values;
  for (int i = 0; i < 40; ++i) values.push_back(10.0 + (i % 3 - 1) * (i < 20 ? 0.1 : 2.0));
  const auto segments = FindChanges(values, {});
  ASSERT_EQ(segments.size(), 2U);
  EXPECT_EQ(segments[1].changed, Changed::kScatter);
  EXPECT_NEAR(static_cast<double>(segments[1].first), 20.0, 2.0);
  EXPECT_GT(segments[1].change, 10.0);
}

TEST(Changes, AreFoundAtTheLeastRisk) {
  Series series;
  series.Add(20);
  series.Add(20, 1.2);
  EXPECT_EQ(FindChanges(series.values, {.risk = 0.0001}).size(), 2U);
}

// Any two of a hundred runs that are alike are as rare, so among forty headlines they say nothing.
TEST(Changes, OfTheNewestRunsOfOneInFortyHeadlinesTakeThreeRuns) {
  for (const std::size_t newest : {2U, 3U}) {
    Series series;
    series.Add(100);
    series.Add(newest, 2.0);
    const auto segments = FindChanges(series.values, {.finest = 0.05 / 40});
    EXPECT_EQ(segments.back().p <= 0.05 / 40, newest == 3U) << newest;
  }
}

// ---- single outliers

TEST(Outliers, AloneAreMovedToTheirNeighbourhood) {
  Values values = {10, 11, 10, 11, 10, 5, 11, 10, 11, 10, 11};
  const Values calm = WithoutOutliers(values);
  EXPECT_EQ(calm[5], 10.5);
  values[5] = calm[5];
  EXPECT_EQ(calm, values);
}

TEST(Outliers, TwoInARowAreNone) {
  const Values values = {10, 11, 10, 11, 10, 5, 5, 11, 10, 11, 10, 11};
  EXPECT_EQ(WithoutOutliers(values), values);
}

TEST(Outliers, AmongFiveValuesAreNone) {
  const Values values = {10, 10, 10, 10, 99};
  EXPECT_EQ(WithoutOutliers(values), values);
  EXPECT_TRUE(WithoutOutliers({}).empty());
}

// ---- how often changes are found

TEST(PromisedHistory, WithoutAChangeRarelyHasOne) {
  for (const std::size_t size : {10U, 30U, 60U}) {
    twofold::Measure({.id = absl::StrCat("history-none-", size),
                      .says = absl::StrCat(size, " runs without a change show one of the level"),
                      .most = 0.05},
                     kTrendTries, [&] {
                       Series series;
                       series.Add(size);
                       return IsFound(FindChanges(series.values, {}), Changed::kLevel);
                     });
  }
}

TEST(PromisedHistory, WithAnOutlierAndNoChangeRarelyHasOne) {
  twofold::Measure(
      {.id = "history-outlier-none",
       .says = "30 runs without a change but for one night at half show one of the level",
       .most = 0.05},
      kTrendTries, [] {
        Series series;
        series.Add(30);
        series.values[Series::random() % 30] *= 0.5;
        return IsFound(FindChanges(series.values, {}), Changed::kLevel);
      });
}

TEST(PromisedHistory, PIsOfTheSearch) {
  twofold::Measure(
      {.id = "history-p",
       .says = "24 runs without a change show one of the level whose P is 0.02 or less",
       .most = 0.02},
      kTrendTries, [] {
        Series series;
        series.Add(24);
        const auto segments = FindChanges(series.values, {});
        return std::any_of(segments.begin(), segments.end(), [](const Segment& segment) {
          return segment.changed == Changed::kLevel && segment.p <= 0.02;
        });
      });
}

TEST(PromisedHistory, FindsAStep) {
  for (const bool outlier : {false, true}) {
    twofold::Measure(
        {.id = outlier ? "history-step-outlier" : "history-step",
         .says = absl::StrCat("a step of 10 % after 12 runs, of 24 that scatter by 3 %,",
                              outlier ? " one of them at half," : "", " is found within two runs"),
         .least = 0.95},
        kTrendTries, [&] {
          Series series;
          series.Add(12);
          series.Add(12, 1.1);
          if (outlier) series.values[Series::random() % 24] *= 0.5;
          return IsFoundNear(FindChanges(series.values, {}), 12);
        });
  }
}

struct Newest {
  std::size_t before;
  std::size_t newest;
};

TEST(PromisedHistory, FindsTheNewestRunsIfThereAreEnoughBefore) {
  for (const auto& [before, newest] : {Newest{30, 2}, {12, 3}, {8, 4}}) {
    twofold::Measure({.id = absl::StrCat("history-newest-", newest),
                      .says = absl::StrCat(before, " runs that scatter by 3 %, then ", newest,
                                           " that are 20 % higher: found"),
                      .least = 0.85},
                     kTrendTries, [&, before = before, newest = newest] {
                       Series series;
                       series.Add(before);
                       series.Add(newest, 1.2);
                       return IsFoundNear(FindChanges(series.values, {}), before);
                     });
  }
}

TEST(PromisedHistory, ChangesOfScatterAreCalledThat) {
  std::uint64_t level = 0;
  std::uint64_t scatter = 0;
  for (std::uint64_t i = 0; i < kTrendTries; ++i) {
    Series series;
    series.Add(20);
    series.Add(20, 1.0, 0.12);
    const auto segments = FindChanges(series.values, {});
    level += IsFound(segments, Changed::kLevel) ? 1U : 0U;
    scatter += IsFound(segments, Changed::kScatter) ? 1U : 0U;
  }
  twofold::Measure({.id = "history-scatter-level",
                    .says = "20 runs that scatter by 3 %, 20 by 12 %: called a change of the level",
                    .most = 0.08},
                   level, kTrendTries);
  twofold::Measure(
      {.id = "history-scatter", .says = "the same: called a change of scatter", .least = 0.9},
      scatter, kTrendTries);
}

TEST(PromisedHistory, OfManyHeadlinesFindsTheOneThatChanged) {
  constexpr std::size_t kMany = 20;
  std::uint64_t found = 0;
  std::uint64_t invented = 0;
  const std::uint64_t tries = std::max<std::uint64_t>(kTrendTries / 20, 5);
  for (std::uint64_t i = 0; i < tries; ++i) {
    Values p;
    for (std::size_t k = 0; k < kMany; ++k) {
      Series series;
      series.Add(15);
      series.Add(15, k == 0 ? 1.1 : 1.0);
      double surest = 1.0;
      const TrendOptions options{.finest = k == 0 ? 0.05 / kMany : 1.0};
      for (const Segment& segment : FindChanges(series.values, options)) {
        if (segment.changed == Changed::kLevel) surest = std::min(surest, segment.p);
      }
      p.push_back(surest);
    }
    found += AdjustedForShare(p)[0] <= 0.05 ? 1U : 0U;
    p[0] = 1.0;
    const Values none = AdjustedForShare(p);
    invented += *std::min_element(none.begin(), none.end()) <= 0.05 ? 1U : 0U;
  }
  twofold::Measure(
      {.id = "history-many",
       .says = "of 20 headlines the one with a step of 10 % after 15 of 30 runs is found",
       .least = 0.85},
      found, tries);
  twofold::Measure(
      {.id = "history-many-none", .says = "19 without a change show one", .most = 0.05}, invented,
      tries);
}

}  // namespace
}  // namespace twofold::stats
