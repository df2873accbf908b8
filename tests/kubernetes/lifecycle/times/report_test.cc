#include "kubernetes/lifecycle/times/report.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "lib/suite/plausible.h"
#include "suites/lifecycle/lifecycle.h"
#include "tests/kubernetes/lifecycle/golden.h"
#include "tests/kubernetes/lifecycle/objects.h"
#include "tests/kubernetes/lifecycle/times/span_of.h"

namespace twofold::lifecycle {
namespace {

const Anchor kAnchor{At(0), 1'795'428'000'000'000'000};

/// A run with planted truth: 100 Jobs, one each 100 ms, bound 30 ms and ready 500 ms after they
/// were sent; number 40 is refused, 50 never seen, 60 never ready, 70 seen late after a broken
/// watch.
struct Planted {
  Planted() : observer(*FindKind("job").value(), "r1") {
    for (int i = 0; i < 100; ++i) Live(i, "w" + std::to_string(100 + i));
    observer.Tell(input::CanaryWritten{"c1", At(10), At(12)});
    observer.Tell(input::CanarySeen{"c1", At(14)});
  }

  void Live(int i, const std::string& name) {
    const double sent = 100 * i;
    ASSERT_TRUE(observer.Tell(input::Plan{"load", name, 1, At(sent - 1)}).ok());
    observer.Tell(input::Sent{"load", name, At(sent)});
    if (i == 40) return observer.Tell(input::Refused{"load", name, "429 Too Many Requests"});
    observer.Tell(input::Replied{"load", name, At(sent + 3)});
    if (i == 50) return;
    Object job = Made("Job", name, "job" + name);
    Object pod = PodOf(name, "pod" + name);
    const int second = static_cast<int>(sent + 3) / 1000;  // by a server whose clock is ours
    job["metadata"]["creationTimestamp"] = "2026-11-23T10:00:0" + std::to_string(second) + "Z";
    if (i == 70) {
      observer.Tell(input::Seen{Event::kAdded, job, At(sent + 5)});
      return observer.Tell(input::Seen{Event::kListed, Ready(pod), At(sent + 2000)});
    }
    observer.Tell(input::Seen{Event::kAdded, job, At(sent + 5)});
    observer.Tell(input::Seen{Event::kAdded, pod, At(sent + 20)});
    observer.Tell(input::Seen{Event::kModified, Bound(pod), At(sent + 30)});
    if (i == 60) return;
    observer.Tell(input::Seen{Event::kModified, Running(pod), At(sent + 490)});
    observer.Tell(input::Seen{Event::kModified, Ready(pod), At(sent + 500)});
    observer.Tell(input::Seen{Event::kModified, Over(pod), At(sent + 1500)});
    observer.Tell(input::Seen{Event::kModified, Put(job, "Complete", true), At(sent + 1600)});
  }

  [[nodiscard]] Report Reported() const {
    return ReportOf(*FindKind("job").value(), observer, kAnchor, At(20000));
  }

