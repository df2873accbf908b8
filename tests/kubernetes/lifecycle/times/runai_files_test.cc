#include "kubernetes/lifecycle/times/runai_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "kubernetes/lifecycle/moments/observer.h"
#include "kubernetes/lifecycle/times/choice.h"
#include "tests/kubernetes/lifecycle/golden.h"
#include "tests/kubernetes/lifecycle/objects.h"
#include "tests/kubernetes/lifecycle/times/span_of.h"

namespace twofold::lifecycle {
namespace {

std::string Submitted(const std::string& name = "j-1",
                      const std::string& time = "2026-11-23T10:00:00.250000+00:00") {
  return R"([{"jobName": ")" + name + R"(", "projectName": "p", "jobNamespace": "runai-p",
            "submitTimestamp": ")" +
         time + R"("}])";
}

Object SampledEntry() {
  Object entry = {{"jobName", "j-1"}, {"jobNamespace", "runai-p"}, {"projectName", "p"}};
  int second = 1;
  for (const char* key :
       {"workloadCreatedTimestamp", "jobCreatedTimestamp", "firstPodCreatedTimestamp",
        "lastPodCreatedTimestamp", "podGroupCreatedTimestamp", "podSchedulingDecisionTimestamp"}) {
    entry[key] = "2026-11-23T10:00:0" + std::to_string(second++) + "Z";
  }
  for (const char* key :
       {"firstEvictionTimestamp", "firstPVCBindRequestTimestamp", "firstPVCBindTimestamp"}) {
    entry[key] = entry["podSchedulingDecisionTimestamp"];
  }
  entry["backendJobCreatedTimestamp"] = entry["workloadCreatedTimestamp"];
  return entry;
}

std::string Listed(const Object& entry) { return Object::array({entry}).dump(); }

