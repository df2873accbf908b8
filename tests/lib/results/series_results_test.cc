// What jobs have measured row by row, as statistics over a permutation's jobs.

#include "lib/results/series_results.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "lib/results/run_reader.h"
#include "lib/results/sqlite_store.h"
#include "tests/lib/results/benchmark_samples.h"
#include "tests/lib/results/temp_dir.h"

namespace twofold::results {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

/// Latency and iterations by message size: {size, latency} by row.
v1::Series Latencies(const std::vector<std::pair<double, double>>& rows) {
  v1::Series series;
  series.set_name("osu_latency");
  Add(*series.mutable_dimensions(), "datatype", "char");
  AddColumn(series, "size", "B");
  AddColumn(series, "latency", "us", v1::BETTER_LOWER);
  AddColumn(series, "iterations");
  for (const auto& [size, latency] : rows) {
    for (const double value : {size, latency, 1000.0}) series.add_values(value);
  }
  return series;
}

v1::BenchmarkResult With(const std::vector<v1::Series>& series) {
  v1::BenchmarkResult result = ResultOf("osu");
  for (const v1::Series& each : series) *result.add_series() = each;
  return result;
}

class SeriesResultsTest : public ::testing::Test {
 protected:
  void Commit(const std::vector<Record>& records) {
    ASSERT_EQ(store_->Commit(records), absl::OkStatus());
  }
  /// One page of them, from permutation `from` on.
  std::vector<v1::PermutationResult> Page(bool series = true, std::uint64_t from = 0) {
    const auto reader = RunReader::Open(path_).value();
    const auto page = reader->Results(reader->NumberOf("sweep").value(), from, {}, series);
    EXPECT_TRUE(page.ok()) << page.status();
    return page.ok() ? *page : std::vector<v1::PermutationResult>{};
  }

