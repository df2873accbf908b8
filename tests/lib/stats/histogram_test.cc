#include "lib/stats/histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace twofold::stats {
namespace {

using std::chrono::nanoseconds;

/// Values of all magnitudes, from 1 ns to the end of the range.
std::vector<Duration> AllMagnitudes(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Duration> values;
  for (std::size_t i = 0; i < count; ++i) values.emplace_back((random() % kOverflow) >> (i % 47));
  return values;
}

Histogram Of(const std::vector<Duration>& values) {
  Histogram histogram;
  for (const Duration value : values) histogram.Record(value);
  return histogram;
}

std::vector<std::uint64_t> Counts(const Histogram& histogram) {
  std::vector<std::uint64_t> counts;
  histogram.ForEachBucket([&](const Histogram::Bucket& bucket) {
    counts.push_back(static_cast<std::uint64_t>(bucket.lowest.count()));
    counts.push_back(bucket.count);
  });
  return counts;
}

TEST(LogBuckets, CoverTheRangeWithoutGapsOrOverlaps) {
  EXPECT_EQ(LowestOf(0), 0U);
  for (std::size_t i = 0; i + 1 < kBuckets; ++i) {
    ASSERT_EQ(LowestOf(i + 1), HighestOf(i) + 1) << i;
    ASSERT_EQ(BucketOf(LowestOf(i)), i);
    ASSERT_EQ(BucketOf(HighestOf(i)), i);
  }
  EXPECT_EQ(BucketOf(kOverflow - 1), kBuckets - 1);
  EXPECT_EQ(BucketOf(UINT64_MAX), kBuckets - 1);
}

TEST(LogBuckets, WidthIsAtMostTheStatedShareOfTheLowestValue) {
  for (std::size_t i = 1; i + 1 < kBuckets; ++i) {
    const auto width = static_cast<double>(HighestOf(i) - LowestOf(i));
    ASSERT_LE(width, kBucketError * static_cast<double>(LowestOf(i))) << i;
  }
}

std::uint64_t CountUpTo(const Histogram& histogram, Duration bound) {
  return histogram.CumulativeCounts({&bound, 1}).front();
}

TEST(Histogram, EmptyHasNoMinimumMaximumMeanOrQuantile) {
  const Histogram histogram;
  EXPECT_EQ(histogram.Count(), 0U);
  EXPECT_EQ(histogram.Sum(), Duration::zero());
  EXPECT_EQ(histogram.Min(), std::nullopt);
  EXPECT_EQ(histogram.Max(), std::nullopt);
  EXPECT_EQ(histogram.Mean(), std::nullopt);
  EXPECT_EQ(histogram.Quantile(0.5), std::nullopt);
  EXPECT_EQ(CountUpTo(histogram, Duration::max()), 0U);
}

TEST(Histogram, SumMinimumMaximumAndMeanAreExact) {
  const Histogram histogram = Of({nanoseconds(1'000'001), nanoseconds(3), nanoseconds(5'000'003)});
  EXPECT_EQ(histogram.Sum(), nanoseconds(6'000'007));
  EXPECT_EQ(histogram.Min(), nanoseconds(3));
  EXPECT_EQ(histogram.Max(), nanoseconds(5'000'003));
  EXPECT_EQ(histogram.Mean(), nanoseconds(2'000'002));
}

TEST(Histogram, QuantilesOfAllMagnitudesAreWithinTheStatedError) {
  std::vector<Duration> values = AllMagnitudes(20'000, 1);
  const Histogram histogram = Of(values);
  std::sort(values.begin(), values.end());
  for (std::size_t rank = 1; rank <= values.size(); ++rank) {
    const double q = static_cast<double>(rank) / static_cast<double>(values.size());
    const Duration truth = values[rank - 1];
    const Duration told = histogram.Quantile(q).value();
    ASSERT_GE(told, truth) << q;
    ASSERT_LE(ToSeconds(told - truth), kBucketError * ToSeconds(truth)) << q;
  }
}

TEST(Histogram, QuantileJustAtAShareIsTheValueThatCompletesIt) {
  Histogram histogram;  // 1..100 ns: each has its own bucket, so the definition shows exactly
  for (int ns = 1; ns <= 100; ++ns) histogram.Record(nanoseconds(ns));
  for (int percent = 1; percent <= 100; ++percent) {
    EXPECT_EQ(histogram.Quantile(percent / 100.0), nanoseconds(percent));
  }
}

TEST(Histogram, QuantileJustAboveAShareIsTheNextValue) {
  const Histogram histogram = Of({nanoseconds(10), nanoseconds(20)});
  EXPECT_EQ(histogram.Quantile(0.5), nanoseconds(10));
  EXPECT_EQ(histogram.Quantile(0.500001), nanoseconds(20));
}

TEST(Histogram, QuantilesZeroAndOneAreMinimumAndMaximum) {
  const Histogram histogram = Of({nanoseconds(200), nanoseconds(1'000'001)});
  EXPECT_EQ(histogram.Quantile(0.0), nanoseconds(200));
  EXPECT_EQ(histogram.Quantile(-1.0), nanoseconds(200));
  EXPECT_EQ(histogram.Quantile(1.0), nanoseconds(1'000'001));
  EXPECT_EQ(histogram.Quantile(2.0), nanoseconds(1'000'001));
}

TEST(Histogram, QuantileStaysBetweenMinimumAndMaximumInsideOneBucket) {
  const Histogram histogram = Of({nanoseconds(1'000'001)});
  EXPECT_EQ(histogram.Quantile(0.0), nanoseconds(1'000'001));
  EXPECT_EQ(histogram.Quantile(0.5), nanoseconds(1'000'001));
}

TEST(Histogram, CumulativeCountsIncludeTheBoundAndMissNothingBelowIt) {
  const Histogram histogram = Of({nanoseconds(99), nanoseconds(100), nanoseconds(101)});
  const std::vector<Duration> bounds = {nanoseconds(-1), nanoseconds(98), nanoseconds(100),
                                        nanoseconds(100), Duration::max()};
  EXPECT_EQ(histogram.CumulativeCounts(bounds), (std::vector<std::uint64_t>{0, 0, 2, 2, 3}));
}

TEST(Histogram, CumulativeCountsAreWithinTheStatedErrorOfTheBound) {
  const std::vector<Duration> values = AllMagnitudes(20'000, 2);
  const Histogram histogram = Of(values);
  for (const Duration bound : AllMagnitudes(500, 3)) {
    const auto until = [&](double limit) {
      return static_cast<std::uint64_t>(std::count_if(
          values.begin(), values.end(), [&](Duration v) { return ToSeconds(v) <= limit; }));
    };
    EXPECT_GE(CountUpTo(histogram, bound), until(ToSeconds(bound)));
    EXPECT_LE(CountUpTo(histogram, bound), until(ToSeconds(bound) * (1.0 + kBucketError)));
  }
}

TEST(Histogram, MergedIsTheSameAsRecordingEverythingInOne) {
  const std::vector<Duration> first = AllMagnitudes(5'000, 4);
  const std::vector<Duration> second = AllMagnitudes(3'000, 5);
  std::vector<Duration> both = first;
  both.insert(both.end(), second.begin(), second.end());
  Histogram merged = Of(first);
  merged.Merge(Of(second));
  const Histogram expected = Of(both);
  EXPECT_EQ(Counts(merged), Counts(expected));
  EXPECT_EQ(merged.Count(), expected.Count());
  EXPECT_EQ(merged.Sum(), expected.Sum());
  EXPECT_EQ(merged.Min(), expected.Min());
  EXPECT_EQ(merged.Max(), expected.Max());
}

TEST(Histogram, MergingAnEmptyOneChangesNothing) {
  Histogram histogram = Of({nanoseconds(5)});
  histogram.Merge(Histogram());
  EXPECT_EQ(histogram.Count(), 1U);
  EXPECT_EQ(histogram.Min(), nanoseconds(5));
  EXPECT_EQ(histogram.Max(), nanoseconds(5));
}

TEST(Histogram, ValuesOutOfRangeAreCountedAndKnown) {
  const Duration largest(kOverflow - 1);
  const Histogram histogram = Of({largest, largest + nanoseconds(1), std::chrono::hours(1000)});
  EXPECT_EQ(histogram.Count(), 3U);
  EXPECT_EQ(histogram.clamped(), 2U);
  EXPECT_EQ(histogram.Max(), std::chrono::hours(1000));
  EXPECT_EQ(histogram.Quantile(1.0), std::chrono::hours(1000));
}

TEST(Histogram, SumStaysAtTheHighestThereIs) {
  const Histogram histogram = Of({Duration::max(), Duration::max()});
  EXPECT_EQ(histogram.Sum(), Duration::max());
}

TEST(Histogram, NegativeValuesAreRecordedAsZero) {
  const Histogram histogram = Of({nanoseconds(-7)});
  EXPECT_EQ(histogram.Min(), Duration::zero());
  EXPECT_EQ(histogram.Quantile(0.5), Duration::zero());
}

TEST(Histogram, ResetForgetsEverything) {
  Histogram histogram = Of({nanoseconds(5), std::chrono::hours(100)});
  histogram.Reset();
  EXPECT_EQ(histogram.Count(), 0U);
  EXPECT_EQ(histogram.clamped(), 0U);
  EXPECT_EQ(histogram.Min(), std::nullopt);
  EXPECT_TRUE(Counts(histogram).empty());
}

}  // namespace
}  // namespace twofold::stats
