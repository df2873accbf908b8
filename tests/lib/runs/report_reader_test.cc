// What workers report, on its way into tables: benchmarks, other data, and bytes of all kinds.

#include "lib/runs/report_reader.h"

#include <gmock/gmock.h>
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "lib/runs/benchmark_messages.h"
#include "tests/lib/results/benchmark_samples.h"
#include "twofold/v1/queue.pb.h"

namespace twofold::runs {
namespace {

using google::protobuf::util::MessageDifferencer;

/// A message with something in every field.
v1::BenchmarkResult FullResult() { return ToProto(results::FullBenchmark()); }

results::JobEnded EndedWithData(const std::string& data) {
  v1::Report report;
  report.set_exit_code(3);
  report.set_output("the last lines");
  report.set_data(data);
  results::JobEnded ended = results::Ended(7);
  ended.report = report.SerializeAsString();
  return ended;
}

results::JobEnded Read(ReportReader& reader, const results::JobEnded& ended) {
  results::Record record = ended;
  reader.Read(record);
  return std::get<results::JobEnded>(record);
}

TEST(BenchmarkMessages, ComeBackAsTheyWere) {
  EXPECT_EQ(FromProto(FullResult()), results::FullBenchmark());
  v1::BenchmarkResult odd;
  odd.set_suite("fio");
  odd.add_ranks()->add_stages()->mutable_err()->set_bytes(7);
  odd.add_ranks()->add_stages()->add_files()->set_name("/tmp/x");
  odd.add_series()->add_columns()->set_better(v1::BETTER_LOWER);
  EXPECT_TRUE(MessageDifferencer::Equals(ToProto(FromProto(odd)), odd))
      << ToProto(FromProto(odd)).ShortDebugString();
}

// A field that is added to the contract has to be added to the tables, or they lose it.
TEST(BenchmarkMessages, EveryFieldOfTheContractIsKept) {
  const auto* const descriptor = v1::BenchmarkResult::descriptor();
  const v1::BenchmarkResult full = FullResult();
  std::vector<const google::protobuf::FieldDescriptor*> set;
  full.GetReflection()->ListFields(full, &set);
  EXPECT_EQ(set.size(), static_cast<std::size_t>(descriptor->field_count()));
  for (const auto* part :
       {v1::StageRecord::descriptor(), v1::RankRecord::descriptor(), v1::Timeline::descriptor(),
        v1::Artifact::descriptor(), v1::Measurement::descriptor(), v1::Series::descriptor(),
        v1::Column::descriptor(), v1::PartFailure::descriptor()}) {
    const std::map<std::string, int> known = {
        {"StageRecord", 11}, {"RankRecord", 8}, {"Timeline", 5}, {"Artifact", 4},
        {"Measurement", 7},  {"Series", 4},     {"Column", 3},   {"PartFailure", 2}};
    EXPECT_EQ(part->field_count(), known.at(part->name())) << part->name();
  }
}

TEST(ReportReader, TakesABenchmarkOutOfTheReport) {
  ReportReader reader;
  const auto ended = Read(reader, EndedWithData(FullResult().SerializeAsString()));
  ASSERT_NE(ended.benchmark.get(), nullptr);
  EXPECT_EQ(*ended.benchmark.get(), results::FullBenchmark());
  v1::Report report;
  ASSERT_TRUE(report.ParseFromString(ended.report));
  EXPECT_EQ(report.data(), "");
  EXPECT_EQ(report.exit_code(), 3);
  EXPECT_EQ(report.output(), "the last lines");
  EXPECT_EQ(reader.taken(), 1u);
}

TEST(ReportReader, LeavesDataOfOtherWorkloadsAsItIs) {
  ReportReader reader;
  v1::WorkerName other;  // its first field is text, too
  other.set_node("Node 17");
  for (const std::string& data :
       {std::string("frames=400"), std::string("\x0a\x05"), std::string(1000, '\xff'),
        other.SerializeAsString(), v1::BenchmarkResult().SerializeAsString()}) {
    const results::JobEnded before = EndedWithData(data);
    EXPECT_EQ(Read(reader, before), before);
  }
  EXPECT_EQ(reader.other(), 4u);  // no data at all is not counted
  EXPECT_EQ(reader.refused() + reader.taken(), 0u);
}

TEST(ReportReader, LeavesReportsThatAreNone) {
  ReportReader reader;
  results::JobEnded ended = results::Ended(7);
  ended.report = "\xff\xff\xff";
  EXPECT_EQ(Read(reader, ended), ended);
  EXPECT_EQ(reader.other(), 0u);
}

TEST(ReportReader, RefusesAWholeResultForOneBadNumberAndSaysWhich) {
  ReportReader reader;
  v1::BenchmarkResult result = FullResult();
  result.mutable_measurements(1)->set_value(std::numeric_limits<double>::quiet_NaN());
  const results::JobEnded before = EndedWithData(result.SerializeAsString());
  const results::JobEnded after = Read(reader, before);
  EXPECT_EQ(after.refused, "measurements[1].value is not finite");
  EXPECT_EQ(after.report, before.report) << "it is kept as it came";
  EXPECT_EQ(after.benchmark.get(), nullptr);
  EXPECT_EQ(reader.refused(), 1u);
}

TEST(ReportReader, DifferentRecordsPassThrough) {
  ReportReader reader;
  results::Record record = results::Accepted(7);
  reader.Read(record);
  EXPECT_EQ(record, results::Record(results::Accepted(7)));
}

// Bytes of a hostile worker: whatever is taken may be stored, all else stays in the report.
TEST(ReportReader, GarbledResultsAreTakenOrLeftWhole) {
  ReportReader reader;
  std::mt19937 random(4711);
  const std::string whole = FullResult().SerializeAsString();
  for (int i = 0; i < 20'000; ++i) {
    std::string data = whole.substr(0, i % 4 == 0 ? random() % whole.size() : whole.size());
    for (std::uint32_t n = random() % 4; n > 0 && !data.empty(); --n) {
      data[random() % data.size()] = static_cast<char>(random());
    }
    const results::JobEnded before = EndedWithData(data);
    const results::JobEnded after = Read(reader, before);
    if (const results::Benchmark* const benchmark = after.benchmark.get()) {
      ASSERT_TRUE(Check(*benchmark).ok());
    } else {
      ASSERT_EQ(after.report, before.report);
    }
  }
  EXPECT_GT(reader.taken(), 1000u);
  EXPECT_GT(reader.other(), 1000u);
  EXPECT_GT(reader.refused(), 10u);
}

}  // namespace
}  // namespace twofold::runs
