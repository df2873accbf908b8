#include "kubernetes/operator/pool_reconciler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "kubernetes/operator/pool_status.h"
#include "tests/kubernetes/operator/pool_scene.h"

namespace twofold::benchmarks {
namespace {

using fakes::KubeFault;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kQuota =
    R"({"kind": "Status", "code": 403, "reason": "Forbidden", "message": "pods \"p-x\" is forbidden: exceeded quota: small, requested: pods=1, used: pods=2, limited: pods=2"})";

class WorkerPoolTest : public ::testing::Test {
 protected:
  void MakePool(int replicas, kube::Json more = kube::Json::object()) {
    more["replicas"] = replicas;
    scene_.CreatePool(std::move(more));
    scene_.Passes(3);
  }
  void Scale(int replicas) { scene_.SetSpec("replicas", replicas); }
  void MakeBusy(Duration done_in) {
    for (auto& [pod, worker] : scene_.frontend_.workers) worker = {1, worker.draining, done_in};
  }
  void RefusePods(int status, const std::string& body) {
    scene_.api_.Add({.kind = KubeFault::Kind::kStatus,
                     .verb = "create",
                     .plural = "pods",
                     .times = 1000,
                     .status = status,
                     .body = body});
  }

  PoolScene scene_;
};

TEST_F(WorkerPoolTest, GetsItsPodsAndSaysSo) {
  MakePool(3);
  EXPECT_EQ(scene_.Pods().size(), 3U);
  const kube::Json status = scene_.PoolStatus();
  EXPECT_EQ(status["replicas"], 3);
  EXPECT_EQ(status["ready"], 3);
  EXPECT_EQ(status["updated"], 3);
  EXPECT_EQ(status["busy"], 0);
  EXPECT_EQ(status["podsMade"], 3);
  EXPECT_EQ(status["selector"], "twofold.dev/pool=p,!twofold.dev/leaving-since");
  EXPECT_EQ(status["nodes"].size(), 3U);
  EXPECT_EQ(scene_.Condition("Accepted"), "True Checked");
  EXPECT_EQ(scene_.Condition("PodsCreated"), "True Created");
  EXPECT_EQ(scene_.Condition("Ready"), "True WorkersReady");
  EXPECT_EQ(scene_.Condition("Updated"), "True AllUpdated");
}

TEST_F(WorkerPoolTest, OfNoneWakes) {
  MakePool(0);
  EXPECT_EQ(scene_.PoolStatus()["replicas"], 0);
  EXPECT_NE(scene_.PoolStatus()["selector"], "");
  Scale(2);
  scene_.Passes(3);
  EXPECT_EQ(scene_.PoolStatus()["ready"], 2);
}

TEST_F(WorkerPoolTest, SendsIdleWorkersHomeAndWaitsForBusyOnes) {
  MakePool(3);
  const std::string busy = scene_.frontend_.workers.begin()->first;
  scene_.frontend_.workers[busy].busy = 1;
  Scale(0);
  scene_.Passes(5);
  ASSERT_EQ(scene_.Pods().size(), 1U);
  EXPECT_EQ(kube::NameOf(scene_.Pods()[0]).name, busy);
  EXPECT_EQ(scene_.PoolStatus()["replicas"], 0) << "what leaves does not count";
  EXPECT_EQ(scene_.PoolStatus()["draining"], 1);
  EXPECT_TRUE(scene_.frontend_.workers[busy].draining);
  scene_.frontend_.workers[busy].busy = 0;
  scene_.Passes(4);
  EXPECT_THAT(scene_.Pods(), IsEmpty());
  EXPECT_EQ(scene_.PoolStatus()["draining"], 0);
}

TEST_F(WorkerPoolTest, ThoseThatAreDoneSoonestGoFirst) {
  MakePool(3);
  MakeBusy(std::chrono::hours(1));
  const std::string soon = scene_.frontend_.workers.rbegin()->first;
  scene_.frontend_.workers[soon].done_in = std::chrono::seconds(5);
  Scale(2);
  scene_.Passes(2);
  EXPECT_THAT(scene_.Leaving(), ElementsAre(soon));
}

