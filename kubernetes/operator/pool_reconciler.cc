#include "kubernetes/operator/pool_reconciler.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <set>
#include <utility>

#include "kubernetes/controller/ownership.h"
#include "kubernetes/operator/group.h"
#include "kubernetes/operator/pool_status.h"

namespace twofold::benchmarks {
namespace {

using controller::Next;
using kube::Json;
using pools::PodSeen;

constexpr std::size_t kMostCreations = 50;  // of one pass; the next one makes the others
/// A pod that was made and has not come into the cache for so long has gone meanwhile.
constexpr Duration kExpected = std::chrono::minutes(1);
/// Who is busy changes with each job; the status is not written for that more often.
constexpr Duration kWorkEvery = std::chrono::seconds(5);

kube::WriteOptions AsPoolOperator() {
  kube::WriteOptions options;
  options.field_manager = kManager;
  return options;
}

std::string PodsText(std::size_t count) {
  return absl::StrCat(count, count == 1 ? " pod" : " pods");
}

}  // namespace

/// One look at one pool.
class PoolPass {
 public:
  PoolPass(PoolReconciler& reconciler, PoolReconciler::Memory& memory, PoolCluster& cluster,
           controller::Snapshot pool, Instant now, kube::UnixTime wall)
      : reconciler_(reconciler),
        memory_(memory),
        cluster_(cluster),
        pool_(std::move(pool)),
        name_(kube::NameOf(*pool_)),
        now_(now),
        wall_(wall),
        draft_(*pool_, wall) {}

  Result<Next> Run() {
    if (controller::IsBeingDeleted(*pool_)) return Next{};
    Result<pools::PoolSpec> spec = pools::SpecOf(*pool_);
    if (!spec.ok()) return Refuse(spec.status());
    spec_ = *std::move(spec);
    if (const auto bar = reconciler_.frontend_.BarTo(*pool_)) return Halt(*bar);
    draft_.Set({"Accepted", controller::Truth::kTrue, "Checked", ""});
    if (Status listed = ListOnce(); !listed.ok()) return listed;
    LookAtPods();
    LookAtWorkers();
    const pools::Plan plan = pools::MakePlan(spec_, scene_);
    if (Status status = LetGo(plan); !status.ok()) return status;
    if (Status status = Create(plan.create); !status.ok()) return status;
    LookAtPods();
    return Tell(plan);
  }

 private:
  const PoolSettings& settings() { return reconciler_.settings_; }

  Result<Next> Refuse(const Status& why) {
    draft_.Set({"Accepted", controller::Truth::kFalse, "InvalidSpec", std::string(why.message())});
    const Status written = WriteStatus();
    return written.ok() ? Result<Next>(Next{}) : written;
  }

  /// Its pods stay as they are, until an admin thinks otherwise.
  Result<Next> Halt(const Bar& bar) {
    Show({"Accepted", controller::Truth::kFalse, bar.reason, bar.message});
    const Status written = WriteStatus();
    return written.ok() ? Result<Next>(Next{settings().patience}) : written;
  }

  // ---- what is there

  /// Of what an operator before this one has made the cache may lack some.
  Status ListOnce() {
    if (memory_.listed) return absl::OkStatus();
    const auto names = cluster_.ListPodsOf(name_);
    if (!names.ok()) return names.status();
    for (const std::string& each : *names) memory_.expected.emplace(each, now_);
    memory_.listed = true;
    return absl::OkStatus();
  }

  void LookAtPods() {
    scene_.pods.clear();
    scene_.now = wall_;
    for (const controller::Snapshot& pod : cluster_.PodsOf(name_)) {
      memory_.expected.erase(kube::NameOf(*pod).name);
      if (pools::Owns(*pool_, *pod)) scene_.pods.push_back(pools::PodOf(*pod));
    }
    std::erase_if(memory_.expected,
                  [this](const auto& each) { return now_ - each.second >= kExpected; });
    scene_.expected = memory_.expected.size();
  }

