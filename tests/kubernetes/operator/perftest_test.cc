// Objects of kube-perftest.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kubernetes/operator/measured_job.h"
#include "lib/spec/expansion.h"
#include "lib/spec/sweep.h"
#include "suites/table/table.h"
#include "tests/kubernetes/operator/perftest_objects.h"
#include "tests/kubernetes/operator/scene.h"

namespace twofold::benchmarks {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

class PerftestTest : public ::testing::Test {
 protected:
  kube::Json Play(const std::string& kind, const kube::Json& spec) {
    scene_.Play(PerftestKind(kind));
    scene_.Create(PerftestObject(kind, spec));
    scene_.RunOut("x");
    return (*scene_.Find("x"))["status"];
  }

  Scene scene_;
};

TEST_F(PerftestTest, AnObjectOfEachKindIsAFileThatRunTakes) {
  const std::pair<const char*, kube::Json> specs[] = {
      {"IPerf", {{"duration", 30}, {"streams", 8}}},
      {"MPIPingPong", kube::Json::object()},
      {"OpenFOAM", {{"numProcs", 4}, {"numNodes", 2}}},
      {"RDMABandwidth", {{"extraArgs", {"--tclass=96"}}}},
      {"RDMALatency", kube::Json::object()},
      {"Fio", {{"rw", "rw,readwrite"}, {"direct", 1}, {"bs", "32k"}}},
      {"PyTorch", {{"model", "alexnet"}}},
      {"BenchmarkSet",
       {{"template",
         {{"apiVersion", "perftest.stackhpc.com/v1alpha1"},
          {"kind", "IPerf"},
          {"spec", {{"duration", 30}}}}},
        {"repetitions", 5},
        {"permutations", {{"product", {{"streams", {1, 2, 4}}}}}}}}};
  for (const auto& [kind, spec] : specs) {
    kube::Json object = PerftestObject(kind, spec);
    object["metadata"]["uid"] = "u";
    const RunOrder order = OrderOf(object);
    const auto sweep = spec::ReadSweep("x", order.definition, suite::Kinds());
    ASSERT_TRUE(sweep.ok()) << kind << ": " << sweep.status() << order.definition;
    const auto expansion = spec::Expand(*sweep);
    ASSERT_TRUE(expansion.ok()) << kind << ": " << expansion.status();
    EXPECT_EQ(order.queue, std::string(sweep->kind->suite)) << kind;
    EXPECT_EQ(expansion->jobs.size(), kind == std::string("BenchmarkSet") ? 15U : 1U) << kind;
  }
}

TEST_F(PerftestTest, AnImageAsksForWorkersOnlyIfSomebodyHasWrittenIt) {
  const auto labels_of = [](const kube::Json& spec) {
    kube::Json object = PerftestObject("IPerf", spec);
    object["metadata"]["uid"] = "u";
    const auto sweep = spec::ReadSweep("x", OrderOf(object).definition, suite::Kinds());
    EXPECT_TRUE(sweep.ok()) << sweep.status();
    const auto expansion = spec::Expand(*sweep);
    EXPECT_TRUE(expansion.ok()) << expansion.status();
    return expansion->permutations.front().labels;
  };
  using Labels = std::vector<spec::Requirement>;
  EXPECT_EQ(labels_of({{"duration", 30}, {"streams", 8}}), (Labels{{"hostNetwork", "false"}}));
  EXPECT_EQ(labels_of({{"duration", 30}, {"streams", 8}, {"image", "other/iperf:1"}}),
            (Labels{{"hostNetwork", "false"}, {"image", "other/iperf:1"}}));
}

TEST_F(PerftestTest, ItsIperfIsVersion2AlsoInASet) {
  const kube::Json spec = {{"duration", 30}, {"streams", 8}};
  const kube::Json objects[] = {
      PerftestObject("IPerf", spec),
      PerftestObject("BenchmarkSet", {{"template",
                                       {{"apiVersion", "perftest.stackhpc.com/v1alpha1"},
                                        {"kind", "IPerf"},
                                        {"spec", spec}}}})};
  for (kube::Json object : objects) {
    object["metadata"]["uid"] = "u";
    const auto sweep = spec::ReadSweep("x", OrderOf(object).definition, suite::Kinds());
    ASSERT_TRUE(sweep.ok()) << sweep.status();
    const auto expansion = spec::Expand(*sweep);
    ASSERT_TRUE(expansion.ok()) << expansion.status();
    EXPECT_THAT(expansion->permutations.front().spec, HasSubstr("\"iperf2\""));
  }
}

TEST_F(PerftestTest, ItsPhaseAndTimesAreThoseOfItsUsers) {
  scene_.Play(PerftestKind("IPerf"));
  scene_.Create(PerftestObject("IPerf", {{"duration", 30}, {"streams", 8}}));
  std::vector<std::string> phases;
  for (int i = 0; i < 20 && !scene_.IsOver("x"); ++i) {
    scene_.Pass({"x"});
    const std::string phase = kube::TextAt(*scene_.Find("x"), "/status/phase");
    if (!phase.empty() && (phases.empty() || phases.back() != phase)) phases.push_back(phase);
  }
  EXPECT_EQ(phases, (std::vector<std::string>{"Preparing", "Running", "Completed"}));
  const kube::Json status = (*scene_.Find("x"))["status"];
  EXPECT_EQ(status["startedAt"], status["startTime"]);
  EXPECT_EQ(status["finishedAt"], status["completionTime"]);
  EXPECT_EQ(scene_.Condition("x", "Succeeded"), "True AllJobsSucceeded");
}

TEST_F(PerftestTest, ItsHeadlinesAreWhereItsColumnsLook) {
  scene_.frontend_.results = {
      {.name = "throughput", .unit = "Gbit/s", .dimensions = "direction=forward", .mean = 24.5512}};
  EXPECT_EQ(Play("IPerf", {{"duration", 30}, {"streams", 8}})["summaryResult"], "24.55 Gbit/s");
}

TEST_F(PerftestTest, ReadingAndWritingAreKeptApart) {
  scene_.frontend_.results = {
      {.name = "bandwidth", .unit = "MiB/s", .dimensions = "rw=write worker=all", .mean = 35},
      {.name = "bandwidth", .unit = "MiB/s", .dimensions = "rw=read worker=all", .mean = 714},
      {.name = "iops", .unit = "1/s", .dimensions = "rw=read worker=all", .mean = 183000}};
  const kube::Json status = Play("Fio", kube::Json::object());
  EXPECT_EQ(status["readBwResult"], "714 MiB/s");
  EXPECT_EQ(status["writeBwResult"], "35 MiB/s");
  EXPECT_EQ(status["readIopsResult"], 183000);
  EXPECT_FALSE(status.contains("writeIopsResult")) << "it is not known";
}

TEST_F(PerftestTest, AWallTimeIsANumber) {
  scene_.frontend_.results = {{.name = "solver_time", .unit = "s", .mean = 5.99}};
  EXPECT_EQ(Play("OpenFOAM", kube::Json::object())["result"]["wallclockTime"], 5.99);
}

TEST_F(PerftestTest, WhatItsJobHasMeasuredAndWhereIsBesideItsHeadline) {
  MeasuredJob job{.id = 17};
  v1::Measurement& one = *job.result.add_measurements();
  one.set_name("user_time");
  one.set_unit("s");
  one.set_value(0.6);
  job.result.add_ranks()->set_node("n");
  scene_.frontend_.results = {{.name = "solver_time", .unit = "s", .mean = 5.99}};
  scene_.frontend_.job = std::make_shared<const MeasuredJob>(job);
  const kube::Json status = Play("OpenFOAM", kube::Json::object());
  EXPECT_EQ(status["result"], (kube::Json{{"wallclockTime", 5.99}, {"userTime", 0.6}}));
  EXPECT_EQ(status["masterPod"], (kube::Json{{"nodeName", "n"}}));
}

TEST_F(PerftestTest, ItSummarisesUntilItsResultsAreThere) {
  scene_.Play(PerftestKind("IPerf"));
  scene_.Create(PerftestObject("IPerf", {{"duration", 30}, {"streams", 8}}));
  scene_.frontend_.no_results = absl::UnavailableError("the frontend is away");
  for (int i = 0; i < 20; ++i) scene_.Pass({"x"});
  EXPECT_EQ((*scene_.Find("x"))["status"]["phase"], "Summarising");
  scene_.frontend_.no_results = absl::OkStatus();
  scene_.RunOut("x");
  EXPECT_EQ((*scene_.Find("x"))["status"]["phase"], "Completed");
}

TEST_F(PerftestTest, ItTerminatesWhileItsRunCannotBeCancelled) {
  scene_.Play(PerftestKind("IPerf"));
  scene_.Create(PerftestObject("IPerf", {{"duration", 30}, {"streams", 8}}));
  scene_.frontend_.is_busy = true;
  for (int i = 0; i < 5; ++i) scene_.Pass({"x"});
  scene_.frontend_.fault = absl::UnavailableError("the frontend is away");
  scene_.Delete("x");
  scene_.Pass({"x"});
  EXPECT_EQ((*scene_.Find("x"))["status"]["phase"], "Terminating");
  scene_.frontend_.fault = absl::OkStatus();
  scene_.Pass({"x"});
  EXPECT_FALSE(scene_.Find("x"));
}

TEST_F(PerftestTest, ASetCountsItsRuns) {
  scene_.frontend_.jobs_a_run = 6;
  const kube::Json status =
      Play("BenchmarkSet", {{"template", {{"kind", "IPerf"}}}, {"repetitions", 2}});
  EXPECT_EQ(status["permutationCount"], 3);
  EXPECT_EQ(status["count"], 6);
  EXPECT_EQ(status["succeeded"], 6);
  EXPECT_EQ(status["failed"], 0);
  EXPECT_TRUE(status.contains("finishedAt"));
}

TEST_F(PerftestTest, AFailureIsAPhase) {
  scene_.frontend_.failing = 0;
  EXPECT_EQ(Play("RDMALatency", kube::Json::object())["phase"], "Failed");
}

TEST_F(PerftestTest, WhatItsOwnOperatorHasBegunIsLeftAlone) {
  scene_.Play(PerftestKind("IPerf"));
  kube::Json object = PerftestObject("IPerf", {{"duration", 30}, {"streams", 8}});
  object["status"] = {{"phase", "Running"}};
  scene_.api_.Put(PerftestKind("IPerf").resource, object);
  for (int i = 0; i < 3; ++i) scene_.Pass({"x"});
  EXPECT_TRUE(scene_.frontend_.runs.empty());
  EXPECT_FALSE((*scene_.Find("x"))["metadata"].contains("finalizers"));
  std::vector<std::string> reasons;
  for (const auto& event : scene_.api_.All(kube::kEvents)) reasons.push_back(event["reason"]);
  EXPECT_THAT(reasons, Contains("LeftToKubePerftest"));
}

TEST_F(PerftestTest, UnderADefinitionThatForgetsWhatWasBegunNothingBegins) {
  scene_.Play(PerftestKind("IPerf"));
  scene_.cluster().prunes = true;
  scene_.Create(PerftestObject("IPerf", {{"duration", 30}, {"streams", 8}}));
  scene_.Pass({"x"});  // the finalizer
  const std::size_t before = scene_.writes();
  scene_.Pass({"x"});
  EXPECT_EQ(scene_.writes(), before + 1) << "it is no news, and no event";
  EXPECT_TRUE(scene_.frontend_.runs.empty());
}

}  // namespace
}  // namespace twofold::benchmarks
