#include "lib/queue/placed_jobs.h"

#include <algorithm>

namespace twofold::queue {

void PlacedJobs::Add(Slot slot) {
  by_placement_[jobs_[slot].options->placement].insert(PlaceOf(slot));
  ++size_;
}

void PlacedJobs::Remove(Slot slot) {
  const auto found = by_placement_.find(jobs_[slot].options->placement);
  found->second.erase(PlaceOf(slot));
  if (found->second.empty()) by_placement_.erase(found);
  --size_;
}

std::optional<PlacedJobs::Match> PlacedJobs::Next() const {
  std::optional<Match> next;
  std::optional<Place> best;
  for (const auto& [placement, places] : by_placement_) {
    const Place& first = *places.begin();
    if (best && *best < first) continue;
    const auto process = processes_.NextIdle(placement);
    if (!process) continue;
    best = first;
    next = {first.second, *process};
  }
  return next;
}

std::optional<Instant> PlacedJobs::Oldest() const {
  std::optional<Instant> oldest;
  for (const auto& [placement, places] : by_placement_) {
    for (const auto& [precedence, slot] : places) {
      oldest = std::min(precedence.accepted, oldest.value_or(precedence.accepted));
    }
  }
  return oldest;
}

}  // namespace twofold::queue
