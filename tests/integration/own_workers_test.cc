// twofold-operator with a Benchmark that has workers of its own, a real frontend and real workers,
// whose fio is a script: an API server in memory, and a test that plays kubelet. An object of
// kube-perftest has some, too.

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "kubernetes/controller/ownership.h"
#include "kubernetes/operator/gang_scheduler.h"
#include "kubernetes/operator/group.h"
#include "kubernetes/operator/object_kind.h"
#include "kubernetes/pools/pods.h"
#include "tests/fakes/kube_api.h"
#include "tests/integration/durable_cluster.h"
#include "tests/integration/rights.h"
#include "tests/integration/scripted_fio.h"

namespace twofold::testing {
namespace {

using benchmarks::kBenchmarks;
using kube::Json;
using ::testing::HasSubstr;

class OwnWorkersTest : public DurableClusterTest {
 protected:
  void SetUp() override {
    StartDurable();
    WriteFio();
    PutAdminsPool();
    ListFirst(api_, {"benchmarks", "workerpools", "workerpools", "pods"});  // of two namespaces
    std::ofstream(folder_ / "kubeconfig")
        << "{clusters: [{name: c, cluster: {server: \"" << api_.url()
        << "\"}}], users: [{name: u, user: {}}], contexts: [{name: x, context: {cluster: c, user: "
           "u, namespace: operators}}], current-context: x}\n";
    operator_ = std::make_unique<Program>(
        "twofold-operator",
        Arguments{"--frontend", client_address_, "--kubeconfig", folder_ / "kubeconfig",
                  "--http-address", "127.0.0.1:0", "--poll", "0.05", "--lease-duration", "2",
                  "--namespace", "validation", "--own-workers", "--perftest", "--perftest-workers",
                  "monitoring"});
  }

  void WriteFio() const {
    std::filesystem::create_directory(folder_ / "tools");
    const std::string fio = folder_ / "tools/fio";
    std::ofstream(fio) << "#!/bin/sh\ncase \"$*\" in *--create_only*|*--version*) exit;; esac\n"
                       << "cat " << TWOFOLD_SOURCE << "/tests/golden/suites/fio/worker0.json\n";
    std::filesystem::permissions(fio, std::filesystem::perms::owner_all);
  }

  /// By which objects of kube-perftest have workers: of all their kinds.
  void PutAdminsPool() {
    api_.Put(
        pools::kWorkerPools,
        {{"apiVersion", "twofold.dev/v1alpha1"},
         {"kind", "WorkerPool"},
         {"metadata",
          {{"name", "perftest"},
           {"namespace", "monitoring"},
           {"labels", {{"twofold.dev/workers-for", "perftest"}}},
           {"annotations", {{"twofold.dev/kinds", "*"}}}}},
         {"spec", {{"queue", "sleep"}, {"replicas", 0}, {"template", Workers()["template"]}}}});
  }
  [[nodiscard]] std::size_t CountOwnPools() const {
    const auto pools = api_.All(pools::kWorkerPools);
    return static_cast<std::size_t>(std::count_if(pools.begin(), pools.end(), [](const Json& pool) {
      return kube::NameOf(pool).space == "validation";
    }));
  }

  static Json Workers() {
    return {{"replicas", 2},
            {"template", {{"spec", {{"containers", Json::array({{{"name", "backend"}}})}}}}}};
  }
  void DeleteBenchmark() {
    kube::Connection connection(api_.access());
    ASSERT_TRUE(connection.Do(kube::Delete(kBenchmarks, {"validation", "x"})).ok());
    EXPECT_TRUE(Await([&] { return !api_.Find(kBenchmarks, {"validation", "x"}); }));
  }
  void CreateBenchmark(const Json& more = Json::object()) {
    Json spec = {{"template", ScriptedFioTemplate()},
                 {"repetitions", 4},
                 {"queue", "sleep"},
                 {"workers", Workers()}};
    spec.update(more);
    api_.Put(kBenchmarks,
             {{"apiVersion", "twofold.dev/v1alpha1"},
              {"kind", "Benchmark"},
              {"metadata", {{"name", "x"}, {"namespace", "validation"}, {"generation", 1}}},
              {"spec", spec}});
  }

