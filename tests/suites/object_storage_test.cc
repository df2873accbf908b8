#include "suites/object_storage/object_storage.h"

#include <absl/strings/str_cat.h>
#include <gmock/gmock.h>
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "lib/stats/histogram.h"
#include "lib/suite/latencies.h"
#include "suites/table/table.h"
#include "tests/suites/samples.h"

namespace twofold::suite {
namespace {

using ::testing::HasSubstr;
using Report = v1::suites::ObjectStorageReport;
using Times = std::vector<std::int64_t>;  // milliseconds

stats::Histogram HistogramOf(const Times& times) {
  stats::Histogram histogram;
  for (const std::int64_t ms : times) histogram.Record(std::chrono::milliseconds(ms));
  return histogram;
}

/// GETs of 1 MiB that took so long, all in the first of two seconds.
Report ReportOf(std::uint32_t loader, const Times& times) {
  Report report;
  report.set_version("0.1.0");
  report.set_loader(loader);
  report.set_measured_seconds(2);
  report.set_full_seconds(2);
  report.set_ended("duration");
  Report::Operation& get = *report.add_operations();
  get.set_name("GET");
  get.set_count(times.size());
  get.set_bytes(times.size() << 20);
  get.set_full_count(times.size());
  get.set_full_bytes(times.size() << 20);
  get.set_asked_share(100);
  *get.mutable_last_byte() = ToMessage(HistogramOf(times));
  get.add_count_by_second(times.size());
  get.add_count_by_second(0);
  get.add_bytes_by_second(times.size() << 20);
  get.add_bytes_by_second(0);
  return report;
}

void AddErrors(Report& report, std::uint64_t count, std::uint32_t code, const char* cause) {
  report.mutable_operations(0)->set_errors(report.operations(0).errors() + count);
  Report::Failure& failure = *report.add_failures();
  failure.set_operation("GET");
  failure.set_code(code);
  failure.set_cause(cause);
  failure.set_count(count);
  failure.set_example("obj-7: no");
}

StageOutput Printed(std::uint32_t rank, const std::string& text) {
  StageOutput output{.rank = rank, .stage = "objects", .out = text};
  output.exit_code = 0;
  return output;
}

StageOutput Printed(const Report& report) {
  std::string text;
  EXPECT_TRUE(google::protobuf::util::MessageToJsonString(report, &text).ok());
  return Printed(report.loader(), text + "\n");
}

Outputs OfLoaders(const std::vector<Report>& reports) {
  Outputs outputs;
  outputs.spec = absl::StrCat(R"({"bucket":"b","nodecount":)", reports.size(), "}");
  for (const Report& report : reports) outputs.stages.push_back(Printed(report));
  return outputs;
}

Result<Measurements> Parse(const Outputs& outputs) {
  return FindSuite("object-storage")->parse(outputs);
}

/// The one with this name of the worker; REQUIRES: there is exactly one.
double Of(const std::string& worker, const std::string& name, const Measurements& result) {
  std::vector<double> values;
  for (const Measurement& one : result.measurements) {
    const bool is_its = std::any_of(
        one.dimensions.begin(), one.dimensions.end(),
        [&](const Dimension& dimension) { return dimension == Dimension("worker", worker); });
    if (one.name == name && is_its) values.push_back(one.value);
  }
  EXPECT_EQ(values.size(), 1U) << name << " of worker " << worker;
  return values.empty() ? -1 : values.front();
}

TEST(ObjectStoragePlan, LoadersMeetAtThePortOfTheFirst) {
  const auto plan = FindSuite("object-storage")
                        ->plan(R"({"bucket": "b", "nodecount": 3,
      "protocol": "s3", "endpoint": "http://store:9000", "pctput": 20, "minsize": "64K",
      "duration": "30s", "seed": 7, "cafile": "/etc/ca.crt", "filelist": "names"})",
                               GangOf(3));
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->ending, Ending::kEveryRank);
  EXPECT_EQ(plan->ranks[1].paths, (std::vector<std::string>{"names", "/etc/ca.crt"}));
  ExpectGolden("object_storage/plan_three.txt", Text(*plan));
}

