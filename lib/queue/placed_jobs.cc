#include "lib/queue/placed_jobs.h"

#include <algorithm>

namespace twofold::queue {

void PlacedJobs::Add(Slot slot) {
  by_placement_[jobs_[slot].options->placement].jobs.insert(PlaceOf(slot));
  ++size_;
}

void PlacedJobs::Remove(Slot slot) {
  const auto found = by_placement_.find(jobs_[slot].options->placement);
  found->second.jobs.erase(PlaceOf(slot));
  if (found->second.jobs.empty()) by_placement_.erase(found);
  --size_;
}

std::optional<PlacedJobs::Match> PlacedJobs::Next() {
  std::optional<Match> next;
  std::optional<Place> best;
  for (auto& [text, placement] : by_placement_) {
    const Place& first = *placement.jobs.begin();
    if ((best && *best < first) || !Possible(text, placement)) continue;
    const auto process = processes_.NextIdle(text);
    if (!process) continue;
    best = first;
    next = {first.second, *process};
  }
  return next;
}

bool PlacedJobs::Possible(const std::string& text, Placement& placement) const {
  const std::uint64_t version = processes_.capacity_version();
  if (placement.possible_version != version) {
    placement.possible_version = version;
    placement.possible = processes_.AbleFor(text).slots > 0;
  }
  return placement.possible;
}

std::optional<Instant> PlacedJobs::Oldest() const {
  std::optional<Instant> oldest;
  for (const auto& [text, placement] : by_placement_) {
    for (const auto& [precedence, slot] : placement.jobs) {
      oldest = std::min(precedence.accepted, oldest.value_or(precedence.accepted));
    }
  }
  return oldest;
}

}  // namespace twofold::queue