  Observer observer;
};

std::uint64_t CountOf(const Report& report, const std::string& name) {
  for (const auto& [each, count] : report.counts) {
    if (each == name) return count;
  }
  ADD_FAILURE() << name;
  return 0;
}

TEST(Report, PlantedTimesAreRecovered) {
  const Report report = Planted().Reported();
  const SpanSummary& ready = SpanOf(report, "pod_ready");
  EXPECT_NEAR(ready.quantiles[0].value, 0.5, 1e-6);
  EXPECT_EQ(ready.n, 97U);
  EXPECT_EQ(ready.missing, 3U);
  EXPECT_EQ(ready.inexact, 1U);
  EXPECT_NEAR(SpanOf(report, "finished_to_complete").mean, 0.1, 1e-6);
  EXPECT_NEAR(SpanOf(report, "lateness").mean, 0.001, 1e-6);
}

TEST(Report, TheServersClockIsFoundToBeOurs) {
  const Report report = Planted().Reported();
  ASSERT_TRUE(report.clock_offset);
  EXPECT_LE(report.clock_offset->low, 0.0);
  EXPECT_GE(report.clock_offset->high, 0.0);
  EXPECT_LT(report.clock_offset->high - report.clock_offset->low, 0.2);
}

TEST(Report, LossesAreCounted) {
  const Report report = Planted().Reported();
  EXPECT_EQ(CountOf(report, "workloads"), 100U);
  EXPECT_EQ(CountOf(report, "refused"), 1U);
  EXPECT_EQ(CountOf(report, "never_seen"), 1U);
  EXPECT_EQ(CountOf(report, "not_ready"), 1U);
  EXPECT_EQ(CountOf(report, "complete"), 96U);
}

TEST(Report, AHighPercentileOfARunWithLossesIsUnknown) {
  const Report report = Planted().Reported();
  EXPECT_TRUE(std::isinf(SpanOf(report, "pod_ready").quantiles[2].value));
  const show::Json json = ToJson(report);
  for (const auto& span : json["spans"]) {
    EXPECT_TRUE(span["name"] != "pod_ready" || span["p99_seconds"].is_null());
  }
}

TEST(Report, SaysTheSameToPeopleAndPrograms) {
  const Report report = Planted().Reported();
  ExpectGolden("report.txt", Print(show::Form::kText, report));
  ExpectGolden("report.md", Print(show::Form::kMarkdown, report));
  ExpectGolden("report.json", ToJson(report).dump(1) + "\n");
}

/// 400 pods that are created at once and bound 20 a second; before, `meanwhile` changes them.
template <typename Change>
Report Bound20ASecond(const std::string& kind, Change meanwhile) {
  Observer observer(*FindKind(kind).value(), "r1");
  for (int i = 0; i < 400; ++i) {
    const std::string name = "w" + std::to_string(i);
    EXPECT_TRUE(observer.Tell(input::Plan{"load", name, 1, At(-2)}).ok());
    observer.Tell(input::Sent{"load", name, At(-1)});
    const Object pod = Made("Pod", name, "u" + name);
    observer.Tell(input::Seen{Event::kAdded, meanwhile(pod), At(0)});
    if (kind == "pod") observer.Tell(input::Seen{Event::kModified, pod, At(50.0 * i + 24)});
    observer.Tell(input::Seen{Event::kModified, Bound(pod), At(50.0 * i + 25)});
  }
  return ReportOf(*FindKind(kind).value(), observer, kAnchor, At(30000));
}

TEST(Report, PodsThatWaitForTheSchedulerShowItsLimit) {
  const Report report = Bound20ASecond("pod", [](const Object& pod) { return pod; });
  ASSERT_EQ(report.plateaus.size(), 1U);
  EXPECT_NEAR(report.plateaus.front().rate, 20.0, 0.1);
}

TEST(Report, APaceAboveWhatAStepCarriesIsSaidWithTheRateToTry) {
  const Report report = Bound20ASecond("pod", [](const Object& pod) { return pod; });
  ASSERT_EQ(report.notes.size(), 1U);
  EXPECT_NE(report.notes.front().find("percentiles from scheduled on are those of the queue"),
            std::string::npos);
  EXPECT_NE(report.notes.front().find("try --rate 16"), std::string::npos) << report.notes.front();
  EXPECT_TRUE(Planted().Reported().notes.empty()) << "ten a second were carried";
}

TEST(Report, PodsThatWaitForANodeOrAGateShowNoLimitOfTheScheduler) {
  const Report no_node = Bound20ASecond(
      "pod", [](Object pod) { return Put(pod, "PodScheduled", false, "Unschedulable"); });
  EXPECT_TRUE(no_node.plateaus.empty());
  const Report gated = Bound20ASecond("pod", [](Object pod) {
    pod["spec"]["schedulingGates"] = Object::array({{{"name", "quota"}}});
    return pod;
  });
  EXPECT_TRUE(gated.plateaus.empty());
}

TEST(Report, WhatWaitsForQuotaShowsNoLimitOfTheController) {
  const Kind& kind = *FindKind("kueue-job").value();
  Observer observer(kind, "r1");
  for (int i = 0; i < 400; ++i) {
    const std::string name = "w" + std::to_string(i);
    ASSERT_TRUE(observer.Tell(input::Plan{"load", name, 1, At(-2)}).ok());
    observer.Tell(input::Sent{"load", name, At(-1)});
    observer.Tell(input::Seen{Event::kAdded, Made("Job", name, "j" + name), At(0)});
    Object workload = Made("Workload", "k" + name, "k" + name);
    workload["metadata"]["labels"][kWorkloadLabel] = name;
    observer.Tell(input::Seen{Event::kAdded, workload, At(1)});
    observer.Tell(
        input::Seen{Event::kModified, Put(workload, "Admitted", true), At(50.0 * i + 10)});
    observer.Tell(input::Seen{Event::kAdded, PodOf(name, "p" + name), At(50.0 * i + 25)});
  }
  EXPECT_TRUE(ReportOf(kind, observer, kAnchor, At(30000)).plateaus.empty());
}

TEST(Report, AKnownLimitOfTheSameRateIsSaidToBeOfTheSameRate) {
  Report report;
  report.plateaus.push_back({"scheduled", 50.0, 20.0, 400.0, "the limit of X"});
  EXPECT_NE(Print(show::Form::kText, report)
                .find("scheduled 50.0/s flat for 20 s while 400 waited, as under the limit of X\n"),
            std::string::npos);
}

TEST(Report, AClusterTimeThatWasNeverSetIsNone) {
  const Kind& kind = *FindKind("pod").value();
  Observer observer(kind, "r1");
  ASSERT_TRUE(observer.Tell(input::Plan{"load", "w", 1, At(0)}).ok());
  observer.Tell(input::Sent{"load", "w", At(1)});
  Object pod = Made("Pod", "w", "u");
  pod["metadata"]["creationTimestamp"] = "0001-01-01T00:00:00Z";
  observer.Tell(input::Seen{Event::kAdded, pod, At(5)});
  EXPECT_FALSE(ReportOf(kind, observer, kAnchor, At(10)).clock_offset);
  const std::string csv = TimesCsv(kind, observer.lives(), kAnchor);
  EXPECT_EQ(std::count(csv.begin(), csv.end(), 'Z'), 3) << csv;  // planned, sent, created
}

TEST(Report, AnEmptyRunHasNoNumbers) {
  const Observer observer(*FindKind("job").value(), "r1");
  const Report report = ReportOf(*FindKind("job").value(), observer, kAnchor, At(0));
  EXPECT_EQ(Print(show::Form::kText, report), "workloads 0\n");
  for (const SpanSummary& span : report.spans) EXPECT_TRUE(span.quantiles.empty());
  EXPECT_EQ(suite::FirstFault(suite::lifecycle::NumbersOf(ToJson(report)).value()), "");
}

TEST(Report, CanBeStoredAsMeasurements) {
  const suite::Measurements numbers =
      suite::lifecycle::NumbersOf(ToJson(Planted().Reported())).value();
  EXPECT_EQ(suite::FirstFault(numbers), "");
  const auto found =
      std::find_if(numbers.measurements.begin(), numbers.measurements.end(), [](const auto& one) {
        return one.name == "pod_ready" && one.dimensions.back().second == "p50";
      });
  ASSERT_NE(found, numbers.measurements.end());
  EXPECT_NEAR(found->value, 0.5, 1e-6);
  EXPECT_TRUE(found->headline);
  v1::BenchmarkResult result;
  AddTo(numbers, result);
  EXPECT_EQ(static_cast<std::size_t>(result.measurements_size()), numbers.measurements.size());
}

TEST(Report, ALineOfTimesIsOneWorkload) {
  const Planted planted;
  const std::string csv = TimesCsv(*FindKind("job").value(), planted.observer.lives(), kAnchor);
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 101);
  ExpectGolden("times.csv", csv);
}

}  // namespace
}  // namespace twofold::lifecycle
