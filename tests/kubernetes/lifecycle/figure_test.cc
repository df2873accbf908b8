#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "kubernetes/lifecycle/run.h"
#include "kubernetes/lifecycle/times/pictures.h"
#include "lib/common/mutex.h"
#include "tests/fakes/kube_api.h"
#include "tests/fakes/kube_objects.h"
#include "tests/lib/report/checked.h"

namespace twofold::lifecycle {
namespace {

using fakes::KubeApi;
using std::chrono::milliseconds;
using ::testing::HasSubstr;

/// A cluster for pods, with a scheduler that binds one each kBetween. What is bound is ready soon,
/// but for those that never are.
class SlowScheduler {
 public:
  static constexpr auto kBetween = milliseconds(100);

  explicit SlowScheduler(KubeApi& api) : api_(api) {
    api_.OnChange([this](const std::string& type, const kube::Json& object) {
      if (type != "ADDED" || object["kind"] != "Pod") return;
      MutexLock lock(mutex_);
      waiting_.push_back(kube::NameOf(object));
    });
    thread_ = std::thread([this] { Work(); });
  }

  ~SlowScheduler() {
    api_.OnChange([](const std::string&, const kube::Json&) {});
    {
      MutexLock lock(mutex_);
      stopped_ = true;
      changed_.NotifyAll();
    }
    thread_.join();
  }

 private:
  static bool NeverReady(const std::string& name) {
    return name.ends_with("-11") || name.ends_with("-25");
  }

  void Work() {
    Instant next = Now();
    std::deque<kube::ObjectName> bound;
    while (Pause(next += kBetween)) {
      if (!bound.empty()) Start(Take(bound));
      const auto name = Next();
      if (!name) continue;
      Set(*name, "PodScheduled", [](kube::Json& pod) { pod["spec"]["nodeName"] = "n1"; });
      bound.push_back(*name);
    }
  }

  void Start(const kube::ObjectName& name) {
    if (NeverReady(name.name)) return;
    Set(name, "Ready", [](kube::Json& pod) { pod["status"]["phase"] = "Running"; });
  }

  static kube::ObjectName Take(std::deque<kube::ObjectName>& names) {
    kube::ObjectName name = names.front();
    names.pop_front();
    return name;
  }

  void Set(const kube::ObjectName& name, const std::string& condition,
           const std::function<void(kube::Json&)>& change) {
    api_.Change(kube::kPods, name, [&](kube::Json& pod) {
      change(pod);
      pod["status"]["conditions"].push_back({{"type", condition}, {"status", "True"}});
    });
  }

  std::optional<kube::ObjectName> Next() {
    MutexLock lock(mutex_);
    if (waiting_.empty()) return std::nullopt;
    return Take(waiting_);
  }

  bool Pause(Instant until) {
    MutexLock lock(mutex_);
    while (!stopped_ && changed_.WaitUntil(mutex_, until)) {
    }
    return !stopped_;
  }

  KubeApi& api_;
  Mutex mutex_;
  Condition changed_;
  std::deque<kube::ObjectName> waiting_ ABSL_GUARDED_BY(mutex_);
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

RunPlan FortyPods() {
  RunPlan plan;
  plan.spec.set_kind("pod");
  plan.run.name = "r1";
  plan.spec.set_count(40);
  plan.spec.set_rate(20);
  plan.run.space = "load";
  plan.spec.set_until("ready");
  plan.spec.set_settle(ToSeconds(std::chrono::seconds(5)));
  return plan;
}

/// The figure of docs/lifecycle.md. With LIFECYCLE_FIGURE in the environment it is written there.
TEST(Figure, ThatOfTheDocumentationIsDrawnOfARun) {
  KubeApi api;
  SlowScheduler scheduler(api);
  kube::WatchOptions watch;
  watch.first_wait = watch.longest_wait = milliseconds(300);
  lifecycle::Run run(api.access(), FortyPods(), watch);
  std::thread breaker([&] {
    testing::Await([&] { return api.All(kube::kPods).size() >= 30; });
    api.Compact();  // so that the watches have to list
    api.BreakWatches();
  });
  const Status status = run.Execute([](const std::string&) {});
  breaker.join();
  ASSERT_TRUE(status.ok()) << status;
  const auto outcome = run.outcome();
  ASSERT_TRUE(outcome);
  const std::string svg =
      report::ToSvg(GeneralPicture(DrawnOf(*outcome->kind, "r1", outcome->lives, {})));
  EXPECT_THAT(svg, HasSubstr("40 workloads of kind pod, run r1"));
  EXPECT_THAT(svg, HasSubstr("2 with something missing"));
  EXPECT_THAT(svg, HasSubstr("known inexactly: between these"));
  report::ExpectSound({{"figure", svg}});
  if (const char* path = std::getenv("LIFECYCLE_FIGURE")) report::WriteFile(path, svg);
}

}  // namespace
}  // namespace twofold::lifecycle
