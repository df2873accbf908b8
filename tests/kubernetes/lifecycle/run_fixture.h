#pragma once

#include <absl/strings/str_cat.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kubernetes/lifecycle/run.h"
#include "tests/fakes/kube_api.h"
#include "tests/kubernetes/lifecycle/controller.h"
#include "tests/support/program.h"

namespace twofold::lifecycle {

using fakes::KubeApi;
using fakes::KubeFault;
using std::chrono::milliseconds;
using std::chrono::seconds;

inline std::uint64_t CountIn(const Report& report, const std::string& name) {
  for (const auto& [each, count] : report.counts) {
    if (each == name) return count;
  }
  ADD_FAILURE() << "no count " << name;
  return 0;
}

inline KubeFault Fault(KubeFault::Kind kind, const char* verb, const char* plural, int times) {
  KubeFault fault;
  fault.kind = kind;
  fault.verb = verb;
  fault.plural = plural;
  fault.times = times;
  return fault;
}

/// From the record on, so that the trial before it is not hit.
inline void AddOnceItBegins(KubeApi& api, const KubeFault& fault) {
  testing::Await([&] { return !api.All(kube::kConfigMaps).empty(); });
  api.Add(fault);
}

/// Runs of Jobs against a server in memory, whose controller takes planted times.
class RunTest : public ::testing::Test {
 protected:
  static RunPlan Plan(std::uint32_t count = 10) {
    RunPlan plan;
    plan.spec.set_kind("job");
    plan.run.name = "r1";
    plan.spec.set_count(count);
    plan.spec.set_rate(100);
    plan.run.space = "load";
    plan.spec.set_settle(ToSeconds(seconds(20)));
    return plan;
  }

  static kube::WatchOptions QuickToReturn() {
    kube::WatchOptions watch;
    watch.first_wait = milliseconds(5);
    watch.longest_wait = milliseconds(50);
    return watch;
  }

  Status Execute(const RunPlan& plan = Plan(), const kube::WatchOptions& watch = QuickToReturn()) {
    run_ = std::make_unique<lifecycle::Run>(api_.access(), plan, watch);
    return run_->Execute([](const std::string&) {});
  }

  /// After Execute; empty: it has not started.
  Report Reported() {
    auto outcome = run_->outcome();
    return outcome ? std::move(outcome->report) : Report{};
  }
  std::vector<Life> Lives() {
    auto outcome = run_->outcome();
    return outcome ? std::move(outcome->lives) : std::vector<Life>{};
  }

  /// What each sight of the pods and of the end has to do with when it was done in truth.
  template <typename Visit>
  void ForEachSight(Visit visit) {
    const auto steps = controller_->steps();
    for (const Life& life : Lives()) {
      const auto done = steps.find(life.name);
      ASSERT_NE(done, steps.end()) << life.name;
      ASSERT_EQ(done->second.size(), 4) << life.name;
      const Sights sights = SightsOf(life);
      const std::vector<Moment> moments = {Moment::kFirstPod, Moment::kScheduled, Moment::kReady,
                                           Moment::kComplete};
      for (std::size_t i = 0; i < moments.size(); ++i) {
        const auto& sight = Of(sights, moments[i]);
        ASSERT_TRUE(sight) << life.name << " " << Name(moments[i]);
        visit(*sight, done->second[i]);
      }
    }
  }

  void BeginController(FakeController::Delays delays = {}) {
    controller_ = std::make_unique<FakeController>(api_, delays);
  }

  KubeApi api_{
      {.resources = {
           {"authentication.k8s.io", "v1", "selfsubjectreviews", "SelfSubjectReview", false},
           {"flowcontrol.apiserver.k8s.io", "v1", "prioritylevelconfigurations",
            "PriorityLevelConfiguration", false},
           {"flowcontrol.apiserver.k8s.io", "v1", "flowschemas", "FlowSchema", false},
           {"kueue.x-k8s.io", "v1beta1", "workloads", "Workload"}}}};  // as Kueue before v0.15
  std::unique_ptr<FakeController> controller_;
  std::unique_ptr<lifecycle::Run> run_;
};

/// The program itself, with a kubeconfig for the server in memory.
class RunProgramTest : public RunTest {
 protected:
  std::unique_ptr<testing::Program> Start(std::vector<std::string> arguments) {
    const std::string config = folder_ / "config";
    if (FILE* file = fopen(config.c_str(), "w")) {
      fputs(absl::StrCat("{clusters: [{name: c, cluster: {server: \"", api_.url(),
                         "\"}}], users: [{name: u, user: {}}], contexts: [{name: x, context: "
                         "{cluster: c, user: u, namespace: load}}], current-context: x}\n")
                .c_str(),
            file);
      fclose(file);
    }
    arguments.insert(arguments.begin(), "lifecycle");
    arguments.insert(arguments.end(), {"--kubeconfig", config});
    return std::make_unique<testing::Program>("twofold", arguments);
  }

  std::unique_ptr<testing::Program> Begin(const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = {"run",    "--kind", "job",    "--count", "8",
                                          "--rate", "100",    "--name", "r1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return Start(arguments);
  }

  bool NothingIsLeft() {
    return api_.All(kube::kJobs).empty() && api_.All(kube::kPods).empty() &&
           api_.All(kube::kConfigMaps).empty();
  }

  testing::TempDir folder_;
};

}  // namespace twofold::lifecycle
