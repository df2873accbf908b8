#include "lib/queue/placed_jobs.h"

#include <algorithm>
#include <utility>

namespace twofold::queue {

void PlacedJobs::Add(Slot slot) {
  const auto [placement, is_new] = by_placement_.try_emplace(jobs_[slot].options->placement);
  if (is_new) {
    placement->second.number = ++last_number_;
    by_number_.emplace_hint(by_number_.end(), last_number_, placement);
  }
  placement->second.jobs.insert(PlaceOf(slot));
  ++size_;
}

void PlacedJobs::Remove(Slot slot) {
  const auto placement = by_placement_.find(jobs_[slot].options->placement);
  placement->second.jobs.erase(PlaceOf(slot));
  --size_;
  if (!placement->second.jobs.empty()) return;
  by_number_.erase(placement->second.number);
  by_placement_.erase(placement);
}

std::optional<PlacedJobs::Match> PlacedJobs::Next() {
  unfinished_ = false;
  std::uint64_t left = kMostCompared;
  const Place* best = nullptr;
  ProcessId at{};
  for (auto process = FirstToLookAt(); process && left > 0;
       process = processes_.IdleAfter(*process)) {
    const Place* const first = FirstFor(*process, left);
    if (first == nullptr || (best != nullptr && !(*first < *best))) continue;
    best = first;
    at = *process;
  }
  if (best != nullptr) return Match{best->second, at};
  if (left == 0) {
    unfinished_ = true;
  } else {
    nothing_idle_ = processes_.last_idle_since();
    nothing_number_ = last_number_;
  }
  return std::nullopt;
}

/// Of the idle processes, those that became so last have not been looked at.
std::optional<ProcessId> PlacedJobs::FirstToLookAt() const {
  if (nothing_number_ != last_number_) return processes_.NextIdle();
  std::optional<ProcessId> first;
  for (auto process = processes_.LastIdle();
       process && processes_[*process].idle_since > nothing_idle_;
       process = processes_.IdleBefore(*process)) {
    first = process;
  }
  return first;
}

/// The first job that the process can run, of as many placements as are `left` to look at; nullptr:
/// none.
const PlacedJobs::Place* PlacedJobs::FirstFor(ProcessId process, std::uint64_t& left) {
  Compared& compared = ComparedBy(process);
  if (compared.resume > compared.number) {
    const std::uint64_t from = std::exchange(compared.resume, 0);
    const Place* const first = FirstAfter(from, process, left);
    if (first != nullptr) return first;
  }
  return FirstAfter(compared.number, process, left);
}

const PlacedJobs::Place* PlacedJobs::FirstAfter(std::uint64_t number, ProcessId process,
                                                std::uint64_t& left) {
  Compared& compared = ComparedBy(process);
  const bool all_before = number == compared.number;
  const Place* best = nullptr;
  std::uint64_t choices = 0;
  auto at = by_number_.upper_bound(number);
  for (; at != by_number_.end() && left > 0 && choices < kMostChoices; ++at, --left) {
    const auto& [text, placement] = *at->second;
    const Place& first = *placement.jobs.begin();
    number = placement.number;
    if (!processes_.Suits(text, process)) {
      if (best == nullptr && all_before) compared.number = number;
    } else if (best == nullptr || first < *best) {
      best = &first;
    }
    if (best != nullptr) ++choices;
  }
  const bool looked_on_later = at != by_number_.end() && (best != nullptr || !all_before);
  if (looked_on_later) compared.resume = number;
  return best;
}

PlacedJobs::Compared& PlacedJobs::ComparedBy(ProcessId process) {
  const auto index = static_cast<std::size_t>(process);
  if (index >= compared_.size()) compared_.resize(index + 1);
  Compared& compared = compared_[index];
  const std::uint64_t connection = processes_[process].connection;
  if (compared.connection != connection) compared = {.connection = connection};
  return compared;
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