  /// Asks the frontend, unless it has just answered.
  Status AskForWorkers() {
    const bool with_ends = pools::WillShrink(spec_, scene_);
    const auto& view = memory_.view;
    const bool is_good =
        view && now_ - view->at < settings().poll && (view->with_ends || !with_ends);
    if (is_good) return absl::OkStatus();
    memory_.view.reset();
    auto workers = reconciler_.frontend_.Look(*pool_, with_ends);
    if (!workers.ok()) return workers.status();
    memory_.view = {*std::move(workers), with_ends, now_};
    return absl::OkStatus();
  }

  void LookAtWorkers() {
    frontend_ = AskForWorkers();
    if (!frontend_.ok()) {
      memory_.unknown.clear();  // who has come back meanwhile nobody has seen
      return;
    }
    const pools::WorkersSeen& workers = memory_.view->workers;
    std::map<std::string, Instant> unknown;
    for (const PodSeen& pod : scene_.pods) {
      if (workers.contains(pod.name)) continue;
      const auto before = memory_.unknown.find(pod.name);
      const Instant since = before == memory_.unknown.end() ? now_ : before->second;
      unknown.emplace(pod.name, since);
      scene_.unknown_for.emplace(pod.name, now_ - since);
    }
    memory_.unknown = std::move(unknown);
    scene_.workers = workers;
  }

  // ---- what is done

  /// Before pods are made, so that what was decided of these pods is done by one look at them.
  Status LetGo(const pools::Plan& plan) {
    for (const std::size_t each : plan.remove) {
      if (Status status = Change(Remove(scene_.pods[each])); !status.ok()) return status;
    }
    for (const std::size_t each : plan.drain) {
      const std::string& pod = scene_.pods[each].name;
      frontend_ = reconciler_.frontend_.Drain(*pool_, pod);
      if (!frontend_.ok()) break;
      memory_.view->workers[pod].draining = true;
    }
    for (const std::size_t each : plan.mark) {
      const PodSeen& pod = scene_.pods[each];
      Status status =
          Change(pools::MarkAsLeaving({name_.space, pod.name}, pod.uid, wall_, AsPoolOperator()));
      if (!status.ok()) return status;
    }
    if (!plan.mark.empty() && kept_.ok()) {
      Say({false, "ScaledIn", "Drain",
           absl::StrCat(PodsText(plan.mark.size()), " may end their jobs and go")});
    }
    return absl::OkStatus();
  }

  /// Of a pod that stays as it is, as it has changed meanwhile or the API server refuses, the
  /// others are not to suffer: it is tried again later.
  Status Change(const kube::Call& call) {
    Status status = Write(call);
    if (status.ok()) return status;
    const bool has_changed = absl::IsAborted(status);
    if (!has_changed && !IsRefusal(status)) return status;
    if (!has_changed) Say({true, "PodKept", "Drain", std::string(status.message())});
    kept_ = std::move(status);
    return absl::OkStatus();
  }

  /// One without a node must not have got one meanwhile: its worker could be at work.
  kube::Call Remove(const PodSeen& pod) {
    kube::DeleteOptions options;
    options.uid = pod.uid;
    if (pod.node.empty()) options.resource_version = pod.version;
    return kube::Delete(kube::kPods, {name_.space, pod.name}, options);
  }

  Status Create(std::size_t count) {
    if (count > 0 && !cluster_.knows_all()) {
      creation_ = absl::ResourceExhaustedError(
          "the operator has no memory to know more pods; none is made");
      return absl::OkStatus();
    }
    std::set<std::string> known;
    for (const PodSeen& pod : scene_.pods) known.insert(pod.name);
    const Json* before = kube::At(*pool_, "/status/podsMade");
    if (before != nullptr && before->is_number_unsigned()) {
      memory_.made = std::max(memory_.made, before->get<std::uint64_t>());
    }
    std::size_t made = 0;
    for (; made < std::min(count, kMostCreations); ++memory_.made) {
      const std::string name = pools::NameOfPod(*pool_, memory_.made);
      if (known.contains(name) || memory_.expected.contains(name)) continue;
      creation_ = cluster_
                      .Write(kube::Create(kube::kPods, pools::MakePod(*pool_, spec_, name),
                                          AsPoolOperator()))
                      .status();
      if (absl::IsAlreadyExists(creation_)) creation_ = absl::OkStatus();  // it was made before
      if (!creation_.ok()) break;
      memory_.expected.emplace(name, now_);
      ++made;
    }
    if (made > 0) Say({false, "ScaledOut", "Create", absl::StrCat("made ", PodsText(made))});
    is_short_ = made < count && creation_.ok();
    return creation_.ok() || IsRefusal(creation_) ? absl::OkStatus() : creation_;
  }

