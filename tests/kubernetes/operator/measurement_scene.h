#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "kubernetes/operator/measurement.h"
#include "kubernetes/operator/measurement_runs.h"
#include "tests/kubernetes/operator/scene.h"

namespace twofold::benchmarks {

/// Runs whose calls that write are those of a gate.
class GatedRuns final : public Runs {
 public:
  GatedRuns(const MeasurementKind& kind, const fakes::KubeApi& api, Gate& gate)
      : runs_(kind, api.access(), {"image:1", "frontend.monitoring:9997"}, frontends_),
        gate_(gate) {}

  [[nodiscard]] std::optional<Bar> BarTo(const RunOrder& order) override {
    return runs_.BarTo(order);
  }

  Result<std::uint64_t> Check(const RunOrder& order) override { return runs_.Check(order); }
  Result<RunLook> Advance(const RunOrder& order, Duration since, bool anew) override {
    Result<RunLook> look = absl::UnknownError("not asked");
    const Status passed = gate_.Pass([&] { look = runs_.Advance(order, since, anew); });
    return passed.ok() ? look : passed;
  }
  Result<RunLook> Pause(const RunOrder& order) override {
    Result<RunLook> look = absl::UnknownError("not asked");
    const Status passed = gate_.Pass([&] { look = runs_.Pause(order); });
    return passed.ok() ? look : passed;
  }
  Status Cancel(const RunOrder& order) override {
    Status status;
    const Status passed = gate_.Pass([&] { status = runs_.Cancel(order); });
    return passed.ok() ? status : passed;
  }
  Result<Results> Summary(const RunOrder& order) override { return runs_.Summary(order); }
  void Forget(const std::string& id) override { runs_.Forget(id); }

 private:
  const Frontends frontends_{{}, "", nullptr};
  MeasurementRuns runs_;
  Gate& gate_;
};

inline const MeasurementKind& KindNamed(const std::string& kind) {
  for (const MeasurementKind& each : MeasurementKinds()) {
    if (each.object.resource.kind == kind) return each;
  }
  throw std::invalid_argument(kind);
}

/// A cluster that has measurements of one kind, whose Jobs the test plays: nothing happens to them
/// by itself.
class MeasurementScene {
 public:
  explicit MeasurementScene(const std::string& kind) : kind_(KindNamed(kind)) {
    scene_.Play(kind_.object, [this](const fakes::KubeApi& api, Gate& gate) {
      return std::make_unique<GatedRuns>(kind_, api, gate);
    });
  }

  static kube::Json ValidationSpec() {
    return {{"deployment", "scalability-tester-backend-sleep"},
            {"deploymentNamespace", "monitoring"},
            {"jobSeconds", 2},
            {"service", "scalability-tester-client-sleep"},
            {"serviceNamespace", "validation"},
            {"limit", 16},
            {"scale", "1.8"}};
  }

  void Create(kube::Json spec, const std::string& name = "x") {
    scene_.Create({{"apiVersion", "twofold.dev/v1alpha1"},
                   {"kind", kind_.object.resource.kind},
                   {"metadata", {{"name", name}, {"namespace", "a"}}},
                   {"spec", std::move(spec)}});
  }

  [[nodiscard]] std::vector<kube::Json> Jobs() const { return scene_.api_.All(kube::kJobs); }
  kube::Json TheJob() {
    EXPECT_EQ(Jobs().size(), 1U);
    return Jobs().empty() ? kube::Json::object() : Jobs().front();
  }

  /// The Job controller makes its pod.
  void MakePod() {
    const kube::Json job = TheJob();
    scene_.api_.Put(kube::kPods,
                    {{"metadata",
                      {{"name", kube::NameOf(job).name + "-2x4k7"},
                       {"namespace", "a"},
                       {"labels", job["spec"]["template"]["metadata"]["labels"]},
                       {"ownerReferences", kube::Json::array({{{"apiVersion", "batch/v1"},
                                                               {"kind", "Job"},
                                                               {"name", kube::NameOf(job).name},
                                                               {"uid", job["metadata"]["uid"]},
                                                               {"controller", true}}})}}},
                     {"spec", job["spec"]["template"]["spec"]},
                     {"status", {{"phase", "Pending"}}}});
  }
  void SetPod(const kube::Json& status) {
    const kube::ObjectName pod{"a", kube::NameOf(TheJob()).name + "-2x4k7"};
    scene_.api_.Change(kube::kPods, pod, [&](kube::Json& object) { object["status"] = status; });
  }
  void SetJob(const kube::Json& status) {
    scene_.api_.Change(kube::kJobs, kube::NameOf(TheJob()),
                       [&](kube::Json& object) { object["status"] = status; });
  }
  void WaitInPod(const std::string& reason, const std::string& message) {
    SetPod({{"phase", "Pending"},
            {"containerStatuses",
             kube::Json::array(
                 {{{"state", {{"waiting", {{"reason", reason}, {"message", message}}}}}}})}});
  }
  void RunPod() {
    SetPod({{"phase", "Running"}});
    SetJob({{"active", 1}, {"ready", 1}});
  }
  void EndPod(int exit_code, const std::string& message, const std::string& reason = "") {
    const bool is_well = exit_code == 0;
    const std::string word = !reason.empty() ? reason : is_well ? "Completed" : "Error";
    SetPod({{"phase", is_well ? "Succeeded" : "Failed"},
            {"containerStatuses",
             kube::Json::array(
                 {{{"state",
                    {{"terminated",
                      {{"exitCode", exit_code}, {"reason", word}, {"message", message}}}}}}})}});
    kube::Json condition = {{"type", is_well ? "Complete" : "Failed"}, {"status", "True"}};
    if (!is_well) condition["message"] = "Job has reached the specified backoff limit";
    SetJob({{"conditions", kube::Json::array({condition})}});
  }

  /// Passes until the condition says so.
  void Await(const std::string& type, const std::string& what) {
    for (int i = 0; i < 20 && scene_.Condition("x", type) != what; ++i) scene_.Pass({"x"});
    const auto object = scene_.Find("x");
    EXPECT_EQ(scene_.Condition("x", type), what) << (object ? object->dump(1) : "it is gone");
  }

  Scene scene_;

 private:
  const MeasurementKind& kind_;
};

}  // namespace twofold::benchmarks
