#include "kubernetes/operator/own_workers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "kubernetes/controller/ownership.h"
#include "kubernetes/pools/pods.h"
#include "tests/kubernetes/operator/own_workers_scene.h"

namespace twofold::benchmarks {
namespace {

using kube::Json;
using std::chrono::minutes;
using ::testing::HasSubstr;

TEST_F(OwnWorkersTest, ARunBeginsWhenAllAreReadyAndTheyGoWhenItIsOver) {
  Create();
  Await("WorkersReady", "False WorkersMissing");
  EXPECT_EQ(scene_.Condition("x", "Running"), "False WaitsForWorkers");
  EXPECT_TRUE(scene_.frontend_.runs.empty());
  EXPECT_EQ((*scene_.Find("x"))["status"]["workerPool"], kube::NameOf(Pools().at(0)).name);
  Say("Ready", false, "WorkersMissing", "1 of 2 workers are ready; pod p: ImagePullBackOff");
  for (int i = 0; i < 3; ++i) scene_.Pass({"x"});
  EXPECT_TRUE(scene_.frontend_.runs.empty());
  EXPECT_THAT(scene_.Message("x", "WorkersReady"), HasSubstr("pod p: ImagePullBackOff"));
  SayReady();
  Await("WorkersReady", "True WorkersFound");
  EXPECT_EQ(scene_.Condition("x", "Running"), "True Running");
  scene_.RunOut("x");
  EXPECT_EQ(scene_.Condition("x", "Succeeded"), "True AllJobsSucceeded");
  EXPECT_TRUE(Pools().empty());
  EXPECT_FALSE(controller::HasFinalizer(*scene_.Find("x"), kRunFinalizer));
}

TEST_F(OwnWorkersTest, OnesThatAreNotReadyInTimeEndTheRunWithTheReason) {
  Json workers = Scene::Workers();
  workers["readySeconds"] = 120;
  Create({{"workers", workers}});
  Await("WorkersReady", "False WorkersMissing");
  Say("Scheduled", false, "Unschedulable", "2 of 2 pods: 0/3 nodes have enough memory");
  Await("WorkersReady", "False Unschedulable");
  scene_.Wait(minutes(2));
  scene_.RunOut("x");
  EXPECT_EQ(scene_.Condition("x", "Failed"), "True WorkersNotReady");
  EXPECT_THAT(scene_.Message("x", "Failed"), HasSubstr("not within 120 s (readySeconds)"));
  EXPECT_THAT(scene_.Message("x", "Failed"), HasSubstr("nodes have enough memory"));
  EXPECT_EQ(scene_.Condition("x", "WorkersReady"), "False WorkersNotReady");
  EXPECT_EQ(scene_.Condition("x", "ResultsStored"), "") << "no run has begun";
  EXPECT_TRUE(scene_.frontend_.runs.empty());
  EXPECT_TRUE(Pools().empty());
}

TEST_F(OwnWorkersTest, ADeadlineSaysWhatWasMissing) {
  Create({{"activeDeadlineSeconds", 60}});
  Await("WorkersReady", "False WorkersMissing");
  Say("PodsCreated", false, "QuotaExceeded", "exceeded quota: small");
  Await("WorkersReady", "False QuotaExceeded");
  scene_.Wait(minutes(1));
  scene_.RunOut("x");
  EXPECT_EQ(scene_.Condition("x", "Failed"), "True DeadlineExceeded");
  EXPECT_THAT(scene_.Message("x", "Failed"), HasSubstr("exceeded quota: small"));
  EXPECT_TRUE(Pools().empty());
}

TEST_F(OwnWorkersTest, PodSecurityEndsTheRunAtOnce) {
  Create();
  Await("WorkersReady", "False WorkersMissing");
  Say("PodsCreated", false, "PodSecurityRefused", "violates PodSecurity \"restricted:latest\"");
  scene_.RunOut("x");
  EXPECT_EQ(scene_.Condition("x", "Failed"), "True PodSecurityRefused");
  EXPECT_THAT(scene_.Message("x", "Failed"), HasSubstr("restricted:latest"));
  EXPECT_TRUE(Pools().empty());
}

TEST_F(OwnWorkersTest, PodsThatTheApiServerFindsWrongEndTheRunAtOnce) {
  Create();
  Await("WorkersReady", "False WorkersMissing");
  Say("PodsCreated", false, "PodInvalid", "spec.containers[0].image: Required value");
  scene_.RunOut("x");
  EXPECT_EQ(scene_.Condition("x", "Failed"), "True PodInvalid");
  EXPECT_THAT(scene_.Message("x", "Failed"), HasSubstr("image: Required value"));
  EXPECT_TRUE(Pools().empty());
}

TEST_F(OwnWorkersTest, APoolOrVolumeThatTheApiServerFindsWrongEndsTheRunAtOnce) {
  for (const char* plural : {"workerpools", "persistentvolumeclaims"}) {
    SCOPED_TRACE(plural);
    scene_.api_.Add({.kind = fakes::KubeFault::Kind::kStatus,
                     .verb = "create",
                     .plural = plural,
                     .times = 1,
                     .status = 422,
                     .body = R"({"kind": "Status", "code": 422, "message": "is wrong"})"});
    Json workers = Scene::Workers();
    workers["claims"] = Json::array({{{"name", "shared"}, {"spec", Json::object()}}});
    Create({{"workers", workers}});
    scene_.RunOut("x");
    EXPECT_EQ(scene_.Condition("x", "Failed"), "True ClusterRefuses");
    EXPECT_THAT(scene_.Message("x", "Failed"), HasSubstr("is wrong"));
    EXPECT_TRUE(Pools().empty());
    scene_.Delete("x");
  }
}

TEST_F(OwnWorkersTest, ThatTheApiServerRefusesAreSaid) {
  scene_.api_.Add({.kind = fakes::KubeFault::Kind::kStatus,
                   .verb = "create",
                   .plural = "workerpools",
                   .times = 1,
                   .status = 403,
                   .body = R"({"kind": "Status", "code": 403, "message": "no right to that"})"});
  Create();
  Await("WorkersReady", "False ClusterRefuses");
  EXPECT_THAT(scene_.Message("x", "WorkersReady"), HasSubstr("no right to that"));
  Await("WorkersReady", "False WorkersMissing");
}

TEST_F(OwnWorkersTest, WhoseSchedulerTheClusterDoesNotHaveAreSaid) {
  Json workers = Scene::Workers();
  workers["scheduling"] = "volcano";
  Create({{"workers", workers}});
  Await("WorkersReady", "False ClusterRefuses");
  EXPECT_THAT(scene_.Message("x", "WorkersReady"), HasSubstr("scheduling.volcano.sh/v1beta1"));
}

TEST_F(OwnWorkersTest, ABenchmarkThatIsDeletedTakesThemWithIt) {
  scene_.frontend_.is_busy = true;
  Create();
  Await("WorkersReady", "False WorkersMissing");
  SayReady();
  Await("Running", "True Running");
  scene_.Delete("x");
  scene_.Pass({"x"});
  EXPECT_FALSE(scene_.Find("x"));
  EXPECT_TRUE(scene_.TheRun().cancelled);
  EXPECT_TRUE(Pools().empty()) << "its owner is gone";
}

// Of a namespace that is deleted the RoleBindings go first.
TEST_F(OwnWorkersTest, ABenchmarkThatIsDeletedGoesAlsoWhereNobodyMayDeletePools) {
  Create();
  Await("WorkersReady", "False WorkersMissing");
  scene_.api_.Add({.kind = fakes::KubeFault::Kind::kStatus,
                   .plural = "workerpools",
                   .times = 1000,
                   .status = 403});
  scene_.Delete("x");
  scene_.Pass({"x"});
  EXPECT_FALSE(scene_.Find("x"));
}

TEST_F(OwnWorkersTest, GoWhileTheRunIsSuspendedAndComeAgain) {
  Create();
  Await("WorkersReady", "False WorkersMissing");
  SayReady();
  Await("Running", "True Running");
  const std::string first = Pools().at(0)["metadata"]["uid"];
  scene_.SetSpec("x", "suspend", true);
  Await("Running", "False Suspended");
  for (int i = 0; i < 3; ++i) scene_.Pass({"x"});
  EXPECT_TRUE(Pools().empty());
  EXPECT_EQ(scene_.Condition("x", "WorkersReady"), "False Suspended");
  scene_.SetSpec("x", "suspend", false);
  Await("WorkersReady", "False WorkersMissing");
  EXPECT_NE(Pools().at(0)["metadata"]["uid"], first);
  SayReady();
  scene_.RunOut("x");
  EXPECT_EQ(scene_.Condition("x", "Succeeded"), "True AllJobsSucceeded");
  for (const auto& job : scene_.TheRun().jobs) EXPECT_EQ(job.executions, 1);
}

TEST_F(OwnWorkersTest, ThatGoMissingInMidRunEndItIfTheyDoNotComeAgain) {
  scene_.frontend_.is_busy = true;
  Create();
  Await("WorkersReady", "False WorkersMissing");
  SayReady();
  Await("Running", "True Running");
  Say("Ready", false, "WorkersMissing", "1 of 2 workers are ready");
  scene_.Wait(minutes(9));
  scene_.Pass({"x"});
  EXPECT_EQ(scene_.Condition("x", "Running"), "True Running");
  scene_.Wait(minutes(1));
  scene_.RunOut("x");
  EXPECT_EQ(scene_.Condition("x", "Failed"), "True WorkersNotReady");
  EXPECT_THAT(scene_.Message("x", "Failed"), HasSubstr("1 of 2 workers are ready"));
  EXPECT_TRUE(scene_.TheRun().cancelled);
  EXPECT_TRUE(Pools().empty());
}

TEST_F(OwnWorkersTest, APoolThatSomebodyDeletesIsMadeAgain) {
  scene_.frontend_.is_busy = true;
  Create();
  Await("WorkersReady", "False WorkersMissing");
  SayReady();
  Await("Running", "True Running");
  scene_.api_.Remove(pools::kWorkerPools, kube::NameOf(Pools().at(0)));
  scene_.Pass({"x"});
  EXPECT_EQ(Pools().size(), 1U);
  EXPECT_EQ(scene_.Condition("x", "Running"), "True Running");
}

TEST_F(OwnWorkersTest, APoolOfSomebodyElseIsLeftAsItIs) {
  Create();
  scene_.Pass({"x"});
  scene_.api_.Put(
      pools::kWorkerPools,
      {{"apiVersion", "twofold.dev/v1alpha1"},
       {"kind", "WorkerPool"},
       {"metadata", {{"name", pools::PoolNameFor(*scene_.Find("x"))}, {"namespace", "a"}}}});
  Await("WorkersReady", "False ClusterRefuses");
  EXPECT_THAT(scene_.Message("x", "WorkersReady"), HasSubstr("belongs to somebody else"));
  scene_.Wait(minutes(11));
  scene_.RunOut("x");
  EXPECT_EQ(scene_.Condition("x", "Failed"), "True WorkersNotReady");
  EXPECT_EQ(Pools().size(), 1U);
}

TEST_F(OwnWorkersTest, AreRefusedByAnOperatorThatMakesNone) {
  Play(/*makes_workers=*/false);
  Create();
  scene_.RunOut("x");
  EXPECT_EQ(scene_.Condition("x", "Failed"), "True InvalidSpec");
  EXPECT_THAT(scene_.Message("x", "Failed"), HasSubstr("--own-workers"));
}

TEST_F(OwnWorkersTest, ChooseTheirNodesByTheirTemplateAlone) {
  Create({{"nodes", {{"select", Json::array({"*"})}}}});
  scene_.RunOut("x");
  EXPECT_THAT(scene_.Message("x", "Failed"), HasSubstr("spec.nodes: "));
}

TEST_F(OwnWorkersTest, OthersDoWithoutThem) {
  scene_.Create(Scene::Benchmark("x"));
  scene_.RunOut("x");
  EXPECT_EQ(scene_.Condition("x", "Succeeded"), "True AllJobsSucceeded");
  for (const auto& each : scene_.api_.used()) EXPECT_NE(each.resource, "workerpools");
}

// ---- faults at each write

/// Plays the run of an object with a fault; an operator that dies is followed by the next one.
std::size_t PlayWith(const Json& object, Gate gate) {
  Scene scene;
  kube::Access access = scene.api_.access();
  scene.Play(PerftestKind(object["kind"]), [&](const fakes::KubeApi&, Gate& of) {
    return std::make_unique<RunsWithWorkers>(scene, of, &access,
                                             [](const Json&) { return AdminsPool(); });
  });
  scene.Create(object);
  scene.StartOperator(gate);
  const auto is_settled = [&] {
    return scene.IsOver("x") && !controller::HasFinalizer(*scene.Find("x"), kRunFinalizer);
  };
  for (int i = 0; i < 80 && !is_settled(); ++i) {
    try {
      scene.Pass({"x"});
    } catch (const Killed&) {
      scene.StartOperator();
    }
    for (const Json& pool : scene.api_.All(pools::kWorkerPools)) {
      scene.api_.Change(pools::kWorkerPools, kube::NameOf(pool), [](Json& each) {
        each["status"]["conditions"] = Json::array({{{"type", "Ready"}, {"status", "True"}}});
      });
    }
  }
  EXPECT_EQ(scene.Condition("x", "Succeeded"), "True AllJobsSucceeded");
  EXPECT_TRUE(scene.api_.All(pools::kWorkerPools).empty());
  EXPECT_EQ(scene.TheRun().begun, 1);
  for (const auto& job : scene.TheRun().jobs) EXPECT_EQ(job.executions, 1);
  return scene.writes();
}

TEST(OwnWorkers, AFaultAtAnyWriteLeavesNoneBehindAndRunsNothingTwice) {
  for (const Json& object : {Scene::Benchmark("x", {{"workers", Scene::Workers()}}),
                             PerftestObject("Fio", Json::object())}) {
    const std::size_t writes = PlayWith(object, {});
    ASSERT_GT(writes, 8U);
    for (std::size_t at = 0; at < writes; ++at) {
      for (const auto fault : {Gate::Fault::kKillBefore, Gate::Fault::kKillAfter,
                               Gate::Fault::kLoseRequest, Gate::Fault::kLoseReply}) {
        SCOPED_TRACE(::testing::Message() << object["kind"] << ", write " << at << ", fault "
                                          << static_cast<int>(fault));
        PlayWith(object, Gate(at, fault));
      }
    }
  }
}

}  // namespace
}  // namespace twofold::benchmarks
