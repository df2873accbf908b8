// Runs of kube-perftest's objects on workers of their own.

#include <absl/strings/str_cat.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kubernetes/operator/frontend_kind.h"
#include "kubernetes/operator/line.h"
#include "tests/kubernetes/operator/own_workers_scene.h"

namespace twofold::benchmarks {
namespace {

using kube::Json;
using std::chrono::minutes;
using ::testing::HasSubstr;

class PerftestRunsTest : public OwnWorkersTest {};

// ---- turns

/// One of the `place`th second; without a queue it makes no pods.
controller::Snapshot InLine(const std::string& kind, int place, const std::string& queue = "") {
  Json object = kind == "Benchmark" ? Scene::Benchmark("") : PerftestObject(kind, Json::object());
  object["metadata"]["name"] = absl::StrCat(kind, place);
  object["metadata"]["creationTimestamp"] = absl::StrCat("2026-01-01T00:00:0", place, "Z");
  if (!queue.empty()) object["status"] = {{"workerPool", "p"}, {"queue", queue}};
  return std::make_shared<const Json>(std::move(object));
}

TEST(PerftestTurns, OfThoseThatMakePodsOneRunsAtATimeWhateverItsQueue) {
  const std::vector all = {InLine("IPerf", 1, "iperf"), InLine("RDMALatency", 2, "rdma"),
                           InLine("OpenFOAM", 3)};
  EXPECT_FALSE(Before(*all[0], all));
  EXPECT_EQ(Before(*all[1], all)->name, "IPerf1");
  EXPECT_FALSE(Before(*all[2], all)) << "it makes none";
  EXPECT_THAT(NextInLine(all), ::testing::UnorderedElementsAre(all[0], all[2]));
}

TEST(PerftestTurns, TheyStandInLineWithTheBenchmarksOfTheirQueue) {
  const std::vector all = {InLine("Benchmark", 1), InLine("Fio", 2, "fio"),
                           InLine("IPerf", 3, "iperf")};
  EXPECT_EQ(Before(*all[1], all)->name, "Benchmark1");
  EXPECT_FALSE(Before(*all[2], all)) << "who waits for its queue keeps nobody from nodes";
  EXPECT_THAT(NextInLine(all), ::testing::UnorderedElementsAre(all[0], all[2]));
}

TEST(PerftestTurns, TheyWaitForABenchmarkThatHasBegunWithWorkersOfItsOwn) {
  Json begun = *InLine("Benchmark", 2);
  begun["spec"]["workers"] = Json::object();
  begun["spec"]["queue"] = "other";
  const auto waiting = std::make_shared<const Json>(begun);
  begun["status"]["startTime"] = "2026-01-01T00:00:00Z";
  const auto fio = InLine("Fio", 1, "fio");
  EXPECT_FALSE(Before(*fio, std::vector{fio, waiting}));
  const std::vector all = {fio, controller::Snapshot(std::make_shared<const Json>(begun))};
  EXPECT_EQ(Before(*fio, all)->name, "Benchmark2");
  EXPECT_TRUE(NextInLine(all).empty());
}

TEST(PerftestTurns, WhoIsLeftToKubePerftestKeepsNobodyWaiting) {
  Json theirs = *InLine("IPerf", 1);
  theirs["status"]["phase"] = "Completed";
  const auto ours = InLine("IPerf", 2, "iperf");
  const std::vector all = {controller::Snapshot(std::make_shared<const Json>(theirs)), ours};
  EXPECT_FALSE(Before(*ours, all));
  EXPECT_THAT(NextInLine(all), ::testing::ElementsAre(ours));
}

// ---- runs

TEST_F(PerftestRunsTest, OfAnObjectOfKubePerftestAreByTheAdminsPool) {
  admins_pool_ = AdminsPool();
  Play(true, PerftestKind("Fio"));
  CreateFio({{"hostNetwork", true},
             {"volumeClaimTemplate", {{"accessModes", Json::array({"ReadWriteMany"})}}}});
  Await("WorkersReady", "False WorkersMissing");
  EXPECT_EQ((*scene_.Find("x"))["status"]["phase"], "Pending");
  EXPECT_EQ((*scene_.Find("x"))["status"]["queue"], "bench");
  const Json pool = Pools().at(0);
  EXPECT_EQ(pool["spec"]["queue"], "bench");
  EXPECT_EQ(pool["spec"]["replicas"], 3);
  EXPECT_EQ(pool["spec"]["template"]["spec"]["hostNetwork"], true);
  EXPECT_EQ(scene_.api_.All(kube::kPersistentVolumeClaims).size(), 1U);
  SayReady();
  scene_.RunOut("x");
  EXPECT_EQ((*scene_.Find("x"))["status"]["phase"], "Completed");
  EXPECT_TRUE(Pools().empty());
  EXPECT_TRUE(scene_.api_.All(kube::kPersistentVolumeClaims).empty());
}

TEST_F(PerftestRunsTest, OfAnObjectOfKubePerftestThereAreNoneWithoutSuchAPool) {
  Play(true, PerftestKind("Fio"));
  CreateFio();
  scene_.RunOut("x");
  EXPECT_EQ((*scene_.Find("x"))["status"]["phase"], "Completed");
  EXPECT_EQ((*scene_.Find("x"))["status"]["queue"], "fio");
  for (const auto& each : scene_.api_.used()) EXPECT_NE(each.resource, "workerpools");
}

TEST_F(PerftestRunsTest, APoolThatComesLaterChangesNothingForWhatWasAccepted) {
  Play(true, PerftestKind("Fio"));
  scene_.frontend_.is_busy = true;
  CreateFio();
  Await("Running", "True Running");
  admins_pool_ = AdminsPool();
  scene_.frontend_.is_busy = false;
  scene_.RunOut("x");
  EXPECT_EQ((*scene_.Find("x"))["status"]["phase"], "Completed");
  EXPECT_TRUE(Pools().empty());
}

TEST_F(PerftestRunsTest, AnAdminsPoolThatGoesEndsNoRunThatHasItsWorkers) {
  admins_pool_ = AdminsPool();
  Play(true, PerftestKind("Fio"));
  CreateFio();
  Await("WorkersReady", "False WorkersMissing");
  SayReady();
  Await("Running", "True Running");
  admins_pool_ = nullptr;
  scene_.StartOperator();
  scene_.RunOut("x");
  EXPECT_EQ((*scene_.Find("x"))["status"]["phase"], "Completed");
  EXPECT_TRUE(Pools().empty());
}

TEST_F(PerftestRunsTest, AnAdminsPoolThatGoesBeforeEndsTheRunAtOnce) {
  admins_pool_ = AdminsPool();
  Play(true, PerftestKind("Fio"));
  scene_.frontend_.bar = Bar{false, "NoCredentials", "not yet"};
  CreateFio();
  Await("Running", "False NoCredentials");
  admins_pool_ = nullptr;
  scene_.frontend_.bar.reset();
  scene_.RunOut("x");
  EXPECT_EQ(scene_.Condition("x", "Failed"), "True WorkersNotMade");
  EXPECT_THAT(scene_.Message("x", "Failed"), HasSubstr("no WorkerPool for Fio any more"));
}

TEST_F(PerftestRunsTest, ASetWhoseJobsAskForDifferentPodsIsRefused) {
  admins_pool_ = AdminsPool();
  Play(true, PerftestKind("BenchmarkSet"));
  scene_.Create(PerftestObject(
      "BenchmarkSet", {{"template",
                        {{"apiVersion", "perftest.stackhpc.com/v1alpha1"},
                         {"kind", "Fio"},
                         {"spec", Json::object()}}},
                       {"permutations", {{"product", {{"hostNetwork", {false, true}}}}}}}));
  scene_.RunOut("x");
  EXPECT_EQ(scene_.Condition("x", "Failed"), "True InvalidSpec");
  EXPECT_THAT(scene_.Message("x", "Failed"), HasSubstr("make a set of each"));
  EXPECT_TRUE(Pools().empty());
}

TEST_F(PerftestRunsTest, AFrontendIsAskedAboutAllOfThePodsBeforeTheObjectStandsInLine) {
  Json pool = *AdminsPool();
  pool["spec"]["template"]["spec"]["nodeSelector"] = {{"pool", "bench"}};
  admins_pool_ = std::make_shared<const Json>(std::move(pool));
  Play(true, PerftestKind("Fio"));
  scene_.frontend_.bar = Bar{true, "Forbidden", "may not choose nodes by pool=bench"};
  CreateFio();
  scene_.RunOut("x");
  EXPECT_EQ(scene_.Condition("x", "Failed"), "True Forbidden");
  const Json& spec = scene_.frontend_.asked_about["spec"];
  EXPECT_EQ(spec["queue"], "bench");
  EXPECT_EQ(spec["workers"]["template"]["spec"]["nodeSelector"]["pool"], "bench");
}

TEST_F(PerftestRunsTest, WhatAFrontendForbidsOfPodsItForbidsKubePerftestToo) {
  admins_pool_ = AdminsPool();
  Play(true, PerftestKind("Fio"));
  CreateFio();
  scene_.Pass({"x"});
  OwnWorkerRuns runs(
      scene_.runs(), &access_, [this] { return scene_.wall(); },
      [this](const Json&) { return admins_pool_; });
  const Json frontend = {{"metadata", {{"name", "default"}}},
                         {"spec", {{"namespaces", {{{"name", "a"}, {"kinds", {"Fio"}}}}}}}};
  EXPECT_THAT(WhyForbidden(frontend, runs.OrderFor(*scene_.Find("x")).of),
              HasSubstr("may not run WorkerPool at Frontend default"));
}

}  // namespace
}  // namespace twofold::benchmarks
