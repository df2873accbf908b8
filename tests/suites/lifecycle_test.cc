#include "suites/lifecycle/lifecycle.h"

#include <gtest/gtest.h>

#include "suites/table/table.h"
#include "tests/suites/samples.h"

namespace twofold::suite {
namespace {

/// How the program ended, beside what it printed: exit code, and its last words on stderr.
Outputs Ended(const std::string& sample, int code, const std::string& err = {}) {
  Outputs outputs = EndedWell(sample);
  outputs.stages[0].exit_code = code;
  outputs.stages[0].err = err;
  return outputs;
}

Outputs OfJob(const std::string& spec) {
  Outputs outputs = EndedWell("lifecycle/jobs.json");
  outputs.spec = spec;
  return outputs;
}

std::vector<Ask> AsksOf(const std::string& spec) {
  const auto plan = FindSuite("lifecycle")->plan(spec, GangOf(1));
  EXPECT_TRUE(plan.ok()) << plan.status();
  return plan.ok() ? plan->asks : std::vector<Ask>();
}

std::string NameIn(const GangPlan& plan) {
  for (const std::string& argument : plan.ranks[0].stages[0].argv) {
    if (argument.starts_with("--name=")) return argument.substr(7);
  }
  return {};
}

TEST(LifecycleSpec, WhatIsWrongIsNamed) {
  for (const auto& [spec, words] : {
           std::pair{R"({})", "kind: is missing"},
           std::pair{R"({"kind": "deployment"})", "kind: 'deployment' is none of pod, job"},
           std::pair{R"({"kind": "job", "count": 0})", "count: 0 is not from 1 to 200000"},
           std::pair{R"({"kind": "job", "rate": 0})", "rate: 0 is less than 0.001"},
           std::pair{R"({"kind": "job", "rate": 20, "parallel": 4})", "rate: excludes parallel"},
           std::pair{R"({"kind": "job", "settle": 86401})", "settle: 86401 is not from 0"},
           std::pair{R"({"kind": "job", "delay": 5})", "delay: needs wave"},
           std::pair{R"({"kind": "job", "fillRate": 5})", "fillRate: needs fill"},
           std::pair{R"({"kind": "job", "fill": 5, "fillRate": 0})", "fillRate: 0 is less than"},
           std::pair{R"({"kind": "job", "storageClass": "fast"})", "storageClass: needs pvc"},
           std::pair{R"({"kind": "job", "until": "never"})", "until: 'never' is none of"},
           std::pair{R"({"kind": "job", "namespace": ""})", "namespace: is empty"},
           std::pair{R"({"kind": "job", "cpu": "1\n2"})", "cpu: '1\\n2' has more than 253"},
           std::pair{R"({"kind": "job", "nodeSelector": [""]})", "nodeSelector: is empty"},
       }) {
    const auto checked = FindSuite("lifecycle")->check(spec);
    ASSERT_FALSE(checked.ok()) << spec;
    EXPECT_NE(std::string(checked.status().message()).find(words), std::string::npos)
        << checked.status();
  }
  std::string many = R"({"kind": "job", "failIf": ["a>1")";
  for (int i = 0; i < 32; ++i) many += R"(, "a>1")";
  EXPECT_EQ(FindSuite("lifecycle")->check(many + "]}").status().message(),
            "failIf: 33 are more than 32");
}

TEST(LifecyclePlan, TheProgramGetsWhatWasGivenAndTimeToCleanUp) {
  const auto plan =
      FindSuite("lifecycle")
          ->plan(
              R"({"kind": "kueue-job", "count": 500, "rate": 12.5, "namespace": "load", "queue": "-q",
          "containerImage": "registry.example.com/busybox:1", "tolerations": ["a=b:NoSchedule", "c"],
          "nodeSelector": ["disk=ssd"], "wave": 50, "delay": 2, "fill": 100, "fillRate": 20,
          "pvc": "1Gi", "failIf": ["pod_ready_p99>5s"]})",
              GangOf(1));
  ASSERT_TRUE(plan.ok()) << plan.status();
  ExpectGolden("lifecycle/plan.txt", Text(*plan));
}

TEST(LifecyclePlan, ARunHasANameOfKubernetesThatEndsAsThatOfTheAttempt) {
  const auto name = [](const char* gang) {
    return NameIn(lifecycle::Plan(*lifecycle::ReadSpec(R"({"kind": "job"})"), {gang, {{}}}));
  };
  EXPECT_EQ(name("job-17-2-aXb9_Z"), "job-17-2-axb90z");
  EXPECT_EQ(name("-odd-"), "rodd0");
  const std::string longest = name("job-18446744073709551615-4294967295-Abc123-and-more");
  EXPECT_EQ(longest.size(), 30U);
  EXPECT_EQ(longest.front(), 'r');  // a JobSet's name does not begin with a digit
  EXPECT_TRUE(longest.ends_with("abc123-and-more"));
}

TEST(LifecyclePlan, WhatReachesBeyondTheWorkerIsAskedFor) {
  EXPECT_TRUE(
      AsksOf(R"({"kind": "job", "count": 9, "nodeSelector": ["a=b"], "seconds": 3})").empty());
  EXPECT_EQ(AsksOf(R"({"kind": "job", "namespace": "a", "containerImage": "i", "queue": "q",
                       "scheduler": "s", "pvc": "1Gi", "storageClass": "fast", "tolerations": ["t"]})"),
            (std::vector<Ask>{{"namespace", "a"},
                              {"containerImage", "i"},
                              {"queue", "q"},
                              {"scheduler", "s"},
                              {"pvc", "1Gi"},
                              {"storageClass", "fast"},
                              {"tolerations", "t"}}));
}

