// What may be stored, and that it comes back from the tables as it was.

#include <absl/strings/str_split.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <set>

#include "lib/results/benchmark_check.h"
#include "lib/results/tables.h"
#include "tests/lib/results/benchmark_samples.h"
#include "tests/lib/results/engines.h"

namespace twofold::results {
namespace {

TEST(BenchmarkCheck, TakesOneWithSomethingInEveryField) {
  EXPECT_EQ(Check(FullResult()), absl::OkStatus());
}

struct Spoilt {
  const char* error;
  std::function<void(v1::BenchmarkResult&)> spoil;
};

TEST(BenchmarkCheck, NamesTheFirstThingThatIsWrong) {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<Spoilt> all = {
      {"suite is empty", [](auto& b) { b.clear_suite(); }},
      {"tool has 254 bytes; at most 253", [](auto& b) { b.set_tool(std::string(254, 'x')); }},
      {"measurements[1].value is not finite",
       [&](auto& b) { b.mutable_measurements(1)->set_value(infinity); }},
      {"measurements[2].value is not finite",
       [](auto& b) {
         b.mutable_measurements(2)->set_value(std::numeric_limits<double>::quiet_NaN());
       }},
      {"measurements[0].name is empty", [](auto& b) { b.mutable_measurements(0)->clear_name(); }},
      {"measurements[0].unit has a control character",
       [](auto& b) { b.mutable_measurements(0)->set_unit("a\x1f"); }},
      {"measurements[0].dimensions has a name twice",
       [](auto& b) {
         auto& dimensions = *b.mutable_measurements(0)->mutable_dimensions();
         dimensions.Clear();
         Add(dimensions, "a", "1");
         Add(dimensions, "a", "2");
       }},
      {"measurements[0].at has 17 entries; at most 16",
       [](auto& b) {
         for (int i = 0; i < 17; ++i) b.mutable_measurements(0)->add_at()->set_name("x");
       }},
      {"measurements[0].dimensions[1].name is empty",
       [](auto& b) { b.mutable_measurements(0)->mutable_dimensions(1)->clear_name(); }},
      {"measurements has 10001 entries; at most 10000",
       [](auto& b) {
         for (int i = 3; i < 10'001; ++i) *b.add_measurements() = b.measurements(0);
       }},
      {"series[0].values are no whole rows",
       [](auto& b) { b.mutable_series(0)->mutable_values()->RemoveLast(); }},
      {"series[2].values are no whole rows", [](auto& b) { b.mutable_series(2)->add_values(1); }},
      {"series[0].values is not finite",
       [&](auto& b) { b.mutable_series(0)->set_values(3, -infinity); }},
      {"series[0].columns[1].name is empty",
       [](auto& b) { b.mutable_series(0)->mutable_columns(1)->clear_name(); }},
      {"failures[0].reason has 4097 bytes; at most 4096",
       [](auto& b) { b.mutable_failures(0)->set_reason(std::string(4097, 'x')); }},
      {"ranks[0].kernel has a control character",
       [](auto& b) { b.mutable_ranks(0)->set_kernel("\t"); }},
      {"ranks[1].stages[0].name has a control character",
       [](auto& b) { b.mutable_ranks(1)->mutable_stages(0)->set_name("\n"); }},
      {"ranks[0].stages[0].err.name has 5000 bytes; at most 4096",
       [](auto& b) {
         b.mutable_ranks(0)->mutable_stages(0)->mutable_err()->set_name(std::string(5000, 'x'));
       }},
      {"ranks[1].stages[0].files has 99 entries; at most 98",
       [](auto& b) {
         for (int i = 1; i < 99; ++i) b.mutable_ranks(1)->mutable_stages(0)->add_files();
       }},
      {"ranks has 5000 entries; at most 4096",
       [](auto& b) {
         for (int i = 3; i < 5000; ++i) b.add_ranks();
       }},
      {"left_out has a control character", [](auto& b) { b.set_left_out(0, "\x7f"); }},
  };
  for (const Spoilt& each : all) {
    v1::BenchmarkResult result = FullResult();
    each.spoil(result);
    EXPECT_EQ(Check(result), absl::InvalidArgumentError(each.error));
  }
}

// Arguments of programs are as they are; texts for people have lines.
TEST(BenchmarkCheck, TakesLongAndBrokenTextsWhereTheyBelong) {
  v1::BenchmarkResult result = FullResult();
  v1::StageRecord& stage = *result.mutable_ranks(0)->mutable_stages(0);
  stage.add_argv(std::string(10'000, '\n'));
  stage.set_error("first line\nsecond line");
  stage.mutable_out()->set_zstd(std::string(100'000, '\0'));
  EXPECT_EQ(Check(result), absl::OkStatus());
}

TEST(Points, NumbersComeBackAsTheyWere) {
  v1::Series series;
  AddColumn(series, "a");
  AddColumn(series, "b");
  EXPECT_EQ(PointsOf(series), "[]");
  for (const double value : {0.1 + 0.2, 1e300, 5e-324, -0.0, 1.0 / 3, 123456789012345680.0}) {
    series.add_values(value);
  }
  v1::Series read;
  for (const double value : PointsIn(PointsOf(series))) read.add_values(value);
  *read.mutable_columns() = series.columns();
  EXPECT_EQ(read, series);
  series.clear_values();
  for (const double value : {1.0, 2.5, 2.0, 3.5}) series.add_values(value);
  EXPECT_EQ(PointsOf(series), "[[1,2.5],[2,3.5]]");
}

TEST(Points, TextThatIsDamagedIsRefused) {
  for (const char* text : {"", "[", "[[", "[[]]", "[[1]", "[[1,]]", "[[1],[2]", "[[1]]x", "[[x]]",
                           "[[nan]]", "[[1e999]]", "[1]", "[[1][2]]", "{}"}) {
    EXPECT_THROW(PointsIn(text), Damaged) << text;
  }
}

// A field that is added to the contract has to be added to the tables, or they lose it.
TEST(Tables, KeepEveryFieldOfAResult) {
  const auto is_in = [](const google::protobuf::FieldDescriptor& field, const auto&... columns) {
    const std::string name = field.name();
    const auto has = [&](const auto& each) {
      const std::vector<std::string> names = absl::StrSplit(each.List(), ", ");
      return std::count(names.begin(), names.end(), name) > 0;
    };
    return (has(columns) || ...);
  };
  const auto fields = [&](const google::protobuf::Descriptor& type, std::set<std::string> apart,
                          const auto&... columns) {
    for (int i = 0; i < type.field_count(); ++i) {
      const auto& field = *type.field(i);
      EXPECT_NE(is_in(field, columns...), apart.contains(field.name())) << field.full_name();
    }
  };
  fields(*v1::BenchmarkResult::descriptor(),
         {"measurements", "series", "failures", "ranks", "timeline"}, kBenchmarkColumns);
  fields(*v1::Timeline::descriptor(), {}, kTimelineColumns);
  fields(*v1::Measurement::descriptor(), {}, kMetricColumns, kMeasuredColumns);
  fields(*v1::Series::descriptor(), {"values"}, kShapeColumns);
  fields(*v1::PartFailure::descriptor(), {}, kFailureColumns);
  fields(*v1::RankRecord::descriptor(), {"stages"}, kHostColumns);
  fields(*v1::StageRecord::descriptor(), {"out", "err", "files"}, kStageColumns);
  fields(*v1::Artifact::descriptor(), {}, kArtifactColumns);
  fields(*v1::RunPlace::descriptor(), {}, kPlaceColumns);
  fields(*v1::Permutation::descriptor(), {}, kPermutationColumns);
  fields(*v1::Run::descriptor(), {"id", "ended_unix_ns", "cancelled_unix_ns", "counts"},
         kRunColumns);
}

/// A message of this type with one field set, apart from that as `message`.
template <typename Message>
Message WithOther(const Message& message, const google::protobuf::FieldDescriptor& field) {
  Message other = message;
  const auto& reflection = *other.GetReflection();
  if (field.is_repeated()) {
    if (field.message_type() != nullptr) reflection.AddMessage(&other, &field);
    if (field.message_type() == nullptr) reflection.AddDouble(&other, &field, 1);
    return other;
  }
  using Type = google::protobuf::FieldDescriptor;
  if (field.cpp_type() == Type::CPPTYPE_STRING) reflection.SetString(&other, &field, "other");
  if (field.cpp_type() == Type::CPPTYPE_DOUBLE) reflection.SetDouble(&other, &field, 7);
  if (field.cpp_type() == Type::CPPTYPE_BOOL) reflection.SetBool(&other, &field, true);
  if (field.cpp_type() == Type::CPPTYPE_UINT32) reflection.SetUInt32(&other, &field, 7);
  if (field.cpp_type() == Type::CPPTYPE_ENUM) reflection.SetEnumValue(&other, &field, 1);
  return other;
}

/// Whether keys differ by just what the columns have, also by each field of the lists in them.
template <typename Message>
void ExpectKeysOf(const auto& columns) {
  const std::vector<std::string> names = absl::StrSplit(columns.List(), ", ");
  for (int i = 0; i < Message::descriptor()->field_count(); ++i) {
    const auto& field = *Message::descriptor()->field(i);
    const bool is_column = std::count(names.begin(), names.end(), field.name()) > 0;
    EXPECT_EQ(columns.Key(WithOther(Message(), field)) != columns.Key(Message()), is_column)
        << field.full_name();
  }
}

TEST(Tables, KeysDifferWhereColumnsDo) {
  ExpectKeysOf<v1::Measurement>(kMetricColumns);
  ExpectKeysOf<v1::Series>(kShapeColumns);
  ExpectKeysOf<v1::RankRecord>(kHostColumns);
  for (int i = 0; i < v1::Dimension::descriptor()->field_count(); ++i) {
    v1::Series one;
    *one.add_dimensions() = WithOther(v1::Dimension(), *v1::Dimension::descriptor()->field(i));
    v1::Series none;
    none.add_dimensions();
    EXPECT_NE(kShapeColumns.Key(one), kShapeColumns.Key(none));
  }
  for (int i = 0; i < v1::Column::descriptor()->field_count(); ++i) {
    v1::Series one;
    *one.add_columns() = WithOther(v1::Column(), *v1::Column::descriptor()->field(i));
    v1::Series none;
    none.add_columns();
    EXPECT_NE(kShapeColumns.Key(one), kShapeColumns.Key(none));
  }
}

TEST(Tables, KeysOfNeighboursAreNotMixedUp) {
  v1::Measurement one;
  one.set_name("ab");
  v1::Measurement other;
  other.set_name("a");
  other.set_unit("b");
  EXPECT_NE(kMetricColumns.Key(one), kMetricColumns.Key(other));
}

class BenchmarkStore : public ::testing::TestWithParam<EngineKind> {
 protected:
  void SetUp() override {
    engine_ = MakeEngine(GetParam());
    if (engine_ == nullptr) GTEST_SKIP() << "PostgreSQL is not installed";
    store_ = engine_->OpenStore();
  }

  std::int64_t Count(const std::string& table) { return engine_->Count(table); }
  std::string Text(const std::string& sql) { return engine_->Text(sql); }
  void Commit(const std::vector<Record>& records) {
    ASSERT_EQ(store_->Commit(records), absl::OkStatus());
  }
  JobEnded EndOf(JobId job) { return std::get<JobEnded>(store_->Find(job)->state); }

  static constexpr const char* kTablesOfJobs[] = {"job",          "ended",  "place",   "benchmark",
                                                  "measured",     "series", "refused", "rank",
                                                  "part_failure", "stage",  "artifact"};

  std::unique_ptr<TestEngine> engine_;
  std::unique_ptr<Store> store_;
};

INSTANTIATE_TEST_SUITE_P(Engines, BenchmarkStore, kEngineKinds, EngineName);

TEST_P(BenchmarkStore, FoundJobHasItsBenchmarkWhole) {
  Commit({Placed(7, 1, 1), EndedWith(7, FullResult())});
  ASSERT_NE(EndOf(7).benchmark.get(), nullptr);
  EXPECT_EQ(EndOf(7), EndedWith(7, FullResult()));
}

// Outputs that are missing are not made up, and a place that no worker has named is none.
TEST_P(BenchmarkStore, OddResultsComeBackAsTheyWere) {
  v1::BenchmarkResult odd = ResultOf("fio");
  odd.add_ranks()->add_stages()->mutable_err()->set_bytes(7);
  odd.add_ranks()->add_stages()->add_files()->set_name("/tmp/x");
  odd.add_series()->add_columns()->set_better(v1::BETTER_LOWER);
  odd.mutable_timeline()->set_parsed_ns(std::uint64_t{1} << 63);
  Commit({Accepted(7), EndedWith(7, odd)});
  EXPECT_EQ(*EndOf(7).benchmark.get(), odd) << EndOf(7).benchmark.get()->ShortDebugString();
}

TEST_P(BenchmarkStore, EmptyBenchmarkAndRefusalAreKeptToo) {
  JobEnded refused = Ended(8);
  refused.refused = "measurements[0].value is not finite";
  Commit({Accepted(7, ""), EndedWith(7, ResultOf("fio")), Accepted(8), refused});
  EXPECT_EQ(EndOf(7), EndedWith(7, ResultOf("fio")));
  EXPECT_EQ(EndOf(8), refused);
}

TEST_P(BenchmarkStore, SameNamesAreStoredOnce) {
  for (JobId id = 1; id <= 50; ++id) Commit({Accepted(id), EndedWith(id, FullResult())});
  EXPECT_EQ(Count("measured"), 150);
  EXPECT_EQ(Count("metric"), 3);
  EXPECT_EQ(Count("shape"), 3);
  EXPECT_EQ(Count("host"), 3);
}

TEST_P(BenchmarkStore, GroupThatIsCommittedAgainChangesNothing) {
  const std::vector<Record> group = {SweepCreated(), Placed(1, 1, 1), EndedWith(1, FullResult())};
  Commit(group);
  Commit(group);
  EXPECT_EQ(Count("measured"), 3);
  EXPECT_EQ(Count("place"), 1);
  EXPECT_EQ(Count("permutation"), 2);
}

// What was found in a transaction that came to nothing must not be referred to by the next one.
TEST_P(BenchmarkStore, NamesOfARolledBackGroupAreWrittenAgain) {
  JobAccepted other = Accepted(1);
  other.spec = "another";
  Commit({Accepted(1)});
  EXPECT_TRUE(absl::IsAlreadyExists(
      store_->Commit(std::vector<Record>{Placed(2, 1, 1), EndedWith(2, FullResult()), other})));
  // PostgreSQL's are in a transaction of their own and stay.
  EXPECT_EQ(Count("metric"), GetParam() == EngineKind::kSqlite ? 0 : 3);
  Commit({Placed(2, 1, 1), EndedWith(2, FullResult())});
  EXPECT_EQ(EndOf(2), EndedWith(2, FullResult()));
  EXPECT_EQ(Text("run FROM run_job WHERE job = 2"), "sweep");
}

TEST_P(BenchmarkStore, ForgottenJobsLeaveNothingBehind) {
  JobEnded refused = Ended(3);
  refused.refused = "why";
  Commit({SweepCreated(), Placed(1, 1, 1), EndedWith(1, FullResult()), Accepted(2, ""),
          EndedWith(2, FullResult()), Accepted(3), refused});
  ASSERT_EQ(*store_->Forget({.keep_at_most = 0}, 10), 3u);
  for (const char* table : kTablesOfJobs) EXPECT_EQ(Count(table), 0) << table;
  EXPECT_EQ(Count("permutation"), 0);
  EXPECT_EQ(Text("number FROM run"), "0");
  EXPECT_EQ(Count("run"), 1);
}

TEST_P(BenchmarkStore, RunStaysWhileOneOfItsJobsIsKept) {
  Commit({SweepCreated(), Placed(1, 1, 1), Ended(1, 10), Placed(2, 1, 2), Ended(2, 20)});
  ASSERT_EQ(*store_->Forget({.keep_at_most = 1}, 10), 1u);
  EXPECT_EQ(Text("definition FROM run WHERE id = 'sweep'"), "kind: BenchmarkSet\n");
  ASSERT_EQ(*store_->Forget({.keep_at_most = 0}, 10), 1u);
  EXPECT_EQ(Count("run WHERE id = 'sweep'"), 0);
  Commit({Placed(3, 1, 1)});  // and can be begun again
  EXPECT_EQ(Text("run FROM run_job WHERE job = 3"), "sweep");
}

TEST_P(BenchmarkStore, SeriesAreRowsForWhoLooks) {
  Commit({Accepted(7, ""), EndedWith(7, FullResult())});
  EXPECT_EQ(Count("series_value"), 3);
  EXPECT_EQ(engine_->Rows("SELECT series, row, by, at, name, value, unit,"
                          " dimensions ->> 'stream' FROM series_value LIMIT 1"),
            (std::vector<std::vector<std::string>>{
                {"throughput_over_time", "1", "time", "1", "throughput", "9.5", "Gbit/s", "1"}}));
  EXPECT_EQ(engine_->Rows("SELECT job, node, name, round(wall_s) = 7 FROM rank_stage"
                          " WHERE rank = 0"),
            (std::vector<std::vector<std::string>>{
                {"7", "node-1", "server", GetParam() == EngineKind::kSqlite ? "1" : "true"}}));
}

}  // namespace
}  // namespace twofold::results