std::vector<std::string> Cells(const std::string& line) {
  std::vector<std::string> cells(1);
  for (const char c : line) {
    if (c == ',') {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  return cells;
}

TEST(RunaiFiles, BothFilesMeetByNamespaceAndName) {
  const auto data = ReadRunai(Submitted(), Listed(SampledEntry()));
  ASSERT_TRUE(data.ok()) << data.status();
  ASSERT_EQ(data->rows.size(), 1U);
  const Report report = ReportOf(*data);
  const SpanSummary& total = SpanOf(report, "total_decision");
  EXPECT_NEAR(total.least, 6.25, 1e-9);
  EXPECT_NEAR(total.quantiles[0].value, 6.25, 1e-9);
  EXPECT_EQ(total.inexact, 1U);
}

TEST(RunaiFiles, WhatTheToolWritesForNoneIsNone) {
  const auto data = ReadRunai(Submitted(), Listed(SampledEntry()));
  const Report report = ReportOf(*data);
  for (const char* name : {"first_eviction", "pvc_request", "pvc_bind", "backend_creation"}) {
    EXPECT_EQ(SpanOf(report, name).n, 0U) << name;
  }
}

/// Two workloads, and the second has `field` at a time of its own.
Report WithOneOther(const char* field) {
  Object other = SampledEntry();
  other["jobName"] = "j-2";
  other[field] = "2026-11-23T10:00:09Z";
  return ReportOf(*ReadRunai(Submitted(), Object::array({SampledEntry(), other}).dump()));
}

TEST(RunaiFiles, ABackendsEqualTimeIsATimeIfAnotherWorkloadHasOne) {
  const Report report = WithOneOther("backendJobCreatedTimestamp");
  EXPECT_EQ(SpanOf(report, "backend_creation").n, 2U);
  EXPECT_EQ(report.notes.size(), 3U);
}

TEST(RunaiFiles, AnEqualTimeThatMayMeanNoneIsLeftOutAndSaid) {
  for (const auto& [field, span] : {std::pair{"firstEvictionTimestamp", "first_eviction"},
                                    {"firstPVCBindRequestTimestamp", "pvc_request"}}) {
    const Report report = WithOneOther(field);
    EXPECT_EQ(SpanOf(report, span).n, 1U);
    ASSERT_EQ(report.notes.size(), 4U) << field;
    EXPECT_NE(report.notes.back().find(std::string(": ") + field + " 1;"), std::string::npos)
        << report.notes.back();
  }
}

TEST(RunaiFiles, YearsOfMoreThanFourDigitsAreNoTime) {
  for (const char* far :
       {"99999-01-01T00:00:00Z", "292277026596-01-01T00:00:00Z", "-292277022399-01-01T00:00:00Z"}) {
    EXPECT_FALSE(ReadRunai(Submitted("j-1", far), Listed(SampledEntry())).ok()) << far;
  }
  EXPECT_TRUE(ReadRunai(Submitted("j-1", "0001-01-01T00:00:00Z"), Listed(SampledEntry())).ok());
}

TEST(RunaiFiles, ABindIsMeasuredFromItsRequestAndNotFromItself) {
  Object entry = SampledEntry();
  entry["firstPVCBindRequestTimestamp"] = "2026-11-23T10:00:07Z";
  entry["firstPVCBindTimestamp"] = "2026-11-23T10:00:09Z";
  const Report report = ReportOf(*ReadRunai(Submitted(), Listed(entry)));
  EXPECT_EQ(SpanOf(report, "pvc_bind").mean, 2.0);
}

TEST(RunaiFiles, EachColumnHasItsHeading) {
  Object entry = SampledEntry();
  entry["firstEvictionTimestamp"] = "2026-11-23T10:00:08Z";
  const auto data = ReadRunai(Submitted(), Listed(entry));
  const std::string csv = RunaiTimesCsv(data->rows);
  const auto heading = Cells(csv.substr(0, csv.find('\n')));
  const auto row = Cells(csv.substr(csv.find('\n') + 1, csv.rfind('\n') - csv.find('\n') - 1));
  EXPECT_EQ(heading.size(), 26U);
  ASSERT_EQ(row.size(), 26U);
  const auto cell = [&](const std::string& name) {
    return row[static_cast<std::size_t>(std::find(heading.begin(), heading.end(), name) -
                                        heading.begin())];
  };
  EXPECT_EQ(cell("First Eviction"), "2026-11-23 10:00:08");
  EXPECT_EQ(cell("Workload Submitted"), "2026-11-23 10:00:00.25");
  EXPECT_EQ(cell("First Eviction (s)"), "3");
  EXPECT_EQ(cell("Total Pod Scheduling Decision (s)"), "6.25");
  EXPECT_EQ(cell("First PVC Bind"), "");
}

TEST(RunaiFiles, ASubmitTimeOnTheFullSecondIsStillExact) {
  const auto data =
      ReadRunai(Submitted("j-1", "2026-11-23T10:00:00+00:00"), Listed(SampledEntry()));
  EXPECT_NEAR(SpanOf(ReportOf(*data), "workload_creation").least, 1.5, 1e-9);
}

TEST(RunaiFiles, LostAndUnknownWorkloadsAreCounted) {
  const auto data = ReadRunai(Submitted("j-2"), Listed(SampledEntry()));
  ASSERT_TRUE(data.ok());
  EXPECT_EQ(data->not_sampled, std::vector<std::string>{"j-2"});
  EXPECT_EQ(data->not_submitted, std::vector<std::string>{"j-1"});
  EXPECT_EQ(SpanOf(ReportOf(*data), "total_decision").n, 0U);
}

TEST(RunaiFiles, ANameThatWasSubmittedTwiceIsSaid) {
  Object list = Object::parse(Submitted());
  list.push_back(list[0]);
  list[1]["submitTimestamp"] = "2026-11-23T10:00:01.000001+00:00";
  const auto data = ReadRunai(list.dump(), Listed(SampledEntry()));
  EXPECT_EQ(data->resubmitted, std::vector<std::string>{"j-1"});
}

TEST(RunaiFiles, ErrorsNameFileEntryAndField) {
  const auto message = [](const std::string& submitted, const std::string& sampled) {
    const Status status = ReadRunai(submitted, sampled).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    return std::string(status.message());
  };
  const std::string good = Listed(SampledEntry());
  EXPECT_EQ(message("", good).find("submitted.json: no JSON list"), 0U);
  EXPECT_EQ(message(Submitted().substr(0, 30), good).find("submitted.json: no JSON list"), 0U);
  EXPECT_EQ(message("[5]", good).find("submitted.json: entry 0: jobName"), 0U);
  EXPECT_EQ(message(Submitted("j-1", "soon"), good),
            "submitted.json: entry 0: submitTimestamp: no time in ISO 8601");
  Object entry = SampledEntry();
  entry.erase("lastPodCreatedTimestamp");
  EXPECT_EQ(message(Submitted(), Listed(entry)),
            "sampled.json: entry 0: lastPodCreatedTimestamp: no time in ISO 8601");
  EXPECT_EQ(message(Submitted(), Object::array({SampledEntry(), SampledEntry()}).dump()),
            "sampled.json: entry 1: jobName: 'j-1' is there twice");
  EXPECT_EQ(message(Submitted(), std::string(100000, '[')).find("sampled.json: no JSON list"), 0U);
}

TEST(RunaiFiles, TornFilesAreRefused) {
  const std::string submitted = GoldenText("runai/submitted.json");
  const std::string sampled = GoldenText("runai/sampled.json");
  ASSERT_TRUE(ReadRunai(submitted, sampled).ok());
  for (std::size_t bytes = 0; bytes < sampled.size(); bytes += 97) {
    EXPECT_FALSE(ReadRunai(submitted, sampled.substr(0, bytes)).ok()) << bytes;
  }
}

TEST(RunaiFiles, OnlyCertainErrorsAreSkipped) {
  Object odd = SampledEntry();
  // The second of the first pod: it may have been before or after it.
  odd["podGroupCreatedTimestamp"] = odd["firstPodCreatedTimestamp"];
  auto data = *ReadRunai(Submitted(), Listed(odd));
  EXPECT_EQ(SkipErrors(data), 0U);
  // That second begins when the one before has ended.
  odd["podGroupCreatedTimestamp"] = "2026-11-23T10:00:02Z";
  data = *ReadRunai(Submitted(), Listed(odd));
  EXPECT_EQ(SpanOf(ReportOf(data), "pod_group_creation").negative, 1U);
  EXPECT_EQ(SkipErrors(data), 1U);
  EXPECT_TRUE(data.rows.empty());
}

TEST(RunaiFiles, HeadGoesBeforeTail) {
  RunaiData data;
  for (int i = 0; i < 10; ++i) data.rows.push_back({.name = std::to_string(i)});
  KeepHeadAndTail(data.rows, 6, 2);
  ASSERT_EQ(data.rows.size(), 2U);
  EXPECT_EQ(data.rows.front().name, "4");
  KeepHeadAndTail(data.rows, 0, 0);
  EXPECT_EQ(data.rows.size(), 2U);
}

TEST(RunaiFiles, WhatWasObservedGoesThroughTheToolsFilesAndBack) {
  Observer observer(*FindKind("job").value(), "r1");
  ASSERT_TRUE(observer.Tell(input::Plan{"runai-p", "w", 1, At(0)}).ok());
  observer.Tell(input::Sent{"runai-p", "w", At(10)});
  Object job = Made("Job", "w", "j");
  Object pod = PodOf("w", "p1");
  job["metadata"]["namespace"] = pod["metadata"]["namespace"] = "runai-p";
  observer.Tell(input::Seen{Event::kAdded, job, At(15)});
  observer.Tell(input::Seen{Event::kAdded, pod, At(20)});
  observer.Tell(input::Seen{Event::kModified, Bound(pod), At(38)});
  const Anchor anchor{At(0), 1'795'428'000'000'000'000};
  const std::vector<RunaiWorkload> rows = {RunaiOf(observer.lives().front(), anchor)};
  EXPECT_EQ(rows.front().project, "p");
  const auto data = ReadRunai(SubmittedJson(rows), SampledJson(rows));
  ASSERT_TRUE(data.ok()) << data.status();
  ASSERT_EQ(data->rows.size(), 1U);
  const SpanSummary& total = SpanOf(ReportOf(*data), "total_decision");
  EXPECT_NEAR(total.mean, 0.028, 1e-6);
  EXPECT_EQ(total.inexact, 0U);
}

TEST(RunaiFiles, AnIncompleteWorkloadIsNotWrittenAsIfItWereComplete) {
  const RunaiWorkload row{.name = "w", .space = "n", .project = "p"};
  EXPECT_EQ(SampledJson({row}), "[]\n");
  EXPECT_EQ(SubmittedJson({row}), "[]\n");
}

}  // namespace
}  // namespace twofold::lifecycle
