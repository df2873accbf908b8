// twofold-operator with a WorkerPool, a real frontend and real workers: an API server in memory,
// and a test that plays kubelet.

#include <absl/strings/str_cat.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <string>

#include "kubernetes/controller/ownership.h"
#include "kubernetes/operator/group.h"
#include "kubernetes/pools/pods.h"
#include "tests/fakes/kube_api.h"
#include "tests/integration/cluster_fixture.h"
#include "tests/integration/rights.h"

namespace twofold::testing {
namespace {

using kube::Json;

class WorkerPoolTest : public ClusterTest {
 protected:
  void SetUp() override {
    StartFrontend({"sleep"});
    std::ofstream(folder_ / "kubeconfig")
        << "{clusters: [{name: c, cluster: {server: \"" << api_.url()
        << "\"}}], users: [{name: u, user: {}}], contexts: [{name: x, context: {cluster: c, user: "
           "u, namespace: operators}}], current-context: x}\n";
  }

  void StartOperator() {
    operator_ = std::make_unique<Program>(
        "twofold-operator",
        Arguments{"--frontend", client_address_, "--kubeconfig", folder_ / "kubeconfig",
                  "--http-address", "127.0.0.1:0", "--ready-file", folder_ / "operator", "--poll",
                  "0.05", "--lease-duration", "2", "--namespace", "validation", "--worker-pools",
                  "monitoring"});
  }
  void CreatePool(int replicas) {
    api_.Put(
        pools::kWorkerPools,
        {{"apiVersion", "twofold.dev/v1alpha1"},
         {"kind", "WorkerPool"},
         {"metadata", {{"name", "p"}, {"namespace", "monitoring"}, {"generation", 1}}},
         {"spec",
          {{"replicas", replicas},
           {"queue", "sleep"},
           {"template", {{"spec", {{"containers", Json::array({{{"name", "backend"}}})}}}}}}}});
  }
  void Scale(int replicas) {
    api_.Change(pools::kWorkerPools, {"monitoring", "p"},
                [&](Json& pool) { pool["spec"]["replicas"] = replicas; });
  }

  /// Starts workers of new pods, and says which have ended. A pod that is deleted gets SIGTERM.
  void PlayKubelet() {
    for (const Json& pod : api_.All(kube::kPods)) {
      const kube::ObjectName name = kube::NameOf(pod);
      if (!workers_.contains(name.name)) {
        if (!controller::IsBeingDeleted(pod)) Start(name);
        continue;
      }
      Program& worker = *workers_[name.name];
      if (!worker.running()) {
        if (controller::IsBeingDeleted(pod)) {
          api_.Remove(kube::kPods, name);
        } else if (kube::TextAt(pod, "/status/phase") == "Running") {
          ended_well_ += worker.Wait() == 0 ? 1 : 0;
          api_.Change(kube::kPods, name, [](Json& object) {
            object["status"] = {{"phase", "Succeeded"}};
          });
        }
      } else if (controller::IsBeingDeleted(pod) && told_.insert(name.name).second) {
        worker.Signal(SIGTERM);
      }
    }
  }
  void Start(const kube::ObjectName& name) {
    ::setenv("TEST_POD_NAME", name.name.c_str(), 1);
    workers_[name.name] =
        StartBackend({"sleep", "uniform:0.02-0.2"}, {"--pod-env", "TEST_POD_NAME"});
    api_.Change(kube::kPods, name, [](Json& pod) {
      pod["spec"]["nodeName"] = "n1";
      pod["status"] = {{"phase", "Running"},
                       {"conditions", Json::array({{{"type", "Ready"}, {"status", "True"}}})}};
    });
  }
  Json PoolStatus() {
    const auto pool = api_.Find(pools::kWorkerPools, {"monitoring", "p"});
    return pool && pool->contains("status") ? (*pool)["status"] : Json::object();
  }
  void AwaitPods(std::size_t count) {
    EXPECT_TRUE(Await([&] {
      PlayKubelet();
      const Json status = PoolStatus();
      return api_.All(kube::kPods).size() == count && status.value("ready", 0U) == count &&
             status.value("draining", 1U) == 0;
    })) << PoolStatus().dump(1);
  }

  fakes::KubeApi api_{{.resources = {benchmarks::kBenchmarks, pools::kWorkerPools}}};
  std::map<std::string, std::unique_ptr<Program>> workers_;  // by pod
  std::set<std::string> told_;
  int ended_well_ = 0;
  std::unique_ptr<Program> operator_;
};

TEST_F(WorkerPoolTest, ScalingInUnderLoadHarmsNoJob) {
  StartOperator();
  CreatePool(4);
  AwaitPods(4);
  AwaitProcesses(4);
  const Client client = StartClient();
  SetParallel(client, 6);
  EXPECT_TRUE(Await([&] { return Finished("succeeded") > 0; })) << "the load has begun";
  const int rounds = std::getenv("TWOFOLD_NIGHTLY") != nullptr ? 334 : 1;  // a thousand scale-ins
  for (int round = 0; round < rounds; ++round) {
    for (const std::size_t replicas : {1U, 4U, 0U, 3U, 2U, 4U}) {
      Scale(static_cast<int>(replicas));
      AwaitPods(replicas);
    }
  }
  SetParallel(client, 0);
  EXPECT_TRUE(
      Await([&] { return Series("twofold_jobs{queue=\"sleep\",state=\"running\"}") == 0; }));
  EXPECT_EQ(ended_well_, 8 * rounds) << "each was drained, and none was told to end by a signal";
  EXPECT_TRUE(told_.empty());
  EXPECT_EQ(Series("twofold_attempts_requeued_total{queue=\"sleep\"}"), 0);
  EXPECT_EQ(Finished("lost") + Finished("failed"), 0);
}

TEST_F(WorkerPoolTest, UsesTheRightsOfItsRoleAndNoOthers) {
  ListFirst(api_, {"workerpools", "pods"});
  StartOperator();
  CreatePool(2);
  AwaitPods(2);
  for (int i = 0; i < 2; ++i) {  // what happens again is a patch of its event
    Scale(1);
    AwaitPods(1);
    Scale(2);
    AwaitPods(2);
  }
  Rights used = UsedOf(api_);
  std::erase_if(used, [](const std::string& each) { return !each.starts_with("monitoring "); });
  EXPECT_EQ(used, AllowedBy("benchmark-operator/pools/role.yaml"));
}

}  // namespace
}  // namespace twofold::testing