TEST_F(WorkerPoolTest, DeletesAPodWhoseGraceIsOver) {
  MakePool(1, {{"drainSeconds", 60}});
  MakeBusy(std::chrono::hours(1));
  Scale(0);
  scene_.Passes(30);
  EXPECT_EQ(scene_.Pods().size(), 1U);
  scene_.Passes(40);
  EXPECT_THAT(scene_.Pods(), IsEmpty());
}

TEST_F(WorkerPoolTest, WithoutTheFrontendNobodyIsSentHome) {
  MakePool(3);
  scene_.frontend_.fault = absl::UnavailableError("nobody there");
  Scale(1);
  scene_.Passes(5);
  EXPECT_EQ(scene_.Pods().size(), 3U);
  EXPECT_THAT(scene_.Leaving(), IsEmpty());
  EXPECT_EQ(scene_.Condition("WorkersKnown"), "Unknown FrontendAway");
  Scale(4);
  scene_.Passes(2);
  EXPECT_EQ(scene_.Pods().size(), 4U) << "more may come";
  scene_.frontend_.fault = absl::OkStatus();
  Scale(1);
  scene_.Passes(6);
  EXPECT_EQ(scene_.Pods().size(), 1U);
  EXPECT_EQ(scene_.Condition("WorkersKnown"), "True WorkersFound");
}

TEST_F(WorkerPoolTest, AWorkerThatReconnectsIsNotTakenForGone) {
  MakePool(1);
  MakeBusy(std::chrono::hours(1));
  Scale(0);
  scene_.Passes(3);
  const auto workers = scene_.frontend_.workers;
  scene_.frontend_.workers.clear();  // it was started anew
  scene_.Passes(20);
  scene_.frontend_.workers = workers;
  scene_.Passes(20);
  EXPECT_EQ(scene_.Pods().size(), 1U);
}

TEST_F(WorkerPoolTest, ReplacesAPodThatWasDeletedOrEnded) {
  MakePool(2);
  scene_.api_.Remove(kube::kPods, kube::NameOf(scene_.Pods()[0]));
  scene_.Passes(2);
  EXPECT_EQ(scene_.Pods().size(), 2U);
  scene_.Wait(std::chrono::minutes(2));
  scene_.End(kube::NameOf(scene_.Pods()[0]));
  scene_.Passes(3);
  EXPECT_EQ(scene_.Pods().size(), 2U);
  EXPECT_EQ(scene_.PoolStatus()["ready"], 2);
  EXPECT_EQ(scene_.PoolStatus()["podsMade"], 4);
}

// ---- another template

TEST_F(WorkerPoolTest, ANewTemplateReplacesOneAfterTheOther) {
  MakePool(3);
  MakeBusy(std::chrono::minutes(1));
  scene_.SetSpec("template", PoolScene::TemplateOf("two"));
  std::size_t most = 0;
  int passes = 0;
  for (; passes < 60; ++passes) {
    scene_.Passes(1);
    if (scene_.Condition("Updated") == "True AllUpdated") break;
    most = std::max(most, scene_.Leaving().size());
    for (auto& [pod, worker] : scene_.frontend_.workers) {
      if (worker.draining && passes % 4 == 0) worker.busy = 0;  // its job has ended
    }
  }
  EXPECT_EQ(most, 1U);
  EXPECT_EQ(scene_.PoolStatus()["updated"], 3);
  for (auto& [pod, worker] : scene_.frontend_.workers) worker.busy = 0;
  scene_.Passes(4);
  EXPECT_EQ(scene_.Pods().size(), 3U);
  for (const kube::Json& pod : scene_.Pods()) {
    EXPECT_EQ(pod["spec"]["containers"][0]["image"], "two");
  }
}

// ---- why not more

