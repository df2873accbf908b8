#pragma once

#include <absl/time/clock.h>
#include <absl/time/time.h>

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "kubernetes/api/call.h"
#include "lib/common/instant.h"
#include "lib/common/mutex.h"
#include "tests/fakes/kube_api.h"
#include "tests/fakes/kube_objects.h"

namespace twofold::lifecycle {

/// Plays Job controller, scheduler and kubelet for Jobs of one pod, each step a planted delay after
/// the one before, and keeps when it did what. A pod with an ephemeral volume gets a claim, which
/// is bound before the pod is.
class FakeController {
 public:
  struct Delays {
    Duration pod = std::chrono::milliseconds(20);
    Duration bound = std::chrono::milliseconds(40);
    Duration ready = std::chrono::milliseconds(60);
    Duration complete = std::chrono::milliseconds(30);
    bool ends = true;
    bool tells = false;                      ///< the scheduler writes Events
    std::set<std::string> never_ready = {};  ///< names of Jobs
  };

  /// When each step of a Job was done, in order: pod, bound, ready, complete.
  using Steps = std::vector<Instant>;

  /// The versions that these steps left of the object that shows them, in the same order.
  using Versions = std::vector<std::string>;

  FakeController(fakes::KubeApi& api, Delays delays) : api_(api), delays_(delays) {
    api_.OnChange([this](const std::string& type, const kube::Json& object) {
      if (type == "ADDED" && object["kind"] == "Job") Begin(object);
      const bool ends = object["metadata"].contains("deletionTimestamp");
      if (object["kind"] == "Pod" && type == "MODIFIED" && ends) End(object);
    });
    thread_ = std::thread([this] { Work(); });
  }

  ~FakeController() {
    api_.OnChange([](const std::string&, const kube::Json&) {});
    {
      MutexLock lock(mutex_);
      stopped_ = true;
      changed_.NotifyAll();
    }
    thread_.join();
  }

  /// By name of the Job.
  std::map<std::string, Steps> steps() {
    MutexLock lock(mutex_);
    return steps_;
  }
  std::map<std::string, Versions> versions() {
    MutexLock lock(mutex_);
    return versions_;
  }

  /// Of the Job of that name.
  static kube::ObjectName PodOf(const kube::ObjectName& job) {
    return {job.space, job.name + "-x"};
  }

 private:
  using Step = void (FakeController::*)(const kube::Json& job);
  struct Due {
    Step step;
    kube::Json job;
  };

  void Begin(const kube::Json& job) { Plan(delays_.pod, &FakeController::MakePod, job); }

  void End(const kube::Json& pod) {
    try {
      api_.Remove(kube::kPods, kube::NameOf(pod));
    } catch (const fakes::Refusal&) {  // it is gone already
    }
  }

  void Plan(Duration delay, Step step, const kube::Json& job) {
    MutexLock lock(mutex_);
    due_.emplace(Now() + delay, Due{step, job});
    changed_.NotifyAll();
  }

  void Work() {
    while (const auto due = Await()) (this->*due->step)(due->job);
  }

  std::optional<Due> Await() {
    MutexLock lock(mutex_);
    for (;;) {
      if (stopped_) return std::nullopt;
      if (due_.empty()) {
        changed_.Wait(mutex_);
      } else if (Now() < due_.begin()->first) {
        changed_.WaitUntil(mutex_, due_.begin()->first);
      } else {
        Due due = due_.begin()->second;
        due_.erase(due_.begin());
        return due;
      }
    }
  }

  void Keep(const kube::Json& job, Instant at, const kube::Json& shown) {
    const std::string name = kube::NameOf(job).name;
    MutexLock lock(mutex_);
    steps_[name].push_back(at);
    versions_[name].push_back(kube::TextAt(shown, "/metadata/resourceVersion"));
  }

  static kube::ObjectName PodOf(const kube::Json& job) { return PodOf(kube::NameOf(job)); }

  /// The object with `change` made to it; nullopt: it is not there any more.
  std::optional<kube::Json> Change(const kube::Resource& resource, const kube::ObjectName& name,
                                   const std::function<void(kube::Json&)>& change) {
    try {
      return api_.Change(resource, name, change);
    } catch (const fakes::Refusal&) {
      return std::nullopt;
    }
  }

  static void Set(kube::Json& object, const std::string& type) {
    object["status"]["conditions"].push_back({{"type", type}, {"status", "True"}});
  }