TEST(LifecycleParse, RealOutputGivesItsNumbers) {
  ExpectGoldenNumbers("lifecycle", "lifecycle/jobs.json");
  ExpectGoldenNumbers("lifecycle", "lifecycle/refused.json");
}

TEST(LifecycleParse, HeadlinesAreTheQuantilesOfBeingReadyAndComplete) {
  const auto result = lifecycle::Parse(EndedWell("lifecycle/jobs.json"));
  ASSERT_TRUE(result.ok()) << result.status();
  std::vector<std::string> headlines;
  for (const Measurement& one : result->measurements) {
    if (one.headline) headlines.push_back(one.name + " " + one.dimensions.back().second);
  }
  EXPECT_EQ(headlines, (std::vector<std::string>{"pod_ready p50", "pod_ready p90", "pod_ready p99",
                                                 "complete p50", "complete p90", "complete p99"}));
}

TEST(LifecycleParse, AThresholdThatHoldsIsAFailureThatKeepsTheNumbers) {
  const auto result = lifecycle::Parse(
      Ended("lifecycle/jobs.json", 1,
            "[info] run r1\ntwofold: --fail-if pod_ready_p50>1ms: it is 0.12 s\n"));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_GT(ValueOf(*result, "workloads"), 0);
  ASSERT_EQ(result->failures.size(), 1U);
  EXPECT_EQ(result->failures[0].reason, "--fail-if pod_ready_p50>1ms: it is 0.12 s (exit code 1)");
}

TEST(LifecycleParse, WorkloadsThatCouldNotBeRemovedAreAFailureToo) {
  const auto result = lifecycle::Parse(
      Ended("lifecycle/jobs.json", 4, "twofold: 3 jobs.batch are left after 120 s\n"));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->failures.size(), 1U);
}

TEST(LifecycleParse, ABadEndIsItsReasonWhateverWasPrinted) {
  EXPECT_TRUE(FailsWith(lifecycle::Parse(Ended("lifecycle/jobs.json", 6)),
                        "run: interrupted before its end"));
  EXPECT_TRUE(
      FailsWith(lifecycle::Parse(Ended("lifecycle/jobs.json", 5, "twofold: the name is taken\n")),
                "run: the name is taken (exit code 5)"));
  Outputs killed = EndedWell("lifecycle/jobs.json");
  killed.stages[0].exit_code = {};
  killed.stages[0].signal = 9;
  EXPECT_TRUE(FailsWith(lifecycle::Parse(killed), "run: killed by signal 9"));
  Outputs early = SavedText("");
  early.stages[0].exit_code = 4;
  early.stages[0].err = "twofold: nobody listens at 10.0.0.1:6443\n";
  EXPECT_TRUE(FailsWith(lifecycle::Parse(early), "nobody listens at 10.0.0.1:6443"));
}

TEST(LifecycleParse, ARunInWhichNothingCameIntoBeingIsNoResult) {
  EXPECT_TRUE(FailsWith(lifecycle::Parse(Ended("lifecycle/none.json", 0)),
                        "no workload was created and seen"));
}

TEST(LifecycleParse, AReportOfAnotherRunIsRefused) {
  EXPECT_TRUE(lifecycle::Parse(OfJob(R"({"kind": "job", "count": 40})")).ok());
  EXPECT_TRUE(FailsWith(lifecycle::Parse(OfJob(R"({"kind": "pod", "count": 40})")),
                        "its report is of job, not of pod"));
  EXPECT_TRUE(FailsWith(lifecycle::Parse(OfJob(R"({"kind": "job", "count": 41})")),
                        "its report is of 40 workloads, not of 41"));
}

TEST(LifecycleParse, CutOffAnywhereIsNoNumber) {
  const std::string text = Sample("lifecycle/jobs.json");
  for (std::size_t size = 0; size + 2 < text.size(); size += 37) {
    EXPECT_FALSE(lifecycle::Parse(SavedText(text.substr(0, size))).ok()) << size;
  }
}

TEST(LifecycleParse, APartThatIsMissingOrOddIsNamed) {
  const auto changed = [](auto change) {
    Json json = Json::parse(Sample("lifecycle/jobs.json"));
    change(json);
    return lifecycle::NumbersOf(json);
  };
  EXPECT_TRUE(FailsWith(changed([](Json& json) { json.erase("kind"); }), "of which kind"));
  EXPECT_TRUE(FailsWith(changed([](Json& json) { json["spans"] = Json::array(); }), "no spans"));
  EXPECT_TRUE(FailsWith(changed([](Json& json) { json["spans"][0]["n"] = -1; }), "a span has no"));
  EXPECT_TRUE(FailsWith(changed([](Json& json) { json["counts"].erase("workloads"); }),
                        "how many workloads"));
  EXPECT_TRUE(FailsWith(changed([](Json& json) { json["counts"]["failed"] = "x"; }), "a count"));
  EXPECT_TRUE(FailsWith(changed([](Json& json) { json.erase("pending_seconds"); }), "waited for"));
}

TEST(LifecycleOffer, TheServersVersionIsTheLabel) {
  const auto labels = lifecycle::Offer({.stage = "probe", .out = "v1.36.1\n", .exit_code = 0});
  ASSERT_TRUE(labels.ok()) << labels.status();
  EXPECT_EQ(*labels, (Labels{{"lifecycle.server", "v1.36.1"}}));
}

TEST(LifecycleOffer, WithoutAServerTheReasonIsNamed) {
  EXPECT_EQ(lifecycle::Offer({.stage = "probe", .out = "", .exit_code = 4}).status().message(),
            "twofold lifecycle server: exit code 4: no API server of Kubernetes answers with these "
            "credentials");
  EXPECT_FALSE(lifecycle::Offer({.stage = "probe", .out = "hello\n", .exit_code = 0}).ok());
}

}  // namespace
}  // namespace twofold::suite
