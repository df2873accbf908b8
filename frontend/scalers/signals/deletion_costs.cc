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
  pod.since.reset();
}

void DeletionCosts::Join(const std::string& name, Pod& pod, Instant now) {
  if (pod.refused || pod.written == pod.wanted) return;
  pod.since = now;
  line_.insert(PlaceOf(name, pod));
}

void DeletionCosts::Want(const std::string& name, Pod& pod, DeletionCost cost, Instant now) {
  if (pod.since && pod.wanted == cost) return;
  Leave(name, pod);
  pod.wanted = cost;
  Join(name, pod, now);
}

void DeletionCosts::See(const Pods& pods, Instant now) {
  for (auto known = pods_.begin(); known != pods_.end();) {
    const auto here = known++;
    if (pods.contains(here->first)) continue;
    Leave(here->first, here->second);
    pods_.erase(here);
  }
  for (const auto& [name, cost] : pods) Want(name, pods_[name], cost, now);
}

std::optional<DeletionCosts::Patch> DeletionCosts::Next(Instant now) {
  if (now < Due()) return std::nullopt;
  spent_until_ = std::max(spent_until_, now) + kPrice;
  const std::string& name = line_.begin()->pod;
  return Patch{name, pods_.at(name).wanted};
}

void DeletionCosts::Written(const Patch& patch) {
  Pod& pod = pods_.at(patch.pod);
  Leave(patch.pod, pod);
  pod.written = patch.cost;
  pauses_.Reset();
}

void DeletionCosts::Refused(const Patch& patch) {
  Pod& pod = pods_.at(patch.pod);
  Leave(patch.pod, pod);
  pod.refused = true;
  pauses_.Reset();
}

void DeletionCosts::Failed(const Patch& patch, Instant now, Duration pause) {
  paused_until_ = now + std::max(pause, pauses_.Next());
  Pod& pod = pods_.at(patch.pod);
  Leave(patch.pod, pod);
  Join(patch.pod, pod, now);
}

Instant DeletionCosts::Due() const {
  if (line_.empty()) return Instant::max();
  return std::max(paused_until_, spent_until_ - kCredit);
}

}  // namespace twofold::scalers
