#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kubernetes/controller/conditions.h"
#include "kubernetes/operator/group.h"
#include "kubernetes/operator/measurement.h"
#include "kubernetes/operator/reconciler.h"
#include "kubernetes/pools/pods.h"
#include "tests/fakes/kube_api.h"
#include "tests/kubernetes/operator/fake_runs.h"

namespace twofold::benchmarks {

/// A real connection to the API server in memory, without a cache: an object is as it is.
class DirectCluster final : public Cluster {
 public:
  DirectCluster(const fakes::KubeApi& api, const kube::Resource& resource, Gate& gate)
      : api_(api), resource_(resource), gate_(gate), connection_(api.access()) {}

  bool prunes = false;  ///< conditions: the server has another definition

  [[nodiscard]] controller::Snapshot Find(const kube::ObjectName& name) const override {
    auto object = api_.Find(resource_, name);
    return object ? std::make_shared<const kube::Json>(*std::move(object)) : nullptr;
  }
  [[nodiscard]] std::vector<controller::Snapshot> All() const override {
    std::vector<controller::Snapshot> all;
    for (kube::Json& each : api_.All(resource_)) {
      all.push_back(std::make_shared<const kube::Json>(std::move(each)));
    }
    return all;
  }
  Result<kube::Json> Write(const kube::Call& call) override {
    Result<kube::Reply> reply = absl::UnknownError("not sent");
    Status passed = gate_.Pass([&] { reply = connection_.Do(call); });
    if (!passed.ok()) return passed;
    if (!reply.ok()) return reply.status();
    if (prunes && reply->body.contains("status")) reply->body["status"].erase("conditions");
    return std::move(reply->body);
  }

 private:
  const fakes::KubeApi& api_;
  const kube::Resource resource_;
  Gate& gate_;
  kube::Connection connection_;
};

/// A cluster, a frontend, and operators that come and go.
class Scene {
 public:
  static kube::Json Benchmark(const std::string& name, kube::Json spec = kube::Json::object()) {
    if (!spec.contains("template")) spec["template"] = {{"kind", "Fio"}};
    return {{"apiVersion", "twofold.dev/v1alpha1"},
            {"kind", "Benchmark"},
            {"metadata", {{"name", name}, {"namespace", "a"}}},
            {"spec", std::move(spec)}};
  }

  /// Of a run's own: two, of pods with this spec.
  static kube::Json Workers(kube::Json pod = kube::Json::object()) {
    if (!pod.contains("containers")) {
      pod["containers"] = kube::Json::array({{{"name", "backend"}, {"image", "one"}}});
    }
    return {{"replicas", 2}, {"template", {{"spec", std::move(pod)}}}};
  }

  void Create(const kube::Json& benchmark) {
    kube::Connection connection(api_.access());
    const auto made = connection.Do(kube::Create(kind_->resource, benchmark));
    ASSERT_TRUE(made.ok()) << made.status();
  }

  void Delete(const std::string& name) {
    kube::Connection connection(api_.access());
    const auto deleted = connection.Do(kube::Delete(kind_->resource, {"a", name}));
    ASSERT_TRUE(deleted.ok()) << deleted.status();
  }

  void SetSpec(const std::string& name, const char* field, const kube::Json& value) {
    api_.Change(kind_->resource, {"a", name},
                [&](kube::Json& object) { object["spec"][field] = value; });
  }

  /// A new process; the one before is gone.
  void StartOperator(Gate gate = {}) {
    operator_.reset();
    gate_ = gate;
    operator_ = std::make_unique<Process>(*this);
  }

  /// One pass at each object of these names; time goes on by what they ask to wait, or by a second.
  void Pass(const std::vector<std::string>& names) {
    Duration wait = std::chrono::seconds(60);
    for (const std::string& name : names) {
      const auto next = operator_->Reconcile(*kind_, {"a", name}, now_, wall_);
      const Duration again = next.ok() ? next->again.value_or(std::chrono::seconds(60))
                                       : Duration(std::chrono::milliseconds(5));
      wait = std::min(wait, again);
    }
    Wait(std::max<Duration>(wait, std::chrono::milliseconds(1)));
  }
  void Wait(Duration wait) {
    now_ += wait;
    wall_ += wait;
  }

