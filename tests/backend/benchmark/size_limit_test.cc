#include "backend/benchmark/size_limit.h"

#include <absl/strings/str_cat.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/backend/benchmark/printed.h"

namespace twofold::backend {
namespace {

using ::testing::ElementsAre;
using ::testing::StartsWith;

constexpr std::size_t kMost = 64 << 10;

// An output that does not compress.
v1::Artifact Dense(std::size_t bytes) {
  std::mt19937 random(7);
  std::string noise(bytes, '\0');
  for (char& c : noise) c = static_cast<char>(random());
  return Keep("stdout", *Printed(noise), bytes);
}

v1::RankRecord RankWith(std::size_t bytes) {
  v1::RankRecord rank;
  rank.set_node("node");
  v1::StageRecord& stage = *rank.add_stages();
  stage.set_name("fio");
  *stage.mutable_out() = Dense(bytes);
  return rank;
}

void AddMeasurements(v1::BenchmarkResult& result, int count, bool headline) {
  for (int i = 0; i < count; ++i) {
    v1::Measurement& one = *result.add_measurements();
    one.set_name(absl::StrCat(headline ? "headline" : "detail", i));
    one.set_value(i);
    one.set_headline(headline);
  }
}

TEST(Fit, WhatFitsIsLeftAlone) {
  v1::BenchmarkResult result;
  *result.add_ranks() = RankWith(1000);
  AddMeasurements(result, 10, true);
  const std::string before = result.SerializeAsString();
  Fit(result, kMost);
  EXPECT_EQ(result.SerializeAsString(), before);
}

TEST(Fit, LongOutputsGiveWayToShortOnes) {
  v1::BenchmarkResult result;
  for (const std::size_t bytes : {100'000U, 1'000U, 200'000U})
    *result.add_ranks() = RankWith(bytes);
  Fit(result, kMost);
  EXPECT_LE(result.ByteSizeLong(), kMost);
  EXPECT_EQ(result.ranks(1).stages(0).out().left_out(), 0U);
  for (const int rank : {0, 2}) {
    const v1::Artifact& out = result.ranks(rank).stages(0).out();
    EXPECT_GT(out.zstd().size(), kMost / 8);
    EXPECT_EQ(out.left_out(), out.bytes() - Text(out, 1 << 20)->size());
  }
  EXPECT_EQ(result.left_out_size(), 0);
}

TEST(Fit, NumbersOutliveOutputsAndStagesOfOtherRanks) {
  v1::BenchmarkResult result;
  for (int rank = 0; rank < 300; ++rank) {
    *result.add_ranks() = RankWith(2000);
    result.mutable_ranks(rank)->mutable_stages(0)->add_argv(std::string(200, 'x'));
  }
  AddMeasurements(result, 100, true);
  Fit(result, kMost);
  EXPECT_LE(result.ByteSizeLong(), kMost);
  EXPECT_EQ(result.measurements_size(), 100);
  EXPECT_EQ(result.ranks_size(), 300);
  EXPECT_EQ(result.ranks(0).stages_size(), 1);
  EXPECT_EQ(result.ranks(299).stages_size(), 0);
  EXPECT_THAT(result.left_out(), ElementsAre(StartsWith("ranks without what ran there: ")));
}

TEST(Fit, LongSeriesAndDetailsGoBeforeHeadlines) {
  v1::BenchmarkResult result;
  for (const int rows : {10, 50'000}) {
    v1::Series& series = *result.add_series();
    series.add_columns()->set_name("time");
    for (int row = 0; row < rows; ++row) series.add_values(row);
  }
  AddMeasurements(result, 50, true);
  AddMeasurements(result, 10'000, false);
  Fit(result, kMost);
  EXPECT_LE(result.ByteSizeLong(), kMost);
  ASSERT_GE(result.measurements_size(), 50);
  EXPECT_EQ(result.measurements(49).name(), "headline49");
  EXPECT_EQ(result.measurements(50).name(), "detail0");
  EXPECT_THAT(result.left_out(),
              ElementsAre("rows of series: 50010", StartsWith("measurements: ")));
}

TEST(Fit, EvenHeadlinesAreBounded) {
  v1::BenchmarkResult result;
  AddMeasurements(result, 10'000, true);
  Fit(result, kMost);
  EXPECT_LE(result.ByteSizeLong(), kMost);
  EXPECT_GT(result.measurements_size(), 1'000);
  EXPECT_THAT(result.left_out(), ElementsAre(StartsWith("headlines: ")));
}

TEST(Fit, ARecordLosesOnlyOutput) {
  v1::RankRecord record = RankWith(200'000);
  Fit(record, kMost);
  EXPECT_LE(record.ByteSizeLong(), kMost);
  EXPECT_GT(record.stages(0).out().left_out(), 0U);
}

}  // namespace
}  // namespace twofold::backend
