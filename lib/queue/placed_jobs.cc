#include "lib/queue/placed_jobs.h"

namespace twofold::queue {
namespace {

// If more processes than this have become idle at once, as when a queue is resumed, it is cheaper
// to look for a process for each placement than the other way round.
constexpr std::size_t kFewProcesses = 16;

}  // namespace

void PlacedJobs::Add(Slot slot) {
  const auto [placement, is_new] = by_placement_.try_emplace(jobs_[slot].options->placement);
  Placement& waiting = placement->second;
  if (waiting.is_open) open_.erase(*waiting.jobs.begin());
  waiting.jobs.insert(PlaceOf(slot));
  if (is_new) EnterLines(placement);
  if (is_new || waiting.is_open) Open(placement);
  ++size_;
  ++version_;
}

void PlacedJobs::Remove(Slot slot) {
  const auto placement = by_placement_.find(jobs_[slot].options->placement);
  Placement& waiting = placement->second;
  if (waiting.is_open) open_.erase(*waiting.jobs.begin());
  waiting.jobs.erase(PlaceOf(slot));
  --size_;
  ++version_;
  if (waiting.jobs.empty()) {
    LeaveLines(placement);
    by_placement_.erase(placement);
  } else if (waiting.is_open) {
    Open(placement);
  }
}

void PlacedJobs::EnterLines(Placements::iterator placement) {
  placement->second.lines = processes_.places().RarestLines(placement->first);
  for (const std::string& line : placement->second.lines) by_line_[line].insert(&*placement);
}

void PlacedJobs::LeaveLines(Placements::iterator placement) {
  for (const std::string& line : placement->second.lines) {
    const auto placements = by_line_.find(line);
    placements->second.erase(&*placement);
    if (placements->second.empty()) by_line_.erase(placements);
  }
}

void PlacedJobs::Open(Placements::iterator placement) {
  placement->second.is_open = true;
  open_.emplace(*placement->second.jobs.begin(), placement);
}

std::optional<PlacedJobs::Match> PlacedJobs::Next() {
  std::optional<Match> best = NextOfOpen();
  const Slot open = best ? best->slot : kNoSlot;
  CompareNewlyIdle(best);
  if (!best) {
    nothing_idle_ = processes_.last_idle_since();
  } else if (best->slot != open) {
    best->process = *FirstIdleFor(*by_placement_.find(jobs_[best->slot].options->placement));
  }
  return best;
}

/// Of the placements that an idle process may suit, the first that one does; the others before it
/// are found to wait.
std::optional<PlacedJobs::Match> PlacedJobs::NextOfOpen() {
  while (!open_.empty()) {
    const auto& [head, placement] = *open_.begin();
    if (const auto process = FirstIdleFor(*placement)) return Match{head.second, *process};
    placement->second.is_open = false;
    open_.erase(open_.begin());
  }
  return std::nullopt;
}

std::optional<ProcessId> PlacedJobs::FirstIdleFor(const Placements::value_type& placement) {
  std::optional<ProcessId> first;
  processes_.VisitIdle(placement.second.lines, 0, [&](ProcessId process) {
    if (processes_.Suits(placement.first, process)) first = process;
    return !first;
  });
  return first;
}

std::optional<PlacedJobs::Match> PlacedJobs::FirstFor(
    const std::vector<ProcessId>& processes) const {
  std::optional<Match> best;
  for (const ProcessId process : processes) CompareProcess(process, best);
  return best;
}

/// Finds a better match for the processes that became idle since Next found nothing.
void PlacedJobs::CompareNewlyIdle(std::optional<Match>& best) {
  std::size_t seen = 0;
  for (auto process = processes_.LastIdle();
       process && processes_[*process].idle_since > nothing_idle_;
       process = processes_.IdleBefore(*process)) {
    if (++seen > kFewProcesses) break;
    CompareProcess(*process, best);
  }
  if (seen <= kFewProcesses) return;
  for (auto placement = by_placement_.begin(); placement != by_placement_.end(); ++placement) {
    if (!placement->second.is_open) Open(placement);
  }
  nothing_idle_ = processes_.last_idle_since();
  best = NextOfOpen();
}

void PlacedJobs::CompareProcess(ProcessId process, std::optional<Match>& best) const {
  for (const Places::Line* line : processes_.places().LinesOf(static_cast<Slot>(process))) {
    const auto placements = by_line_.find(line->first);
    if (placements == by_line_.end()) continue;
    for (const auto* const placement : placements->second) {
      const Place& head = *placement->second.jobs.begin();
      if (best && !(head < PlaceOf(best->slot))) continue;
      if (processes_.Suits(placement->first, process)) best = Match{head.second, process};
    }
  }
}

}  // namespace twofold::queue
