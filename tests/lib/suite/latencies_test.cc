#include "lib/suite/latencies.h"

#include <gtest/gtest.h>

#include <string>

#include "lib/suite/plausible.h"

namespace twofold::suite {
namespace {

stats::Histogram Sample(int first, int last) {
  stats::Histogram histogram;
  for (int i = first; i <= last; ++i) histogram.Record(std::chrono::microseconds(i));
  return histogram;
}

TEST(Latencies, AreTheSameAfterTheJourney) {
  const stats::Histogram all = Sample(1, 1000);
  Result<stats::Histogram> first = FromMessage(ToMessage(Sample(1, 300)));
  const Result<stats::Histogram> second = FromMessage(ToMessage(Sample(301, 1000)));
  ASSERT_TRUE(first.ok() && second.ok());
  first->Merge(*second);
  EXPECT_EQ(ToMessage(*first).SerializeAsString(), ToMessage(all).SerializeAsString());
}

TEST(Latencies, AnEmptyHistogramStaysEmptyAndHasNoNumbers) {
  const Result<stats::Histogram> empty = FromMessage(ToMessage(stats::Histogram()));
  ASSERT_TRUE(empty.ok());
  EXPECT_EQ(empty->Count(), 0U);
  Measurements result;
  AddLatencies("latency", *empty, {}, true, result);
  EXPECT_TRUE(result.measurements.empty());
  EXPECT_TRUE(result.series.empty());
}

TEST(Latencies, WhatNoHistogramCanHaveIsRefused) {
  const v1::Histogram good = ToMessage(Sample(1, 1000));
  const auto refused = [&](auto&& spoil) {
    v1::Histogram bad = good;
    spoil(bad);
    return FromMessage(bad).status().code() == absl::StatusCode::kDataLoss;
  };
  EXPECT_TRUE(refused([](v1::Histogram& h) { h.add_count(1); }));
  EXPECT_TRUE(refused([](v1::Histogram& h) { h.set_count(0, 0); }));
  EXPECT_TRUE(refused([](v1::Histogram& h) { h.set_count(0, ~std::uint64_t{0}); }));
  EXPECT_TRUE(refused([](v1::Histogram& h) { h.set_bucket(1, h.bucket(0)); }));
  EXPECT_TRUE(refused([](v1::Histogram& h) { h.set_bucket(5, h.bucket(5) + 1); }));
  EXPECT_TRUE(refused([](v1::Histogram& h) { h.set_min(h.max()); }));
  EXPECT_TRUE(refused([](v1::Histogram& h) { h.set_max(h.max() * 2); }));
  EXPECT_TRUE(refused([](v1::Histogram& h) { h.set_sum(0); }));
  EXPECT_TRUE(refused([](v1::Histogram& h) { h.set_sum(~std::uint64_t{0}); }));
  EXPECT_TRUE(refused([](v1::Histogram& h) { h.set_clamped(1); }));
  EXPECT_TRUE(refused([](v1::Histogram& h) { h.clear_bucket(), h.clear_count(); }));
}

TEST(Latencies, AreQuantilesAndASeriesOfBuckets) {
  Measurements result;
  AddLatencies("latency", Sample(1, 100), {{"op", "get"}}, true, result);
  ASSERT_EQ(result.measurements.size(), 6U);
  EXPECT_EQ(result.measurements[0].name, "latency_mean");
  EXPECT_DOUBLE_EQ(result.measurements[0].value, 50.5);
  EXPECT_EQ(result.measurements[3].name, "latency_p99");
  EXPECT_NEAR(result.measurements[3].value, 99, 1);
  EXPECT_TRUE(result.measurements[3].headline);
  EXPECT_EQ(result.measurements[5].name, "latency_max");
  EXPECT_DOUBLE_EQ(result.measurements[5].value, 100);
  ASSERT_EQ(result.series.size(), 1U);
  double events = 0;
  for (const auto& row : result.series[0].rows) events += row[1];
  EXPECT_EQ(events, 100);
  EXPECT_EQ(FirstFault(result), "");
}

}  // namespace
}  // namespace twofold::suite
