// What may be stored, and that it comes back from the tables as it was.

#include "lib/results/benchmark.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "lib/results/json_text.h"
#include "lib/results/sqlite_store.h"
#include "tests/lib/results/benchmark_samples.h"
#include "tests/lib/results/temp_dir.h"

namespace twofold::results {
namespace {

TEST(BenchmarkCheck, TakesOneWithSomethingInEveryField) {
  EXPECT_EQ(Check(FullBenchmark()), absl::OkStatus());
}

struct Spoilt {
  const char* error;
  std::function<void(Benchmark&)> spoil;
};

TEST(BenchmarkCheck, NamesTheFirstThingThatIsWrong) {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<Spoilt> all = {
      {"suite is empty", [](auto& b) { b.suite.clear(); }},
      {"tool has 254 bytes; at most 253", [](auto& b) { b.tool.assign(254, 'x'); }},
      {"measurements[1].value is not finite", [&](auto& b) { b.measurements[1].value = infinity; }},
      {"measurements[2].value is not finite",
       [](auto& b) { b.measurements[2].value = std::numeric_limits<double>::quiet_NaN(); }},
      {"measurements[0].name is empty", [](auto& b) { b.measurements[0].metric.name.clear(); }},
      {"measurements[0].unit has a control character",
       [](auto& b) { b.measurements[0].metric.unit = "a\x1f"; }},
      {"measurements[0].dimensions has a name twice",
       [](auto& b) {
         b.measurements[0].metric.dimensions = {{"a", "1"}, {"a", "2"}};
       }},
      {"measurements has 10001 entries; at most 10000",
       [](auto& b) { b.measurements.resize(10'001, b.measurements[0]); }},
      {"series[0].values are no whole rows", [](auto& b) { b.series[0].values.pop_back(); }},
      {"series[2].values are no whole rows", [](auto& b) { b.series[2].values.push_back(1); }},
      {"series[0].values is not finite", [&](auto& b) { b.series[0].values[3] = -infinity; }},
      {"series[0].columns[1].name is empty", [](auto& b) { b.series[0].columns[1].name = ""; }},
      {"failures[0].reason has 4097 bytes; at most 4096",
       [](auto& b) { b.failures[0].reason.assign(4097, 'x'); }},
      {"ranks[1].stages[0].name has a control character",
       [](auto& b) { b.ranks[1].stages[0].name = "\n"; }},
      {"ranks[0].stages[0].artifacts[1].name has 5000 bytes; at most 4096",
       [](auto& b) { b.ranks[0].stages[0].artifacts[1].name.assign(5000, 'x'); }},
      {"ranks has 5000 entries; at most 4096", [](auto& b) { b.ranks.resize(5000); }},
  };
  for (const Spoilt& each : all) {
    Benchmark benchmark = FullBenchmark();
    each.spoil(benchmark);
    EXPECT_EQ(Check(benchmark), absl::InvalidArgumentError(each.error));
  }
}

TEST(JsonText, NumbersComeBackAsTheyWere) {
  const std::vector<double> values = {0.1 + 0.2, 1e300, 5e-324, -0.0, 1.0 / 3, 123456789012345680};
  EXPECT_EQ(PointsOf(PointsJson(values, 2)), values);
  EXPECT_EQ(PointsJson({1, 2.5, 2, 3.5}, 2), "[[1,2.5],[2,3.5]]");
  EXPECT_EQ(PointsJson({}, 0), "[]");
}

class BenchmarkStore : public ::testing::Test {
 protected:
  std::int64_t Count(const std::string& table) {
    SQLite::Database file(path_, SQLite::OPEN_READONLY);
    return file.execAndGet("SELECT count(*) FROM " + table).getInt64();
  }
  std::string Text(const std::string& sql) {
    SQLite::Database file(path_, SQLite::OPEN_READONLY);
    return file.execAndGet("SELECT " + sql).getString();
  }
  void Commit(const std::vector<Record>& records) {
    ASSERT_EQ(store_->Commit(records), absl::OkStatus());
  }
  JobEnded EndOf(JobId job) { return std::get<JobEnded>(store_->Find(job)->state); }

  static constexpr const char* kTablesOfJobs[] = {"job",          "ended",  "place",   "benchmark",
                                                  "measured",     "series", "refused", "rank",
                                                  "part_failure", "stage",  "artifact"};

  const TempDir dir_;
  const std::string path_ = dir_.Path("jobs.db");
  const std::unique_ptr<SqliteStore> store_ = SqliteStore::Open(path_).value();
};

TEST_F(BenchmarkStore, FoundJobHasItsBenchmarkWhole) {
  Commit({Placed(7, 1, 1), EndedWith(7, FullBenchmark())});
  ASSERT_NE(EndOf(7).benchmark.get(), nullptr);
  EXPECT_EQ(EndOf(7), EndedWith(7, FullBenchmark()));
}

TEST_F(BenchmarkStore, EmptyBenchmarkAndRefusalAreKeptToo) {
  JobEnded refused = Ended(8);
  refused.refused = "measurements[0].value is not finite";
  Commit({Accepted(7, ""), EndedWith(7, {.suite = "fio"}), Accepted(8), refused});
  EXPECT_EQ(EndOf(7), EndedWith(7, {.suite = "fio"}));
  EXPECT_EQ(EndOf(8), refused);
}

TEST_F(BenchmarkStore, SameNamesAreStoredOnce) {
  for (JobId id = 1; id <= 50; ++id) Commit({Accepted(id), EndedWith(id, FullBenchmark())});
  EXPECT_EQ(Count("measured"), 150);
  EXPECT_EQ(Count("metric"), 3);
  EXPECT_EQ(Count("shape"), 3);
  EXPECT_EQ(Count("host"), 3);
}

TEST_F(BenchmarkStore, GroupThatIsCommittedAgainChangesNothing) {
  const std::vector<Record> group = {SweepCreated(), Placed(1, 1, 1),
                                     EndedWith(1, FullBenchmark())};
  Commit(group);
  Commit(group);
  EXPECT_EQ(Count("measured"), 3);
  EXPECT_EQ(Count("place"), 1);
  EXPECT_EQ(Count("permutation"), 2);
}

// What was found in a transaction that came to nothing must not be referred to by the next one.
TEST_F(BenchmarkStore, NamesOfARolledBackGroupAreWrittenAgain) {
  JobAccepted other = Accepted(1);
  other.spec = "another";
  Commit({Accepted(1)});
  EXPECT_TRUE(absl::IsAlreadyExists(
      store_->Commit(std::vector<Record>{Placed(2, 1, 1), EndedWith(2, FullBenchmark()), other})));
  EXPECT_EQ(Count("metric"), 0);
  Commit({Placed(2, 1, 1), EndedWith(2, FullBenchmark())});
  EXPECT_EQ(EndOf(2), EndedWith(2, FullBenchmark()));
  EXPECT_EQ(Text("run FROM run_job WHERE job = 2"), "sweep");
}

TEST_F(BenchmarkStore, ForgottenJobsLeaveNothingBehind) {
  JobEnded refused = Ended(3);
  refused.refused = "why";
  Commit({SweepCreated(), Placed(1, 1, 1), EndedWith(1, FullBenchmark()), Accepted(2, ""),
          EndedWith(2, FullBenchmark()), Accepted(3), refused});
  ASSERT_EQ(*store_->Forget({.keep_at_most = 0}, 10), 3u);
  for (const char* table : kTablesOfJobs) EXPECT_EQ(Count(table), 0) << table;
  EXPECT_EQ(Count("permutation"), 0);
  EXPECT_EQ(Text("group_concat(number) FROM run"), "0");
}

TEST_F(BenchmarkStore, RunStaysWhileOneOfItsJobsIsKept) {
  Commit({SweepCreated(), Placed(1, 1, 1), Ended(1, 10), Placed(2, 1, 2), Ended(2, 20)});
  ASSERT_EQ(*store_->Forget({.keep_at_most = 1}, 10), 1u);
  EXPECT_EQ(Text("definition FROM run WHERE id = 'sweep'"), "kind: BenchmarkSet\n");
  ASSERT_EQ(*store_->Forget({.keep_at_most = 0}, 10), 1u);
  EXPECT_EQ(Count("run WHERE id = 'sweep'"), 0);
  Commit({Placed(3, 1, 1)});  // and can be begun again
  EXPECT_EQ(Text("run FROM run_job WHERE job = 3"), "sweep");
}

TEST_F(BenchmarkStore, SeriesAreRowsForWhoLooks) {
  Commit({Accepted(7, ""), EndedWith(7, FullBenchmark())});
  EXPECT_EQ(Count("series_value"), 3);
  EXPECT_EQ(Text("series || row || by || at || name || value || unit"
                 " || json_extract(dimensions, '$.stream') FROM series_value"),
            "throughput_over_time1time1throughput9.5Gbit/s1");
  EXPECT_EQ(Text("group_concat(job || node || name || wall_s) FROM rank_stage WHERE rank = 0"),
            "7node-1server7.0");
}

}  // namespace
}  // namespace twofold::results
