#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kubernetes/api/errors.h"
#include "kubernetes/controller/ownership.h"
#include "kubernetes/operator/group.h"
#include "kubernetes/operator/pool_reconciler.h"
#include "tests/fakes/kube_api.h"
#include "tests/kubernetes/operator/fake_runs.h"

namespace twofold::benchmarks {

/// A frontend with workers that have one job at most. It outlives operators.
class FakePoolFrontend final : public PoolFrontend {
 public:
  explicit FakePoolFrontend(Gate& gate) : gate_(gate) {}

  [[nodiscard]] std::optional<Bar> BarTo(const kube::Json&) const override { return bar; }

  Result<pools::WorkersSeen> Look(const kube::Json&, bool with_ends) override {
    ++looks;
    if (!fault.ok()) return fault;
    pools::WorkersSeen seen = workers;
    for (auto& [pod, worker] : seen) {
      if (!with_ends) worker.done_in.reset();
    }
    return seen;
  }

  Status Drain(const kube::Json&, const std::string& pod) override {
    if (!fault.ok()) return fault;
    return gate_.Pass([&] {
      if (workers.contains(pod)) workers[pod].draining = true;
    });
  }

  pools::WorkersSeen workers;
  Status fault;
  std::optional<Bar> bar;
  int looks = 0;

 private:
  Gate& gate_;
};

/// The API server in memory. The cache of pods can be one of a while ago.
class DirectPools final : public PoolCluster {
 public:
  DirectPools(const fakes::KubeApi& api, Gate& gate)
      : api_(api), gate_(gate), connection_(api.access()) {}

  bool has_room = true;
  std::optional<std::vector<kube::Json>> stale;  ///< what the cache of pods has; else all
  std::string denied;                            ///< a webhook lets nobody do that: "DELETE p-1"

  [[nodiscard]] controller::Snapshot Find(const kube::ObjectName& pool) const override {
    auto object = api_.Find(pools::kWorkerPools, pool);
    return object ? std::make_shared<const kube::Json>(*std::move(object)) : nullptr;
  }
  [[nodiscard]] std::vector<controller::Snapshot> PodsOf(
      const kube::ObjectName& pool) const override {
    std::vector<controller::Snapshot> pods;
    for (kube::Json& each : stale ? std::vector(*stale) : api_.All(kube::kPods)) {
      if (kube::LabelOf(each, pools::kPoolLabel) != pool.name) continue;
      pods.push_back(std::make_shared<const kube::Json>(std::move(each)));
    }
    return pods;
  }
  [[nodiscard]] bool knows_all() const override { return has_room; }
  Result<std::vector<std::string>> ListPodsOf(const kube::ObjectName&) override {
    std::vector<std::string> names;
    for (const kube::Json& each : api_.All(kube::kPods)) names.push_back(kube::NameOf(each).name);
    return names;
  }
  Result<kube::Json> Write(const kube::Call& call) override {
    const std::string path = call.target.substr(0, call.target.find('?'));
    if (call.method + " " + path.substr(path.rfind('/') + 1) == denied) {
      return kube::ErrorOf(call.what, 403, "admission webhook \"x\" denied the request");
    }
    Result<kube::Reply> reply = absl::UnknownError("not sent");
    Status passed = gate_.Pass([&] { reply = connection_.Do(call); });
    if (!passed.ok()) return passed;
    if (!reply.ok()) return reply.status();
    return std::move(reply->body);
  }

 private:
  const fakes::KubeApi& api_;
  Gate& gate_;
  kube::Connection connection_;
};

/// A cluster with a pool, whose pods are played; a frontend, and operators that come and go.
class PoolScene {
 public:
  PoolScene() { StartOperator(); }

  void CreatePool(kube::Json spec) {
    spec["queue"] = "sleep";
    if (!spec.contains("template")) spec["template"] = TemplateOf("one");
    kube::Connection connection(api_.access());
    const auto made = connection.Do(
        kube::Create(pools::kWorkerPools, {{"apiVersion", "twofold.dev/v1alpha1"},
                                           {"kind", "WorkerPool"},
                                           {"metadata", {{"name", "p"}, {"namespace", "a"}}},
                                           {"spec", std::move(spec)}}));
    ASSERT_TRUE(made.ok()) << made.status();
  }
  static kube::Json TemplateOf(const std::string& image) {
    return {
        {"spec", {{"containers", kube::Json::array({{{"name", "backend"}, {"image", image}}})}}}};
  }
  void SetSpec(const char* field, const kube::Json& value) {
    api_.Change(pools::kWorkerPools, {"a", "p"},
                [&](kube::Json& object) { object["spec"][field] = value; });
  }

