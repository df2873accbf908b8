#include "kubernetes/pools/plan.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <tuple>
#include <utility>

namespace twofold::pools {
namespace {

/// Whose leaving costs least comes first.
enum class Rank : std::uint8_t {
  kEnded,
  kWithoutNode,
  kDrained,   // somebody else has sent it home
  kStarting,  // the frontend does not know it yet
  kIdle,
  kUnknown,  // ready, and the frontend does not know it
  kBusy,
};

/// A pod that stays so far.
struct Candidate {
  std::size_t pod;
  Rank rank;
  int soon = 0;  ///< of a busy one: by powers of two of the seconds until it is done
};

const WorkerSeen* WorkerOf(const Scene& scene, const PodSeen& pod) {
  if (!scene.workers) return nullptr;
  const auto known = scene.workers->find(pod.name);
  return known == scene.workers->end() ? nullptr : &known->second;
}

bool IsUnknownLong(const Scene& scene, const PodSeen& pod) {
  if (!scene.workers || scene.workers->contains(pod.name)) return false;
  const auto unknown = scene.unknown_for.find(pod.name);
  return unknown != scene.unknown_for.end() && unknown->second >= kUnknownLong;
}

/// A pod of which one may count on a worker, now or soon.
bool Stays(const PodSeen& pod, const Scene& scene) {
  if (pod.deleted || pod.leaving) return false;
  return !pod.ended || scene.now - pod.made < kShortestLife;
}

bool IsUpdated(const PodSeen& pod, const PoolSpec& spec) { return pod.hash == spec.hash; }

/// Of whose leaving nobody needs to tell the frontend.
bool HasNoProgram(const PodSeen& pod) { return pod.ended || pod.node.empty(); }

int SoonOf(const std::optional<Duration>& done_in) {
  if (!done_in) return 64;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(*done_in).count();
  return static_cast<int>(
      std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(seconds, 0))));
}

Candidate CandidateOf(const Scene& scene, std::size_t index) {
  const PodSeen& pod = scene.pods[index];
  if (pod.ended) return {index, Rank::kEnded};
  if (pod.node.empty()) return {index, Rank::kWithoutNode};
  const WorkerSeen* worker = WorkerOf(scene, pod);
  if (worker == nullptr) return {index, pod.ready ? Rank::kUnknown : Rank::kStarting};
  if (worker->draining) return {index, Rank::kDrained};
  if (worker->busy == 0) return {index, Rank::kIdle};
  return {index, Rank::kBusy, SoonOf(worker->done_in)};
}

/// Makes the plan piece by piece.
class Planner {
 public:
  Planner(const PoolSpec& spec, const Scene& scene) : spec_(spec), scene_(scene) {
    for (std::size_t i = 0; i < scene.pods.size(); ++i) {
      const PodSeen& pod = scene.pods[i];
      if (!Stays(pod, scene)) continue;
      ++staying_;
      if (!pod.ended) ++pods_on_[pod.node];
      if (pod.ready) ++ready_;
      if (!IsUpdated(pod, spec)) ++outdated_;
      if (scene.workers || HasNoProgram(pod)) candidates_.push_back(CandidateOf(scene, i));
    }
    staying_ += scene.expected;
  }

  Plan Make() {
    LetGo();
    Update();
    Shrink();
    Grow();
    return std::move(plan_);
  }

 private:
  [[nodiscard]] const PodSeen& PodOf(const Candidate& candidate) const {
    return scene_.pods[candidate.pod];
  }

  /// Those that were marked before, or have ended by themselves.
  void LetGo() {
    for (std::size_t i = 0; i < scene_.pods.size(); ++i) {
      const PodSeen& pod = scene_.pods[i];
      if (pod.deleted || Stays(pod, scene_)) continue;
      if (MayBeDeleted(pod)) {
        plan_.remove.push_back(i);
      } else if (const WorkerSeen* worker = WorkerOf(scene_, pod); worker && !worker->draining) {
        plan_.drain.push_back(i);
      }
    }
  }

  [[nodiscard]] bool MayBeDeleted(const PodSeen& pod) const {
    if (HasNoProgram(pod)) return true;
    if (pod.leaving && scene_.now - *pod.leaving >= spec_.drain) return true;
    return IsUnknownLong(scene_, pod);
  }

  /// Its node is gone, so nobody ends its deletion: an update does not wait for that.
  [[nodiscard]] bool IsStuck(const PodSeen& pod) const {
    return pod.deleted && IsUnknownLong(scene_, pod);
  }

  /// Outdated ones are marked, a few at a time.
  void Update() {
    if (outdated_ == 0) return;
    std::size_t room = spec_.surge + spec_.unavailable;
    for (const PodSeen& pod : scene_.pods) {
      const bool leaves = !IsUpdated(pod, spec_) && (pod.leaving || pod.deleted);
      if (leaves && !IsStuck(pod) && room > 0) --room;
    }
    const auto is_outdated = [&](const Candidate& each) { return !IsUpdated(PodOf(each), spec_); };
    const auto is_not_ready = [&](const Candidate& each) {
      return is_outdated(each) && !PodOf(each).ready;
    };
    room -= Mark(room, is_not_ready);
    const std::size_t needed = spec_.replicas - std::min(spec_.replicas, spec_.unavailable);
    Mark(std::min(room, ready_ - std::min(ready_, needed)), is_outdated);
  }