TEST(ObjectStoragePlan, OneLoaderMeetsNobody) {
  const auto plan = FindSuite("object-storage")->plan(R"({"bucket": "b"})", GangOf(1));
  ASSERT_TRUE(plan.ok()) << plan.status();
  ExpectGolden("object_storage/plan_one.txt", Text(*plan));
}

TEST(ObjectStoragePlan, TwoGangsMeetAtDifferentPorts) {
  Gang gang = GangOf(2);
  const Suite& suite = *FindSuite("object-storage");
  const std::string spec = R"({"bucket": "b", "nodecount": 2})";
  gang.name = "job-17-1";
  const auto first = suite.plan(spec, gang);
  gang.name = "job-17-2";
  const auto second = suite.plan(spec, gang);
  EXPECT_NE(first->ranks[0].stages[0].argv[1], second->ranks[0].stages[0].argv[1]);
}

TEST(ObjectStoragePlan, AnAddressOfIpv6StandsInBrackets) {
  Gang gang = GangOf(2);
  gang.members[0].address = "fd00::1";
  const auto plan = FindSuite("object-storage")->plan(R"({"bucket":"b","nodecount":2})", gang);
  EXPECT_THAT(plan->ranks[1].stages[0].argv[1], HasSubstr("--barrier=[fd00::1]:2"));
}

TEST(ObjectStorageParse, LoadersAreMergedAsIfTheyWereOne) {
  Times all;
  std::vector<Report> reports;
  for (std::uint32_t loader = 0; loader < 3; ++loader) {
    Times times;  // of unequal number, so that a mean of means would show
    for (std::int64_t i = 0; i < 10 << loader; ++i) times.push_back(1 + loader * 100 + i);
    all.insert(all.end(), times.begin(), times.end());
    reports.push_back(ReportOf(loader, times));
  }
  const auto result = Parse(OfLoaders(reports));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_TRUE(result->failures.empty());
  EXPECT_EQ(result->tool, "twofold-objects 0.1.0");
  const stats::Histogram whole = HistogramOf(all);
  const auto us = [](Duration time) { return static_cast<double>(time.count()) / 1000; };
  EXPECT_DOUBLE_EQ(Of("all", "latency_mean", *result), us(*whole.Mean()));
  EXPECT_DOUBLE_EQ(Of("all", "latency_p50", *result), us(*whole.Quantile(0.5)));
  EXPECT_DOUBLE_EQ(Of("all", "latency_p99", *result), us(*whole.Quantile(0.99)));
  EXPECT_DOUBLE_EQ(Of("all", "latency_max", *result), us(*whole.Max()));
  EXPECT_DOUBLE_EQ(Of("all", "rate", *result), 70 / 2.0);
  EXPECT_DOUBLE_EQ(Of("all", "bandwidth", *result), 70 / 2.0);
  EXPECT_DOUBLE_EQ(Of("1", "rate", *result), 20 / 2.0);
  const auto seconds = std::find_if(result->series.begin(), result->series.end(),
                                    [](const Series& one) { return one.name == "seconds"; });
  ASSERT_NE(seconds, result->series.end());
  EXPECT_EQ(seconds->rows, (std::vector<std::vector<double>>{{0, 70, 70, 0}, {1, 0, 0, 0}}));
}

TEST(ObjectStorageParse, TheTailIsNoPartOfARate) {
  Report early = ReportOf(0, {5, 5, 5, 5});
  early.set_full_seconds(1);
  early.mutable_operations(0)->set_full_count(3);
  const auto result = Parse(OfLoaders({early, ReportOf(1, {5, 5})}));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_DOUBLE_EQ(Of("0", "rate", *result), 3);
  EXPECT_DOUBLE_EQ(Of("all", "rate", *result), 3 + 1) << "they work at the same time";
}

StageOutput SavedReport(std::uint32_t rank, const std::string& name) {
  return Printed(rank, Sample("object_storage/" + name));
}

TEST(ObjectStorageParse, RealReportsGiveTheirNumbers) {
  ExpectGoldenNumbers("object-storage", "object_storage/one.json");
  const Outputs two = {R"({"bucket": "bench", "nodecount": 2})",
                       {SavedReport(0, "two0.json"), SavedReport(1, "two1.json")}};
  const auto result = Parse(two);
  ASSERT_TRUE(result.ok()) << result.status();
  ExpectGolden("object_storage/two.csv", CsvRows("two", *result));
}