  const TempDir dir_;
  const std::string path_ = dir_.Path("jobs.db");
  const std::unique_ptr<SqliteStore> store_ = SqliteStore::Open(path_).value();
};

// Of 2 and 4: mean 3, sd sqrt(2), and t(1) sqrt(2) / sqrt(2) = 12.7062.
TEST_F(SeriesResultsTest, EachRowHasItsStatisticsOverTheJobs) {
  Commit({SweepCreated(), Placed(1, 1, 1), EndedWith(1, With({Latencies({{8, 2}, {64, 10}})})),
          Placed(2, 1, 2), EndedWith(2, With({Latencies({{64, 10}, {8, 4}, {512, 7}})}))});
  const auto page = Page();
  ASSERT_THAT(page, SizeIs(1));
  EXPECT_EQ(page[0].series_values_left_out(), 0u);
  ASSERT_THAT(page[0].series(), SizeIs(1)) << "of iterations neither more nor less is better";
  const v1::SeriesResult& curve = page[0].series(0);
  const v1::Series shape = Latencies({});
  EXPECT_EQ(curve.name(), "osu_latency");
  EXPECT_EQ(curve.dimensions(0), shape.dimensions(0));
  EXPECT_EQ(curve.by(), shape.columns(0));
  EXPECT_EQ(curve.value(), shape.columns(1));
  ASSERT_THAT(curve.points(), SizeIs(3));
  EXPECT_EQ(curve.points(0).at(), 8);
  EXPECT_EQ(curve.points(0).n(), 2u);
  EXPECT_DOUBLE_EQ(curve.points(0).mean(), 3);
  EXPECT_NEAR(curve.points(0).half_width(), 12.706205, 1e-6);
  EXPECT_EQ(curve.points(0).least(), 2);
  EXPECT_EQ(curve.points(0).most(), 4);
  EXPECT_EQ(curve.points(1).at(), 64);
  EXPECT_EQ(curve.points(1).mean(), 10);
  EXPECT_EQ(curve.points(1).half_width(), 0);
  EXPECT_EQ(curve.points(2).at(), 512);
  EXPECT_EQ(curve.points(2).n(), 1u);
  EXPECT_EQ(curve.points(2).half_width(), 0);
}

TEST_F(SeriesResultsTest, OnlyJobsThatCountAreInThem) {
  const auto measured = [](double value) { return With({Latencies({{8, value}})}); };
  Commit({SweepCreated(), Placed(1, 1, 1, true), EndedWith(1, measured(1000)), Placed(2, 1, 1),
          EndedWith(2, measured(900), queue::Outcome::kFailed), Placed(3, 1, 2),
          EndedWith(3, measured(800)), Placed(4, 1, 2), JobRequeued{3, 4},
          EndedWith(4, measured(5)), Placed(5, 2, 1), EndedWith(5, measured(6)),
          Accepted(6, "another"), EndedWith(6, measured(700))});
  const auto page = Page();
  ASSERT_THAT(page, SizeIs(2));
  ASSERT_THAT(page[0].series(), SizeIs(1));
  EXPECT_EQ(page[0].series(0).points(0).n(), 1u);
  EXPECT_EQ(page[0].series(0).points(0).mean(), 5);
  EXPECT_EQ(page[1].series(0).points(0).mean(), 6);
}

TEST_F(SeriesResultsTest, ComeOnlyIfAskedFor) {
  Commit({SweepCreated(), Placed(1, 1, 1), EndedWith(1, With({Latencies({{8, 2}})}))});
  EXPECT_THAT(Page(false).at(0).series(), IsEmpty());
}

TEST_F(SeriesResultsTest, SeriesOfOtherDimensionsAreOthersAndThoseWithoutNumbersNone) {
  v1::Series other = Latencies({{8, 3}});
  other.mutable_dimensions(0)->set_value("int");
  v1::BenchmarkResult result = With({Latencies({{8, 2}}), other});
  AddSeries(result);
  Commit({SweepCreated(), Placed(1, 1, 1), EndedWith(1, result)});
  const auto page = Page();
  ASSERT_THAT(page.at(0).series(), SizeIs(3));
  EXPECT_EQ(page[0].series(0).points(0).mean(), 2);
  EXPECT_EQ(page[0].series(1).points(0).mean(), 3);
  EXPECT_EQ(page[0].series(2).name(), "throughput_over_time");
}

TEST_F(SeriesResultsTest, LargeOnesComeInPages) {
  std::vector<std::pair<double, double>> rows;
  for (int row = 0; row < 8000; ++row) rows.emplace_back(row, 1.0 / (row + 1));
  std::vector<Record> records = {SweepCreated(6)};
  for (JobId id = 1; id <= 6; ++id) {
    records.emplace_back(Placed(id, id, 1));
    records.emplace_back(EndedWith(id, With({Latencies(rows)})));
  }
  Commit(records);
  EXPECT_LT(Page().size(), 6u);
  EXPECT_EQ(Page(true, 6).size(), 1u);
  EXPECT_EQ(Page(false).size(), 6u);
}

TEST_F(SeriesResultsTest, DamagedPointsAreDataLoss) {
  Commit({SweepCreated(), Placed(1, 1, 1), EndedWith(1, With({Latencies({{8, 2}})}))});
  for (const char* points : {"[[8,2", "[[8,\"2\"]]", "x"}) {
    SQLite::Database(path_, SQLite::OPEN_READWRITE)
        .exec(std::string("UPDATE series SET points = '") + points + "'");
    const auto reader = RunReader::Open(path_).value();
    const auto page = reader->Results(reader->NumberOf("sweep").value(), 0, {}, true);
    EXPECT_TRUE(absl::IsDataLoss(page.status())) << points;
  }
}

TEST(SeriesGatherer, PointsOfRunsThatSomebodyLookedAtHaveTheIntervalOfLooks) {
  const auto half_width = [](bool looked) {
    SeriesGatherer gatherer(looked);
    for (const double latency : {2.0, 2.1, 1.9, 2.2, 2.0, 1.8, 2.1, 1.9}) {
      gatherer.Add(1, Latencies({}), {8, latency, 1});
    }
    v1::PermutationResult result;
    gatherer.Finish(result);
    return result.series(0).points(0).half_width();
  };
  EXPECT_GT(half_width(true), 1.2 * half_width(false));
}

// ---- limits

TEST(SeriesGatherer, CountsWhatIsBeyondItsRows) {
  SeriesGatherer gatherer(false);
  const v1::Series shape = Latencies({});
  std::vector<double> values;
  for (std::size_t row = 0; row < SeriesGatherer::kMostPoints + 5; ++row) {
    values.insert(values.end(), {static_cast<double>(row), 1.0, 1.0});
  }
  gatherer.Add(1, shape, values);
  gatherer.Add(1, shape, {0.0, 3.0, 1.0});
  v1::PermutationResult result;
  gatherer.Finish(result);
  EXPECT_EQ(static_cast<std::size_t>(result.series(0).points_size()), SeriesGatherer::kMostPoints);
  EXPECT_EQ(result.series(0).points(0).n(), 2u) << "a row that is there has room";
  EXPECT_EQ(result.series_values_left_out(), 5u);
  EXPECT_LT(result.ByteSizeLong(), 1u << 20);
}

TEST(SeriesGatherer, CountsWhatIsBeyondItsColumns) {
  SeriesGatherer gatherer(false);
  for (std::size_t number = 0; number < SeriesGatherer::kMostCurves + 3; ++number) {
    gatherer.Add(static_cast<std::int64_t>(number), Latencies({}), {8, 2, 1, 16, 2, 1});
  }
  v1::PermutationResult result;
  gatherer.Finish(result);
  EXPECT_EQ(static_cast<std::size_t>(result.series_size()), SeriesGatherer::kMostCurves);
  EXPECT_EQ(result.series_values_left_out(), 6u);
}

TEST(SeriesGatherer, CountsWhatIsBeyondItsValues) {
  SeriesGatherer gatherer(false);
  const std::vector<double> values(3 * (SeriesGatherer::kMostValues / 4 + 1), 1.0);
  for (int job = 0; job < 4; ++job) gatherer.Add(1, Latencies({}), values);
  v1::PermutationResult result;
  gatherer.Finish(result);
  EXPECT_EQ(result.series(0).points(0).n(), SeriesGatherer::kMostValues);
  EXPECT_EQ(result.series_values_left_out(), 4u);
}

}  // namespace
}  // namespace twofold::results