TEST_F(WorkerPoolTest, SaysThatAQuotaIsUsedUp) {
  RefusePods(403, kQuota);
  MakePool(3);
  EXPECT_EQ(scene_.Condition("PodsCreated"), "False QuotaExceeded");
  EXPECT_THAT(scene_.Message("PodsCreated"), HasSubstr("limited: pods=2"));
  EXPECT_EQ(scene_.Condition("Ready"), "False WorkersMissing");
  bool is_told = false;
  for (const kube::Json& event : scene_.api_.All(kube::kEvents)) {
    is_told = is_told || event["reason"] == "QuotaExceeded";
  }
  EXPECT_TRUE(is_told);
}

TEST_F(WorkerPoolTest, SaysThatPodSecurityRefuses) {
  RefusePods(403, R"({"kind": "Status", "code": 403, "reason": "Forbidden", "message":
    "pods \"p-x\" is forbidden: violates PodSecurity \"restricted:latest\": hostNetwork"})");
  MakePool(1);
  EXPECT_EQ(scene_.Condition("PodsCreated"), "False PodSecurityRefused");
}

TEST_F(WorkerPoolTest, SaysThatATemplateIsRefused) {
  RefusePods(422, R"({"kind": "Status", "code": 422, "reason": "Invalid", "message": "bad"})");
  MakePool(1);
  EXPECT_EQ(scene_.Condition("PodsCreated"), "False PodInvalid");
}

TEST_F(WorkerPoolTest, ThatAnAdminForbidsStaysAsItIsUntilItIsAllowed) {
  MakePool(1);
  scene_.frontend_.bar = Bar{true, "Forbidden", "not here"};
  scene_.SetSpec("replicas", 3);
  scene_.Passes(4);
  EXPECT_EQ(scene_.Condition("Accepted"), "False Forbidden");
  EXPECT_EQ(scene_.Message("Accepted"), "not here");
  EXPECT_EQ(scene_.Pods().size(), 1U);
  scene_.frontend_.bar.reset();
  scene_.Passes(4);
  EXPECT_EQ(scene_.Condition("Accepted"), "True Checked");
  EXPECT_EQ(scene_.Pods().size(), 3U);
}

TEST_F(WorkerPoolTest, SaysThatNoNodeTakesItsPods) {
  scene_.has_nodes = false;
  MakePool(2);
  for (const kube::Json& pod : scene_.Pods()) {
    scene_.api_.Change(kube::kPods, kube::NameOf(pod), [](kube::Json& object) {
      object["status"] = {
          {"phase", "Pending"},
          {"conditions",
           kube::Json::array(
               {{{"type", "PodScheduled"}, {"status", "False"}, {"message", "no GPU"}}})}};
    });
  }
  scene_.Passes(1);
  EXPECT_EQ(scene_.Condition("Scheduled"), "False Unschedulable");
  EXPECT_EQ(scene_.Message("Scheduled"), "2 of 2 pods: no GPU");
  Scale(0);
  scene_.frontend_.fault = absl::UnavailableError("nobody there");
  scene_.Passes(3);
  EXPECT_THAT(scene_.Pods(), IsEmpty()) << "they have no worker who could have a job";
}

TEST_F(WorkerPoolTest, SaysThatReadyPodsAreNoWorkersOfTheQueue) {
  MakePool(1);
  scene_.frontend_.workers.clear();
  scene_.Passes(60);
  EXPECT_EQ(scene_.Condition("WorkersKnown"), "False NotNamedAfterPod");
}

TEST_F(WorkerPoolTest, SaysWhichFieldIsWrong) {
  MakePool(1, {{"drainSeconds", -1}});
  EXPECT_EQ(scene_.Condition("Accepted"), "False InvalidSpec");
  EXPECT_THAT(scene_.Message("Accepted"), HasSubstr("spec.drainSeconds"));
  EXPECT_THAT(scene_.Pods(), IsEmpty());
}

TEST_F(WorkerPoolTest, MakesNoPodsThatTheOperatorHasNoRoomToKnow) {
  scene_.cluster().has_room = false;
  MakePool(1);
  EXPECT_THAT(scene_.Pods(), IsEmpty());
  EXPECT_EQ(scene_.Condition("PodsCreated"), "False TooManyPods");
}