  /// A pod that is made while its pool goes; the garbage collector sees to it.
  [[nodiscard]] bool IsOrphan(const Json& pod) const {
    const auto pools = api_.All(pools::kWorkerPools);
    return std::none_of(pools.begin(), pools.end(),
                        [&](const Json& pool) { return pools::Owns(pool, pod); });
  }
  /// Starts workers of new pods with the variable that these have; a pod that is deleted gets
  /// SIGTERM, and goes when its worker has.
  void PlayKubelet() {
    for (const Json& pod : api_.All(kube::kPods)) {
      const kube::ObjectName name = kube::NameOf(pod);
      const bool is_going = controller::IsBeingDeleted(pod) || IsOrphan(pod);
      const auto worker = workers_.find(name.name);
      if (worker == workers_.end()) {
        if (is_going) {
          api_.Remove(kube::kPods, name);
        } else if (runs_pods_) {
          Start(pod);
        }
      } else if (is_going && worker->second->running()) {
        if (told_.insert(name.name).second) worker->second->Signal(SIGTERM);
      } else if (is_going) {
        api_.Remove(kube::kPods, name);
      }
    }
  }
  void Start(const Json& pod) {
    const kube::ObjectName name = kube::NameOf(pod);
    for (const Json& each : pod["spec"]["containers"][0]["env"]) {
      if (each["name"] != "TWOFOLD_LABELS") continue;
      ::setenv("TWOFOLD_LABELS", each["value"].get<std::string>().c_str(), 1);
    }
    ::setenv("TEST_POD_NAME", name.name.c_str(), 1);
    workers_[name.name] =
        StartBackend({"fio"}, {"--pod-env", "TEST_POD_NAME", "--suite-path", folder_ / "tools"});
    ::unsetenv("TWOFOLD_LABELS");
    api_.Change(kube::kPods, name, [](Json& object) {
      object["spec"]["nodeName"] = "n1";
      object["status"] = {{"phase", "Running"},
                          {"conditions", Json::array({{{"type", "Ready"}, {"status", "True"}}})}};
    });
  }

  std::string Condition(const std::string& type) {
    const auto object = api_.Find(kind_, {"validation", "x"});
    const Json* condition = object ? kube::FindCondition(*object, type) : nullptr;
    if (condition == nullptr) return "";
    return kube::TextAt(*condition, "/status") + " " + kube::TextAt(*condition, "/reason");
  }
  void AwaitCondition(const std::string& type, const std::string& what) {
    EXPECT_TRUE(Await([&] {
      PlayKubelet();
      return Condition(type) == what;
    })) << type
        << " is " << Condition(type) << "\n"
        << api_.Find(kind_, {"validation", "x"}).value_or(Json()).dump(1);
  }
  /// The run has left neither pool nor pods.
  void AwaitNothingLeft() {
    EXPECT_TRUE(Await([&] {
      PlayKubelet();
      return CountOwnPools() == 0 && api_.All(kube::kPods).empty();
    })) << Json(api_.All(kube::kPods)).dump(1)
        << Json(api_.All(pools::kWorkerPools)).dump(1);
  }

  static std::vector<kube::Resource> Resources() {
    std::vector<kube::Resource> resources = {kBenchmarks, pools::kWorkerPools};
    for (const auto& each : benchmarks::PerftestKinds()) resources.push_back(each.resource);
    for (const auto& each : benchmarks::GangSchedulers()) {
      if (each.spec != nullptr) resources.push_back(each.group);
    }
    return resources;
  }