  /// A new process; the one before is gone.
  void StartOperator(Gate gate = {}) {
    process_.reset();
    gate_ = gate;
    process_ = std::make_unique<Process>(*this);
  }

  Result<controller::Next> Pass() {
    auto next = process_->reconciler.Reconcile(process_->cluster, {"a", "p"}, now_, wall_);
    last_ = next.status();
    return next;
  }
  /// Passes, with the cluster's moves between them, and a second for each.
  void Passes(int count) {
    for (int i = 0; i < count; ++i) {
      std::ignore = Pass();
      Play();
      Wait(std::chrono::seconds(1));
    }
  }
  void Wait(Duration wait) {
    now_ += wait;
    wall_ += wait;
  }

  /// What scheduler, kubelets and workers do: pods get a node and become ready, their workers join;
  /// a worker that drains and has no job ends, and its pod with it; one that is deleted goes.
  void Play() {
    int node = 0;
    for (const kube::Json& pod : api_.All(kube::kPods)) {
      const kube::ObjectName name = kube::NameOf(pod);
      if (controller::IsBeingDeleted(pod)) {
        frontend_.workers.erase(name.name);
        api_.Remove(kube::kPods, name);
        continue;
      }
      const auto worker = frontend_.workers.find(name.name);
      if (kube::TextAt(pod, "/spec/nodeName").empty()) {
        if (has_nodes) Start(name, "n" + std::to_string(++node % 3));
      } else if (worker != frontend_.workers.end() && worker->second.draining &&
                 worker->second.busy == 0) {
        frontend_.workers.erase(worker);
        End(name);
      }
    }
  }
  void End(const kube::ObjectName& pod) {
    api_.Change(kube::kPods, pod, [](kube::Json& object) {
      object["status"] = {{"phase", "Succeeded"}};
    });
  }

  std::vector<kube::Json> Pods() { return api_.All(kube::kPods); }
  std::vector<std::string> Leaving() {
    std::vector<std::string> names;
    for (const kube::Json& pod : Pods()) {
      if (pools::PodOf(pod).leaving) names.push_back(kube::NameOf(pod).name);
    }
    return names;
  }
  kube::Json PoolStatus() {
    const auto pool = api_.Find(pools::kWorkerPools, {"a", "p"});
    return pool && pool->contains("status") ? (*pool)["status"] : kube::Json::object();
  }
  /// "False QuotaExceeded" of a condition.
  std::string Condition(const std::string& type) {
    const auto pool = api_.Find(pools::kWorkerPools, {"a", "p"});
    const kube::Json* condition = pool ? kube::FindCondition(*pool, type) : nullptr;
    if (condition == nullptr) return "";
    return kube::TextAt(*condition, "/status") + " " + kube::TextAt(*condition, "/reason");
  }
  std::string Message(const std::string& type) {
    const auto pool = api_.Find(pools::kWorkerPools, {"a", "p"});
    const kube::Json* condition = pool ? kube::FindCondition(*pool, type) : nullptr;
    return condition == nullptr ? "" : kube::TextAt(*condition, "/message");
  }

  [[nodiscard]] std::size_t writes() const { return gate_.writes(); }
  DirectPools& cluster() { return process_->cluster; }
  [[nodiscard]] const Status& last() const { return last_; }

  fakes::KubeApi api_{{.resources = {pools::kWorkerPools}}};
  FakePoolFrontend frontend_{gate_};
  bool has_nodes = true;

 private:
  struct Process {
    explicit Process(PoolScene& scene)
        : reconciler(scene.frontend_, {}, "pod"), cluster(scene.api_, scene.gate_) {}
    PoolReconciler reconciler;
    DirectPools cluster;
  };

  void Start(const kube::ObjectName& pod, const std::string& node) {
    api_.Change(kube::kPods, pod, [&](kube::Json& object) {
      object["spec"]["nodeName"] = node;
      object["status"] = {
          {"phase", "Running"},
          {"conditions", kube::Json::array({{{"type", "Ready"}, {"status", "True"}}})}};
    });
    frontend_.workers[pod.name] = {0, false, std::nullopt};
  }

  Gate gate_;
  std::unique_ptr<Process> process_;
  Status last_;
  Instant now_ = Instant() + std::chrono::hours(100);
  kube::UnixTime wall_ = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
};

}  // namespace twofold::benchmarks