TEST_F(WorkerPoolTest, SaysThatAWebhookFails) {
  RefusePods(500, R"({"kind": "Status", "code": 500, "reason": "InternalError", "message":
    "Internal error occurred: failed calling webhook \"x\""})");
  MakePool(1);
  EXPECT_EQ(scene_.Condition("PodsCreated"), "False PodsRefused");
  EXPECT_THAT(scene_.Message("PodsCreated"), HasSubstr("failed calling webhook"));
}

TEST_F(WorkerPoolTest, APodThatMayNotBeDeletedOrMarkedHoldsUpNoOther) {
  for (const std::string method : {"DELETE", "PATCH"}) {
    SCOPED_TRACE(method);
    PoolScene scene;
    scene.CreatePool({{"replicas", 3}});
    scene.Passes(3);
    const std::string kept = kube::NameOf(scene.Pods()[0]).name;
    scene.cluster().denied = method + " " + kept;
    scene.SetSpec("replicas", 0);
    scene.Passes(8);
    ASSERT_EQ(scene.Pods().size(), 1U);
    EXPECT_EQ(kube::NameOf(scene.Pods()[0]).name, kept);
    EXPECT_TRUE(scene.last().ok()) << scene.last();
    EXPECT_EQ(scene.Pass()->again, std::chrono::seconds(15));
    bool is_told = false;
    for (const kube::Json& event : scene.api_.All(kube::kEvents)) {
      is_told = is_told || event["reason"] == "PodKept";
    }
    EXPECT_TRUE(is_told);
    scene.SetSpec("replicas", 2);
    scene.Passes(3);
    EXPECT_EQ(scene.Condition("Ready"), "True WorkersReady");
  }
}

// ---- caches and operators

TEST_F(WorkerPoolTest, AStaleCacheMakesNoPodTwice) {
  scene_.cluster().stale.emplace();  // the watch is slow
  MakePool(3);
  EXPECT_EQ(scene_.Pods().size(), 3U);
  scene_.StartOperator();
  scene_.cluster().stale.emplace();  // another operator, whose watch is slow as well
  scene_.Passes(5);
  EXPECT_EQ(scene_.Pods().size(), 3U);
}

TEST_F(WorkerPoolTest, AnotherPoolOfTheSameNameGetsPodsOfItsOwn) {
  MakePool(2);
  kube::Connection connection(scene_.api_.access());
  const auto first = scene_.Pods();
  scene_.api_.Remove(pools::kWorkerPools, {"a", "p"});
  MakePool(2);
  std::set<std::string> names;
  for (const kube::Json& pod : scene_.Pods()) names.insert(kube::NameOf(pod).name);
  std::size_t of_second = names.size();
  for (const kube::Json& pod : first) of_second -= names.count(kube::NameOf(pod).name);
  EXPECT_EQ(of_second, 2U);
}

TEST_F(WorkerPoolTest, WhoIsBusyIsNotWrittenEachTimeThatItChanges) {
  MakePool(2);
  scene_.Wait(std::chrono::minutes(1));
  std::ignore = scene_.Pass();
  const std::size_t before = scene_.api_.requests().size();
  for (int i = 0; i < 4; ++i) {
    scene_.Wait(std::chrono::seconds(1));
    if (i % 2 == 0) {
      MakeBusy(std::chrono::seconds(i));
    } else {
      for (auto& [pod, worker] : scene_.frontend_.workers) worker.busy = 0;
    }
    std::ignore = scene_.Pass();
  }
  EXPECT_LE(scene_.api_.requests().size(), before + 1);
  scene_.Wait(std::chrono::seconds(6));
  MakeBusy(std::chrono::seconds(1));
  std::ignore = scene_.Pass();
  EXPECT_EQ(scene_.PoolStatus()["busy"], 2);
}

TEST_F(WorkerPoolTest, HoweverOftenPodsChangeTheFrontendIsAskedOnceASecond) {
  MakePool(3);
  MakeBusy(std::chrono::minutes(1));
  scene_.Wait(std::chrono::seconds(1));
  scene_.frontend_.looks = 0;
  for (int i = 0; i < 10; ++i) std::ignore = scene_.Pass();
  EXPECT_EQ(scene_.frontend_.looks, 1);
  Scale(1);
  for (int i = 0; i < 10; ++i) std::ignore = scene_.Pass();
  EXPECT_EQ(scene_.frontend_.looks, 2) << "and when the pool shrinks";
  EXPECT_EQ(scene_.Leaving().size(), 2U);
  scene_.Wait(std::chrono::seconds(1));
  std::ignore = scene_.Pass();
  EXPECT_EQ(scene_.frontend_.looks, 3);
}