  // ---- what is said

  Result<Next> Tell(const pools::Plan& plan) {
    const pools::PoolCounts counts = pools::CountsOf(spec_, scene_);
    draft_.SetField("selector", pools::SelectorOf(name_.name));
    draft_.SetField("podsMade", memory_.made);
    SetPoolCounts(spec_, counts, draft_);
    Show(CreationCondition(creation_));
    Show(KnownCondition(frontend_, spec_, counts));
    if (Status written = WriteStatus(); !written.ok()) return written;
    if (!kept_.ok()) return Next{settings().patience};
    if (!plan.mark.empty() || is_short_) return Next{Duration::zero()};
    if (counts.draining > 0 || !frontend_.ok()) return Next{settings().poll};
    return Next{creation_.ok() ? settings().refresh : settings().patience};
  }

  /// A condition whose changes people shall see as events.
  void Show(const controller::StatusCondition& condition) {
    const bool is_news = draft_.Set(condition);
    if (!is_news || condition.status == controller::Truth::kTrue) return;
    Say({true, condition.reason, "Scale", condition.message});
  }

  Status WriteStatus() {
    const Json* before = kube::At(*pool_, "/status");
    const bool differs = before == nullptr || DifferInMoreThanWork(*before, draft_.status());
    if (!draft_.has_changed() || (!differs && now_ - memory_.written < kWorkEvery)) {
      return absl::OkStatus();
    }
    memory_.written = now_;
    return Write(
        kube::Apply(pools::kWorkerPools, draft_.Object(), true, AsPoolOperator(), "status"));
  }

  void Say(const controller::Happening& what) {
    reconciler_.events_.Tell(cluster_, *pool_, what, now_, wall_);
  }

  Status Write(const kube::Call& call) { return controller::WriteIfThere(cluster_, call); }

  PoolReconciler& reconciler_;
  PoolReconciler::Memory& memory_;
  PoolCluster& cluster_;
  const controller::Snapshot pool_;
  const kube::ObjectName name_;
  const Instant now_;
  const kube::UnixTime wall_;
  StatusDraft draft_;
  pools::PoolSpec spec_;
  pools::Scene scene_;
  Status frontend_;        // what it has answered
  Status kept_;            // why a pod could not be marked or deleted
  Status creation_;        // what the last creation has come to
  bool is_short_ = false;  // more pods are to be made at once
};

PoolReconciler::PoolReconciler(PoolFrontend& frontend, PoolSettings settings,
                               const std::string& instance)
    : frontend_(frontend),
      settings_(settings),
      events_({.controller = kReporter, .instance = instance}) {}

std::shared_ptr<PoolReconciler::Memory> PoolReconciler::Recall(const kube::ObjectName& name,
                                                               const controller::Snapshot& pool) {
  const MutexLock lock(mutex_);
  if (pool == nullptr) {
    memories_.erase(name);
    return nullptr;
  }
  std::shared_ptr<Memory>& memory = memories_[name];
  const std::string uid = kube::TextAt(*pool, "/metadata/uid");
  if (memory == nullptr || memory->uid != uid) {
    memory = std::make_shared<Memory>();
    memory->uid = uid;
  }
  return memory;
}

Result<Next> PoolReconciler::Reconcile(PoolCluster& cluster, const kube::ObjectName& name,
                                       Instant now, kube::UnixTime wall) {
  controller::Snapshot pool = cluster.Find(name);
  const std::shared_ptr<Memory> memory = Recall(name, pool);
  if (memory == nullptr) return Next{};
  return PoolPass(*this, *memory, cluster, std::move(pool), now, wall).Run();
}

}  // namespace twofold::benchmarks
