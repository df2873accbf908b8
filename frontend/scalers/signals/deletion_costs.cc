#include "frontend/scalers/signals/deletion_costs.h"

#include <algorithm>

namespace twofold::scalers {
namespace {

constexpr Duration kPrice = Duration(std::chrono::seconds(1)) / DeletionCosts::kPerSecond;

// Patches may be so far ahead of the rate.
constexpr Duration kCredit = kPrice * (DeletionCosts::kAtOnce - 1);

}  // namespace

DeletionCosts::Place DeletionCosts::PlaceOf(const std::string& name, const Pod& pod) {
  return {!pod.written && pod.wanted == DeletionCost::kIdle, *pod.since, name};
}

void DeletionCosts::Leave(const std::string& name, Pod& pod) {
  if (!pod.since) return;
  line_.erase(PlaceOf(name, pod));
  resting_.erase({pod.rests_until, name});
  pod.since.reset();
}

void DeletionCosts::Join(const std::string& name, Pod& pod, Instant now) {
  if (pod.refused || pod.written == pod.wanted) return;
  pod.since = now;
  if (now < pod.rests_until) {
    resting_.emplace(pod.rests_until, name);
  } else {
    line_.insert(PlaceOf(name, pod));
  }
}

void DeletionCosts::Want(const std::string& name, const Seen& seen, Instant now) {
  Pod& pod = pods_[name];
  const bool are_others = pod.workers != seen.workers;
  if (pod.since && pod.wanted == seen.cost && !are_others) return;
  Leave(name, pod);
  if (are_others) pod = Pod();
  pod.workers = seen.workers;
  pod.wanted = seen.cost;
  Join(name, pod, now);
}

void DeletionCosts::See(const Pods& pods, Instant now) {
  for (auto known = pods_.begin(); known != pods_.end();) {
    const auto here = known++;
    if (pods.contains(here->first)) continue;
    Leave(here->first, here->second);
    pods_.erase(here);
  }
  for (const auto& [name, seen] : pods) Want(name, seen, now);
}

std::optional<DeletionCosts::Patch> DeletionCosts::Next(Instant now) {
  while (!resting_.empty() && resting_.begin()->first <= now) {
    const std::string name = resting_.begin()->second;
    Pod& pod = pods_.at(name);
    Leave(name, pod);
    Join(name, pod, now);
  }
  if (line_.empty() || now < Due()) return std::nullopt;
  spent_until_ = std::max(spent_until_, now) + kPrice;
  const std::string& name = line_.begin()->pod;
  return Patch{name, pods_.at(name).wanted};
}

void DeletionCosts::Written(const Patch& patch) {
  Pod& pod = pods_.at(patch.pod);
  Leave(patch.pod, pod);
  pod.written = patch.cost;
  pod.failures = 0;
  pauses_.Reset();
}

void DeletionCosts::Refused(const Patch& patch) {
  Pod& pod = pods_.at(patch.pod);
  Leave(patch.pod, pod);
  pod.refused = true;
  pauses_.Reset();
}

void DeletionCosts::Failed(const Patch& patch, Instant now) {
  Pod& pod = pods_.at(patch.pod);
  Leave(patch.pod, pod);
  pod.rests_until =
      now + std::min(kLongestPause, kShortestPause * (1 << std::min(pod.failures, 6)));
  ++pod.failures;
  Join(patch.pod, pod, now);
  paused_until_ = now + kShortestPause;
}

void DeletionCosts::AllFailed(const Patch& patch, Instant now, Duration pause) {
  paused_until_ = now + std::max(pause, pauses_.Next());
  Pod& pod = pods_.at(patch.pod);
  Leave(patch.pod, pod);
  Join(patch.pod, pod, now);
}

Instant DeletionCosts::Due() const {
  if (pending() == 0) return Instant::max();
  const Instant allowed = std::max(paused_until_, spent_until_ - kCredit);
  return line_.empty() ? std::max(allowed, resting_.begin()->first) : allowed;
}

}  // namespace twofold::scalers