/// What is left when a pool of 3 has grown to 5 and shrunk to 1, one worker being busy for a while.
std::vector<std::string> PlayWalk(Gate gate, std::size_t* writes) {
  PoolScene scene;
  scene.CreatePool({{"replicas", 3}});
  scene.StartOperator(gate);
  constexpr int kGrows = 8;
  constexpr int kShrinks = 16;
  constexpr int kIsIdle = 26;
  for (int i = 0; i < 40; ++i) {
    if (i == kGrows) scene.SetSpec("replicas", 5);
    if (i == kShrinks) {
      for (auto& [pod, worker] : scene.frontend_.workers) worker.busy = 1;
      scene.SetSpec("replicas", 1);
    }
    if (i == kIsIdle) {
      for (auto& [pod, worker] : scene.frontend_.workers) worker.busy = 0;
    }
    try {
      scene.Passes(1);
    } catch (const Killed&) {
      scene.StartOperator();
    }
    EXPECT_LE(scene.Pods().size(), 5U);
    if (i > kShrinks && i < kIsIdle) {
      EXPECT_EQ(scene.Pods().size(), 5U) << "nobody's job is stopped";
    }
  }
  if (writes != nullptr) *writes = scene.writes();
  std::vector<std::string> end = {scene.Condition("Ready"), scene.Condition("PodsCreated"),
                                  scene.PoolStatus()["replicas"].dump(),
                                  std::to_string(scene.Pods().size()),
                                  std::to_string(scene.Leaving().size())};
  return end;
}

TEST(WorkerPoolWalk, AFaultAtAnyWriteChangesNothingOfTheEnd) {
  std::size_t writes = 0;
  const auto whole = PlayWalk({}, &writes);
  EXPECT_THAT(whole, ElementsAre("True WorkersReady", "True Created", "1", "1", "0"));
  ASSERT_GT(writes, 20U);
  for (std::size_t at = 0; at < writes; ++at) {
    for (const Gate::Fault fault : {Gate::Fault::kKillBefore, Gate::Fault::kKillAfter,
                                    Gate::Fault::kLoseRequest, Gate::Fault::kLoseReply}) {
      SCOPED_TRACE(::testing::Message() << "write " << at << ", fault " << static_cast<int>(fault));
      EXPECT_EQ(PlayWalk(Gate(at, fault), nullptr), whole);
    }
  }
}

// ---- texts

TEST(PoolStatus, NamesTheFullestNodesAndABoundedNumber) {
  pools::PoolCounts counts;
  for (std::size_t i = 0; i < 70; ++i) counts.nodes.push_back({"n" + std::to_string(i), i});
  const kube::Json pool = {{"metadata", {{"name", "p"}}}};
  StatusDraft draft(pool, kube::UnixTime());
  SetPoolCounts({}, counts, draft);
  EXPECT_EQ(draft.status()["nodes"].size(), kMostNodes);
  EXPECT_EQ(draft.status()["nodes"][0]["name"], "n69");
  EXPECT_EQ(draft.status()["nodesInAll"], 70);
}

TEST(PoolStatus, SaysWhatTheFrontendDoes) {
  const auto reason = [](const Status& status) { return KnownCondition(status, {}, {}).reason; };
  EXPECT_EQ(reason(absl::NotFoundError("")), "NoSuchQueue");
  EXPECT_EQ(reason(absl::PermissionDeniedError("")), "FrontendRefuses");
  EXPECT_EQ(reason(absl::DeadlineExceededError("")), "FrontendAway");
  EXPECT_EQ(reason(absl::OkStatus()), "WorkersFound");
}

}  // namespace
}  // namespace twofold::benchmarks