  std::optional<kube::Json> Find(const std::string& name) {
    return api_.Find(kind_->resource, {"a", name});
  }

  /// "True JobsFailed" of a condition; empty: there is none.
  std::string Condition(const std::string& name, const std::string& type) {
    const auto object = Find(name);
    const kube::Json* condition = object ? kube::FindCondition(*object, type) : nullptr;
    if (condition == nullptr) return "";
    return kube::TextAt(*condition, "/status") + " " + kube::TextAt(*condition, "/reason");
  }
  std::string Message(const std::string& name, const std::string& type) {
    const auto object = Find(name);
    const kube::Json* condition = object ? kube::FindCondition(*object, type) : nullptr;
    return condition == nullptr ? "" : kube::TextAt(*condition, "/message");
  }
  bool IsOver(const std::string& name) {
    const auto object = Find(name);
    return !object || !kube::TextAt(*object, "/status/completionTime").empty();
  }
  /// Passes until it is over, and one more.
  void RunOut(const std::string& name) {
    for (int i = 0; i < 50 && !IsOver(name); ++i) Pass({name});
    EXPECT_TRUE(IsOver(name)) << Find(name)->dump(1);
    Pass({name});
  }

  /// Makes what runs objects in a process, by way of its gate.
  using MakeRuns = std::function<std::unique_ptr<Runs>(const fakes::KubeApi&, Gate&)>;

  /// Of another kind from now on, with a new process. `make_runs`: else those of the frontend.
  void Play(const ObjectKind& kind, MakeRuns make_runs = nullptr) {
    kind_ = &kind;
    make_runs_ = std::move(make_runs);
    StartOperator();
  }
  DirectCluster& cluster() { return operator_->cluster; }

  /// The only run.
  FakeFrontend::Run& TheRun() {
    EXPECT_EQ(frontend_.runs.size(), 1U);
    return frontend_.runs.begin()->second;
  }

  FakeFrontend frontend_;
  fakes::KubeApi api_{{.resources = Resources()}};
  FakeRuns& runs() { return operator_->runs; }
  [[nodiscard]] std::size_t writes() const { return gate_.writes(); }
  [[nodiscard]] kube::UnixTime wall() const { return wall_; }

 private:
  struct Process {
    explicit Process(Scene& scene)
        : runs(scene.frontend_, scene.gate_),
          reconciler({}, "pod"),
          cluster(scene.api_, scene.kind_->resource, scene.gate_) {
      if (scene.make_runs_) others = scene.make_runs_(scene.api_, scene.gate_);
    }
    Result<controller::Next> Reconcile(const ObjectKind& kind, const kube::ObjectName& name,
                                       Instant now, kube::UnixTime wall) {
      Runs& used = others ? *others : runs;
      return reconciler.Reconcile(kind, used, cluster, name, now, wall);
    }
    FakeRuns runs;
    std::unique_ptr<Runs> others;
    Reconciler reconciler;
    DirectCluster cluster;
  };

  static std::vector<kube::Resource> Resources() {
    std::vector<kube::Resource> resources = {kBenchmarks, pools::kWorkerPools};
    for (const ObjectKind& kind : PerftestKinds()) resources.push_back(kind.resource);
    for (const auto& kind : MeasurementKinds()) resources.push_back(kind.object.resource);
    return resources;
  }

  const ObjectKind* kind_ = &BenchmarkKind();
  MakeRuns make_runs_;
  Gate gate_;
  std::unique_ptr<Process> operator_;
  Instant now_ = Instant() + std::chrono::hours(100);
  kube::UnixTime wall_ = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
};

}  // namespace twofold::benchmarks