  fakes::KubeApi api_{{.resources = Resources()}};
  std::map<std::string, std::unique_ptr<Program>> workers_;  // by pod
  std::set<std::string> told_;
  bool runs_pods_ = true;
  kube::Resource kind_ = kBenchmarks;  // of the object x
  std::unique_ptr<Program> operator_;
};

TEST_F(OwnWorkersTest, AreMadeForTheRunDoAllOfItAndGo) {
  // It is of the queue, too, and not of the run.
  const auto other = StartBackend({"fio"}, {"--suite-path", folder_ / "tools"});
  AwaitProcesses(1);
  CreateBenchmark();
  AwaitCondition("Succeeded", "True AllJobsSucceeded");
  EXPECT_EQ(Condition("WorkersReady"), "True WorkersFound");
  EXPECT_EQ(workers_.size(), 2U);
  const auto jobs = List((*api_.Find(kBenchmarks, {"validation", "x"}))["status"]["runId"]);
  EXPECT_EQ(jobs.size(), 4U);
  for (const v1::Job& job : jobs) EXPECT_TRUE(workers_.contains(job.worker().pod()));
  AwaitNothingLeft();
  for (const auto& [pod, worker] : workers_) EXPECT_EQ(worker->Wait(), 0) << worker->output();
}

TEST_F(OwnWorkersTest, AreMadeForAnObjectOfKubePerftestByAnAdminsPool) {
  for (const auto& each : benchmarks::PerftestKinds()) {
    if (each.resource.kind == "Fio") kind_ = each.resource;
  }
  Json spec = ScriptedFioTemplate()["spec"];
  spec.update({{"hostNetwork", true}, {"resources", {{"limits", {{"example.com/nic", 1}}}}}});
  api_.Put(kind_, {{"apiVersion", kube::ApiVersion(kind_)},
                   {"kind", "Fio"},
                   {"metadata", {{"name", "x"}, {"namespace", "validation"}}},
                   {"spec", spec}});
  AwaitCondition("Succeeded", "True AllJobsSucceeded");
  const auto object = api_.Find(kind_, {"validation", "x"});
  EXPECT_EQ((*object)["status"]["phase"], "Completed");
  ASSERT_EQ(workers_.size(), 1U);
  for (const v1::Job& job : List((*object)["status"]["runId"])) {
    EXPECT_TRUE(workers_.contains(job.worker().pod()));
  }
  AwaitNothingLeft();
}

TEST_F(OwnWorkersTest, GoWithABenchmarkThatIsDeletedBeforeTheyAreReady) {
  runs_pods_ = false;
  CreateBenchmark();
  AwaitCondition("WorkersReady", "False WorkersMissing");
  EXPECT_TRUE(Await([&] { return api_.All(kube::kPods).size() == 2; }));
  DeleteBenchmark();
  AwaitNothingLeft();
}

TEST_F(OwnWorkersTest, ThatPodSecurityRefusesEndTheRunAtOnce) {
  api_.Add({.kind = fakes::KubeFault::Kind::kStatus,
            .verb = "create",
            .plural = "pods",
            .times = 1000,
            .status = 403,
            .body = R"({"kind": "Status", "code": 403, "reason": "Forbidden", "message":
                "pods is forbidden: violates PodSecurity \"restricted:latest\": hostNetwork"})"});
  CreateBenchmark();
  AwaitCondition("Failed", "True PodSecurityRefused");
  const auto object = api_.Find(kBenchmarks, {"validation", "x"});
  EXPECT_THAT(kube::TextAt(*kube::FindCondition(*object, "Failed"), "/message"),
              HasSubstr("restricted:latest"));
  AwaitNothingLeft();
}

TEST_F(OwnWorkersTest, UseTheRightsOfTheirRolesAndNoOthers) {
  CreateBenchmark({{"ttlSecondsAfterFinished", 0}});
  AwaitCondition("Running", "True Running");
  EXPECT_TRUE(Await([&] {
    PlayKubelet();
    return !api_.Find(kBenchmarks, {"validation", "x"});
  }));
  AwaitNothingLeft();
  runs_pods_ = false;
  for (const auto& scheduler : benchmarks::GangSchedulers()) {
    if (scheduler.spec == nullptr) continue;
    Json workers = Workers();
    workers["scheduling"] = scheduler.name;
    workers["claims"] = Json::array({{{"name", "shared"}, {"spec", Json::object()}}});
    CreateBenchmark({{"workers", workers}});
    EXPECT_TRUE(Await([&] { return !api_.All(scheduler.group).empty(); })) << scheduler.name;
    DeleteBenchmark();
    EXPECT_TRUE(Await([&] {
      return api_.All(scheduler.group).empty() && api_.All(kube::kPersistentVolumeClaims).empty();
    })) << scheduler.name;
  }
  Rights used = UsedOf(api_);
  std::erase_if(used, [](const std::string& each) {
    return each.find("pools") == std::string::npos && each.find("/pod") == std::string::npos &&
           each.find("claims") == std::string::npos;
  });
  Rights allowed = AllowedBy("benchmark-operator/own-workers/role.yaml");
  allowed.merge(AllowedBy("benchmark-operator/perftest-workers/rights/rights.yaml"));
  // Of pools that shrink or whose workers end, which the tests of those have (worker_pool_test.cc).
  for (const char* verb : {"patch", "delete"}) {
    EXPECT_EQ(allowed.erase(absl::StrCat("validation /pods ", verb)), 1U);
    used.erase(absl::StrCat("validation /pods ", verb));
  }
  EXPECT_EQ(used, allowed);
}

}  // namespace
}  // namespace twofold::testing
