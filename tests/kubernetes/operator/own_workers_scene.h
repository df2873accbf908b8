#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kubernetes/controller/conditions.h"
#include "kubernetes/operator/own_worker_runs.h"
#include "kubernetes/pools/pods.h"
#include "tests/kubernetes/operator/perftest_objects.h"
#include "tests/kubernetes/operator/scene.h"

namespace twofold::benchmarks {

/// The fake frontend's runs with workers of their own, as one process has them.
class RunsWithWorkers final : public Runs {
 public:
  RunsWithWorkers(Scene& scene, Gate& gate, const kube::Access* access,
                  OwnWorkerRuns::FindPool find_pool = nullptr)
      : gate_(gate),
        frontend_(scene.frontend_, gate),
        runs_(
            frontend_, access, [&scene] { return scene.wall(); }, std::move(find_pool)) {}

  [[nodiscard]] RunOrder OrderFor(const kube::Json& object) override {
    return runs_.OrderFor(object);
  }
  [[nodiscard]] std::optional<Bar> BarTo(const RunOrder& order) override {
    return runs_.BarTo(order);
  }
  Result<std::uint64_t> Check(const RunOrder& order) override { return runs_.Check(order); }
  Result<RunLook> Advance(const RunOrder& order, Duration since, bool anew) override {
    return Gated<Result<RunLook>>([&] { return runs_.Advance(order, since, anew); });
  }
  Result<RunLook> Pause(const RunOrder& order) override {
    return Gated<Result<RunLook>>([&] { return runs_.Pause(order); });
  }
  Status Cancel(const RunOrder& order) override { return runs_.Cancel(order); }
  Result<Results> Summary(const RunOrder& order) override { return runs_.Summary(order); }
  Status Release(const RunOrder& order) override {
    return Gated<Status>([&] { return runs_.Release(order); });
  }
  void Forget(const std::string& id) override { runs_.Forget(id); }

 private:
  template <typename Answer>
  Answer Gated(const std::function<Answer()>& call) {
    Answer answer = absl::UnknownError("not asked");
    const Status passed = gate_.Pass([&] { answer = call(); });
    return passed.ok() ? answer : Answer(passed);
  }

  Gate& gate_;
  FakeRuns frontend_;
  OwnWorkerRuns runs_;
};

/// Of all kinds of kube-perftest; its template asks for nothing.
inline controller::Snapshot AdminsPool() {
  kube::Json spec = {{"queue", "bench"}, {"template", Scene::Workers()["template"]}};
  spec["template"]["spec"]["volumes"] =
      kube::Json::array({{{"name", "scratch"}, {"emptyDir", kube::Json::object()}}});
  return std::make_shared<const kube::Json>(
      kube::Json{{"metadata", {{"name", "all"}}}, {"spec", std::move(spec)}});
}

class OwnWorkersTest : public ::testing::Test {
 protected:
  OwnWorkersTest() { Play(/*makes_workers=*/true); }

  void Play(bool makes_workers, const ObjectKind& kind = BenchmarkKind()) {
    scene_.Play(kind, [this, makes_workers](const fakes::KubeApi& api, Gate& gate) {
      access_ = api.access();
      return std::make_unique<RunsWithWorkers>(scene_, gate, makes_workers ? &access_ : nullptr,
                                               [this](const kube::Json&) { return admins_pool_; });
    });
  }
  void Create(kube::Json more = kube::Json::object()) {
    if (!more.contains("workers")) more["workers"] = Scene::Workers();
    scene_.Create(Scene::Benchmark("x", std::move(more)));
  }
  std::vector<kube::Json> Pools() { return scene_.api_.All(pools::kWorkerPools); }
  /// Whoever looks after pools says so.
  void Say(const char* type, bool is_true, const char* reason, const char* message) {
    ASSERT_EQ(Pools().size(), 1U);
    scene_.api_.Change(pools::kWorkerPools, kube::NameOf(Pools()[0]), [&](kube::Json& pool) {
      pool["status"]["conditions"] =
          kube::Json::array({{{"type", type},
                              {"status", is_true ? "True" : "False"},
                              {"reason", reason},
                              {"message", message},
                              {"lastTransitionTime", controller::TimeText(scene_.wall())}}});
    });
  }
  void SayReady() { Say("Ready", true, "WorkersReady", "2 of 2 workers are ready"); }
  void Await(const std::string& type, const std::string& what) {
    for (int i = 0; i < 20 && scene_.Condition("x", type) != what; ++i) scene_.Pass({"x"});
    EXPECT_EQ(scene_.Condition("x", type), what) << scene_.Find("x")->dump(1);
  }

  void CreateFio(kube::Json more = kube::Json::object()) {
    more["numWorkers"] = 3;
    scene_.Create(PerftestObject("Fio", std::move(more)));
  }

  controller::Snapshot admins_pool_;
  kube::Access access_;
  Scene scene_;
};

}  // namespace twofold::benchmarks