  /// While outdated ones are there, `surge` more may be.
  void Shrink() {
    const std::size_t most = spec_.replicas + (outdated_ > 0 ? spec_.surge : 0);
    if (staying_ <= most) return;
    std::size_t excess = staying_ - most;
    excess -= Mark(excess, [&](const Candidate& each) { return !IsUpdated(PodOf(each), spec_); });
    Mark(excess, [](const Candidate&) { return true; });
  }

  void Grow() {
    const std::size_t most = spec_.replicas + std::min(outdated_, spec_.surge);
    if (staying_ < most) plan_.create = most - staying_;
  }

  /// Marks `count` of those that may be, the best first. How many it found.
  template <typename May>
  std::size_t Mark(std::size_t count, const May& may) {
    count = std::min(count, kMostMarks - plan_.mark.size());
    std::size_t marked = 0;
    for (; marked < count; ++marked) {
      auto best = candidates_.end();
      for (auto each = candidates_.begin(); each != candidates_.end(); ++each) {
        if (may(*each) && (best == candidates_.end() || GoesBefore(*each, *best))) best = each;
      }
      if (best == candidates_.end()) break;
      Take(*best);
      candidates_.erase(best);
    }
    return marked;
  }

  void Take(const Candidate& candidate) {
    const PodSeen& pod = PodOf(candidate);
    plan_.mark.push_back(candidate.pod);
    --staying_;
    if (!pod.ended) --pods_on_[pod.node];
    if (pod.ready) --ready_;
    if (!IsUpdated(pod, spec_)) --outdated_;
  }

  [[nodiscard]] bool GoesBefore(const Candidate& a, const Candidate& b) const {
    const auto key = [this](const Candidate& each) {
      const auto node = pods_on_.find(PodOf(each).node);
      const std::size_t beside = node == pods_on_.end() ? 0 : node->second;
      return std::tuple(each.rank, each.soon, -static_cast<std::int64_t>(beside));
    };
    const auto key_a = key(a);
    const auto key_b = key(b);
    if (key_a != key_b) return key_a < key_b;
    const PodSeen& pod_a = PodOf(a);
    const PodSeen& pod_b = PodOf(b);
    return std::tie(pod_b.made, pod_b.name) < std::tie(pod_a.made, pod_a.name);
  }

  const PoolSpec& spec_;
  const Scene& scene_;
  std::vector<Candidate> candidates_;
  std::map<std::string, std::size_t> pods_on_;  // by node, of those that stay
  std::size_t staying_ = 0;
  std::size_t ready_ = 0;     // of these
  std::size_t outdated_ = 0;  // of these
  Plan plan_;
};

bool IsBusy(const Scene& scene, const PodSeen& pod) {
  const WorkerSeen* worker = WorkerOf(scene, pod);
  return worker != nullptr && worker->busy > 0;
}

void AddToNode(const Scene& scene, const PodSeen& pod, NodeCount& node) {
  const bool stays = Stays(pod, scene);
  ++node.pods;
  if (stays && pod.ready) ++node.ready;
  if (IsBusy(scene, pod)) ++node.busy;
  if (!stays) ++node.draining;
}

void AddPod(const PoolSpec& spec, const Scene& scene, const PodSeen& pod, PoolCounts& counts) {
  if (IsBusy(scene, pod)) ++counts.busy;
  if (!Stays(pod, scene)) {
    ++counts.draining;
    return;
  }
  ++counts.replicas;
  if (pod.ready) ++counts.ready;
  if (IsUpdated(pod, spec)) ++counts.updated;
  if (!pod.waiting.empty()) counts.waiting_why = absl::StrCat("pod ", pod.name, ": ", pod.waiting);
  if (!pod.unschedulable.empty()) {
    ++counts.unschedulable;
    counts.unschedulable_why = pod.unschedulable;
  }
  if (pod.ready && IsUnknownLong(scene, pod)) {
    ++counts.unknown;
    counts.unknown_pod = pod.name;
  }
}

}  // namespace

Plan MakePlan(const PoolSpec& spec, const Scene& scene) { return Planner(spec, scene).Make(); }

bool WillShrink(const PoolSpec& spec, const Scene& scene) {
  std::size_t staying = scene.expected;
  for (const PodSeen& pod : scene.pods) {
    if (!Stays(pod, scene)) continue;
    if (!IsUpdated(pod, spec)) return true;
    ++staying;
  }
  return staying > spec.replicas;
}

PoolCounts CountsOf(const PoolSpec& spec, const Scene& scene) {
  PoolCounts counts;
  std::map<std::string, NodeCount> nodes;
  counts.replicas = scene.expected;
  counts.updated = scene.expected;
  for (const PodSeen& pod : scene.pods) {
    if (pod.ended && !Stays(pod, scene)) continue;
    AddPod(spec, scene, pod, counts);
    if (!pod.node.empty()) AddToNode(scene, pod, nodes[pod.node]);
  }
  for (auto& [name, node] : nodes) {
    node.node = name;
    counts.nodes.push_back(std::move(node));
  }
  return counts;
}

}  // namespace twofold::pools
