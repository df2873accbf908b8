// What workers report, on its way into tables: benchmarks, other data, and bytes of all kinds.

#include "lib/results/report_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "lib/results/benchmark_check.h"
#include "tests/lib/results/benchmark_samples.h"
#include "twofold/v1/queue.pb.h"

namespace twofold::results {
namespace {

JobEnded EndedWithData(const std::string& data) {
  v1::Report report;
  report.set_exit_code(3);
  report.set_output("the last lines");
  report.set_data(data);
  JobEnded ended = Ended(7);
  ended.report = report.SerializeAsString();
  return ended;
}

JobEnded Read(ReportReader& reader, const JobEnded& ended) {
  Record record = ended;
  reader.Read(record);
  return std::get<JobEnded>(record);
}

TEST(ReportReader, TakesABenchmarkOutOfTheReport) {
  ReportReader reader;
  const auto ended = Read(reader, EndedWithData(FullResult().SerializeAsString()));
  ASSERT_NE(ended.benchmark.get(), nullptr);
  EXPECT_EQ(*ended.benchmark.get(), FullResult());
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
    const JobEnded before = EndedWithData(data);
    EXPECT_EQ(Read(reader, before), before);
  }
  EXPECT_EQ(reader.other(), 4u);  // no data at all is not counted
  EXPECT_EQ(reader.refused() + reader.taken(), 0u);
}

TEST(ReportReader, LeavesReportsThatAreNone) {
  ReportReader reader;
  JobEnded ended = Ended(7);
  ended.report = "\xff\xff\xff";
  EXPECT_EQ(Read(reader, ended), ended);
  EXPECT_EQ(reader.other(), 0u);
}

TEST(ReportReader, RefusesAWholeResultForOneBadNumberAndSaysWhich) {
  ReportReader reader;
  v1::BenchmarkResult result = FullResult();
  result.mutable_measurements(1)->set_value(std::numeric_limits<double>::quiet_NaN());
  const JobEnded before = EndedWithData(result.SerializeAsString());
  const JobEnded after = Read(reader, before);
  EXPECT_EQ(after.refused, "measurements[1].value is not finite");
  EXPECT_EQ(after.report, before.report) << "it is kept as it came";
  EXPECT_EQ(after.benchmark.get(), nullptr);
  EXPECT_EQ(reader.refused(), 1u);
}

TEST(ReportReader, DifferentRecordsPassThrough) {
  ReportReader reader;
  Record record = Accepted(7);
  reader.Read(record);
  EXPECT_EQ(record, Record(Accepted(7)));
}

// Bytes of a hostile worker: whatever is taken may be stored, all else stays in the report.
TEST(ReportReader, GarbledResultsAreTakenOrLeftWhole) {
  ReportReader reader;
  std::mt19937 random(4711);
  const std::string whole = FullResult().SerializeAsString();
  for (int i = 0; i < 5'000; ++i) {
    std::string data = whole.substr(0, i % 4 == 0 ? random() % whole.size() : whole.size());
    for (std::uint32_t n = random() % 4; n > 0 && !data.empty(); --n) {
      data[random() % data.size()] = static_cast<char>(random());
    }
    const JobEnded before = EndedWithData(data);
    const JobEnded after = Read(reader, before);
    if (const v1::BenchmarkResult* const benchmark = after.benchmark.get()) {
      ASSERT_TRUE(Check(*benchmark).ok());
    } else {
      ASSERT_EQ(after.report, before.report);
    }
  }
  EXPECT_GT(reader.taken(), 250u);
  EXPECT_GT(reader.other(), 250u);
  EXPECT_GT(reader.refused(), 2u);
}

}  // namespace
}  // namespace twofold::results