TEST(ObjectStorageParse, RealFailuresAreToldInTheirOwnWords) {
  for (const auto& [name, words] :
       {std::pair{"refused", "bucket: connection refused (exit code 1)"},
        std::pair{"missing", "bucket: HTTP 404 (404) (exit code 1)"},
        std::pair{"alone", "barrier: loader 0 at 127.0.0.1:28112 did not let go within 2 s"}}) {
    StageOutput output = Printed(0, "");
    output.err = Sample(absl::StrCat("object_storage/", name, ".err"));
    output.exit_code = 1;
    EXPECT_TRUE(FailsWith(Parse({"", {output}}), words)) << name;
  }
}

TEST(ObjectStorageParse, AnInterruptedRunIsNoneHoweverItEnded) {
  for (const int exit_code : {0, 3}) {
    StageOutput output = SavedReport(0, "interrupted.json");
    output.exit_code = exit_code;
    EXPECT_TRUE(FailsWith(Parse({"", {output}}), "interrupted before its end"));
  }
}

TEST(ObjectStorageParse, AtARateTheLatencyFromThePlannedStartIsTheHeadline) {
  Report report = ReportOf(0, {5});
  *report.mutable_operations(0)->mutable_planned() = ToMessage(HistogramOf({50}));
  const auto result = Parse(OfLoaders({report}));
  ASSERT_TRUE(result.ok()) << result.status();
  for (const Measurement& one : result->measurements) {
    if (one.name.ends_with("latency_p99")) {
      EXPECT_EQ(one.headline, one.name == "planned_latency_p99") << one.name;
    }
  }
  EXPECT_GT(Of("all", "planned_latency_p99", *result), 49'000);
}

TEST(ObjectStorageParse, WhatRequestsThatNeverEndedHideIsLeftOut) {
  Report report = ReportOf(0, {5, 5, 5});
  auto& operation = *report.mutable_operations(0);
  *operation.mutable_planned() = ToMessage(HistogramOf({50, 60, 70}));
  *operation.mutable_open() = ToMessage(HistogramOf({1500}));
  const auto result = Parse(OfLoaders({report}));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(Of("all", "never_ended", *result), 1);
  EXPECT_NEAR(Of("all", "planned_latency_p50", *result), 60'000, 600);
  for (const Measurement& one : result->measurements) {
    EXPECT_NE(one.name, "planned_latency_p99");
    EXPECT_NE(one.name, "planned_latency_mean");
  }
}

TEST(ObjectStorageParse, ErrorsAreCountedByKindAndFailNothingAlone) {
  Report first = ReportOf(0, {5, 5, 5});
  AddErrors(first, 2, 503, "SlowDown");
  Report second = ReportOf(1, {5});
  AddErrors(second, 3, 503, "SlowDown");
  AddErrors(second, 1, 0, "timeout");
  const auto result = Parse(OfLoaders({first, second}));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_TRUE(result->failures.empty());
  EXPECT_DOUBLE_EQ(Of("all", "errors", *result), 6);
  EXPECT_DOUBLE_EQ(Of("all", "error_share", *result), 60);
  EXPECT_DOUBLE_EQ(ValueOf(*result, "failures", "SlowDown"), 5);
  EXPECT_DOUBLE_EQ(ValueOf(*result, "failures", "timeout"), 1);
}

TEST(ObjectStorageParse, WithoutASuccessTheJobHasFailedAndSaysWhy) {
  Report report = ReportOf(0, {});
  AddErrors(report, 17, 403, "AccessDenied");
  Outputs outputs = OfLoaders({report});
  for (const int exit_code : {0, 1}) {
    outputs.stages[0].exit_code = exit_code;
    EXPECT_TRUE(
        FailsWith(Parse(outputs), "no request succeeded; GET: AccessDenied (403), 17 times"));
  }
  EXPECT_TRUE(FailsWith(Parse(OfLoaders({ReportOf(0, {})})), "no request was made"));
}

TEST(ObjectStorageParse, ACauseIsSaidBeforeWhatFollowsFromItHoweverOftenThatCame) {
  Report report = ReportOf(0, {});
  AddErrors(report, 900, 404, "NoSuchKey");
  AddErrors(report, 3, 403, "AccessDenied");
  EXPECT_TRUE(FailsWith(Parse(OfLoaders({report})),
                        "no request succeeded; GET: AccessDenied (403), 3 times"));
}

TEST(ObjectStorageParse, ALostLoaderIsNamedAndThereIsNoTotal) {
  Outputs outputs = OfLoaders({ReportOf(0, {5}), ReportOf(1, {5}), ReportOf(2, {5})});
  outputs.stages.erase(outputs.stages.begin() + 1);
  const auto result = Parse(outputs);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->failures, (std::vector<Failure>{{"objects of worker 1", "no output"}}));
  EXPECT_DOUBLE_EQ(Of("2", "rate", *result), 0.5);
  for (const Measurement& one : result->measurements) {
    EXPECT_FALSE(one.headline) << one.name << ": a total without worker 1";
  }
}

TEST(ObjectStorageParse, AFailedLoaderIsNamedWithItsOwnWords) {
  Outputs outputs = OfLoaders({ReportOf(0, {5}), ReportOf(1, {5})});
  outputs.stages[1].exit_code = 1;
  outputs.stages[1].out.clear();
  outputs.stages[1].err = "10 s: 5 GET\ntwofold-objects: barrier: loader 0 is gone\n";
  const auto result = Parse(outputs);
  ASSERT_TRUE(result.ok()) << result.status();
  ASSERT_EQ(result->failures.size(), 1U);
  EXPECT_EQ(result->failures[0].stage, "objects of worker 1");
  EXPECT_THAT(result->failures[0].reason, HasSubstr("barrier: loader 0 is gone"));
  EXPECT_THAT(result->failures[0].reason, HasSubstr("(exit code 1)"));
}

TEST(ObjectStorageParse, WhatEndsWithZeroButIsNoWholeReportHasFailed) {
  Report report = ReportOf(0, {5});
  report.set_interrupted(true);
  EXPECT_TRUE(FailsWith(Parse(OfLoaders({report})), "interrupted"));
  EXPECT_TRUE(FailsWith(Parse({"", {Printed(0, "")}}), "objects of worker 0"));
  EXPECT_TRUE(FailsWith(Parse({"", {Printed(0, "{}")}}), "no measured time"));
  EXPECT_TRUE(FailsWith(Parse({"", {Printed(0, R"({"speling": 1})")}}), "no report"));
  EXPECT_TRUE(FailsWith(Parse({"", {}}), "no output"));
}

TEST(ObjectStorageParse, AReportThatDisagreesWithItselfIsRefused) {
  Report counts = ReportOf(0, {5, 5});
  counts.mutable_operations(0)->set_count(3);
  EXPECT_TRUE(FailsWith(Parse(OfLoaders({counts})), "latencies of another number"));
  Report seconds = ReportOf(0, {5, 5});
  seconds.mutable_operations(0)->set_count_by_second(0, 1);
  EXPECT_TRUE(FailsWith(Parse(OfLoaders({seconds})), "seconds of another number"));
  Report twice = ReportOf(0, {5});
  Outputs outputs = OfLoaders({twice, ReportOf(1, {5})});
  outputs.stages[1].rank = 0;
  const auto result = Parse(outputs);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->failures, (std::vector<Failure>{{"objects of worker 0", "two reports"},
                                                    {"objects of worker 1", "no output"}}));
}

TEST(ObjectStorageParse, AReportThatIsCutOffIsNone) {
  const std::string whole = Printed(ReportOf(0, {1, 2, 3})).out;
  for (std::size_t bytes = 0; bytes + 2 < whole.size(); bytes += 7) {
    EXPECT_FALSE(Parse({"", {Printed(0, whole.substr(0, bytes))}}).ok()) << bytes;
  }
  EXPECT_TRUE(Parse({"", {Printed(0, "a line before\n" + whole)}}).ok());
}

}  // namespace
}  // namespace twofold::suite