  void MakePod(const kube::Json& job) {
    if (!api_.Find(kube::kJobs, kube::NameOf(job))) return;
    const kube::ObjectName name = PodOf(job);
    kube::Json labels = job["spec"]["template"]["metadata"].value("labels", kube::Json::object());
    labels["batch.kubernetes.io/job-name"] = kube::NameOf(job).name;
    const Instant at = Now();
    const kube::Json pod = api_.Put(kube::kPods, {{"metadata",
                                                   {{"name", name.name},
                                                    {"namespace", name.space},
                                                    {"labels", labels},
                                                    {"ownerReferences",
                                                     {{{"apiVersion", "batch/v1"},
                                                       {"kind", "Job"},
                                                       {"controller", true},
                                                       {"name", kube::NameOf(job).name},
                                                       {"uid", job["metadata"]["uid"]}}}}}},
                                                  {"spec", job["spec"]["template"]["spec"]},
                                                  {"status", {{"phase", "Pending"}}}});
    Keep(job, at, pod);
    MakeClaim(pod);
    Plan(delays_.bound, &FakeController::Bind, job);
  }

  static const kube::Json* VolumeOf(const kube::Json& pod) {
    const kube::Json* const volumes = kube::At(pod, "/spec/volumes");
    return volumes == nullptr ? nullptr
                              : kube::At(volumes->at(0), "/ephemeral/volumeClaimTemplate");
  }

  void MakeClaim(const kube::Json& pod) {
    const kube::Json* const volume = VolumeOf(pod);
    if (volume == nullptr) return;
    const kube::ObjectName name = kube::NameOf(pod);
    kube::Json metadata = (*volume)["metadata"];
    metadata["name"] = name.name + "-v";
    metadata["namespace"] = name.space;
    metadata["ownerReferences"] = {{{"apiVersion", "v1"},
                                    {"kind", "Pod"},
                                    {"name", name.name},
                                    {"uid", pod["metadata"]["uid"]}}};
    api_.Put(
        kube::kPersistentVolumeClaims,
        {{"metadata", metadata}, {"spec", (*volume)["spec"]}, {"status", {{"phase", "Pending"}}}});
  }

  void Bind(const kube::Json& job) {
    const kube::ObjectName pod_name = PodOf(job);
    Change(kube::kPersistentVolumeClaims, {pod_name.space, pod_name.name + "-v"},
           [](kube::Json& claim) { claim["status"]["phase"] = "Bound"; });
    const Instant at = Now();
    const auto there = Change(kube::kPods, PodOf(job), [](kube::Json& pod) {
      pod["spec"]["nodeName"] = "n1";
      Set(pod, "PodScheduled");
    });
    if (!there) return;
    Keep(job, at, *there);
    if (delays_.tells) TellBinding(job);
    if (delays_.never_ready.contains(kube::NameOf(job).name)) return;
    Plan(delays_.ready, &FakeController::MakeReady, job);
  }

  void TellBinding(const kube::Json& job) {
    const auto pod = api_.Find(kube::kPods, PodOf(job));
    if (!pod) return;
    api_.Put(
        kube::kEvents,
        {{"metadata", {{"name", PodOf(job).name + ".1"}, {"namespace", PodOf(job).space}}},
         {"reason", "Scheduled"},
         {"eventTime", absl::FormatTime("%Y-%m-%dT%H:%M:%E6SZ", absl::Now(), absl::UTCTimeZone())},
         {"regarding", {{"kind", "Pod"}, {"uid", (*pod)["metadata"]["uid"]}}}});
  }

  void MakeReady(const kube::Json& job) {
    const Instant at = Now();
    const auto there = Change(kube::kPods, PodOf(job), [](kube::Json& pod) {
      pod["status"]["phase"] = "Running";
      Set(pod, "Ready");
    });
    if (!there) return;
    Keep(job, at, *there);
    if (delays_.ends) Plan(delays_.complete, &FakeController::Complete, job);
  }

  void Complete(const kube::Json& job) {
    const Instant at = Now();
    Change(kube::kPods, PodOf(job), [](kube::Json& pod) { pod["status"]["phase"] = "Succeeded"; });
    const auto there =
        Change(kube::kJobs, kube::NameOf(job), [](kube::Json& object) { Set(object, "Complete"); });
    if (there) Keep(job, at, *there);
  }

  fakes::KubeApi& api_;
  const Delays delays_;
  Mutex mutex_;
  Condition changed_;
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
  std::multimap<Instant, Due> due_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, Steps> steps_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, Versions> versions_ ABSL_GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace twofold::lifecycle
