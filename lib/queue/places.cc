#include "lib/queue/places.h"

#include <algorithm>
#include <iterator>
#include <limits>

#include "lib/queue/placement.h"
#include "lib/queue/process_table.h"

namespace twofold::queue {

void Places::Enter(Slot process, std::string_view labels, std::string_view node) {
  if (process >= entries_.size()) entries_.resize(process + 1);
  Join(process, "");
  Join(process, std::string(kPlacementNode).append(node));
  while (!labels.empty()) Join(process, std::string(kPlacementLabel).append(TakeLine(labels)));
}

void Places::Join(Slot process, const std::string& line) {
  auto& entry = *lines_.try_emplace(line).first;
  if (!entry.second.processes.insert(process).second) return;
  entries_[process].lines.push_back(&entry);
  if (entry.second.is_watched) AddSeat(process, entry.second);
}

void Places::Leave(Slot process) {
  if (process >= entries_.size()) return;
  Entry& entry = entries_[process];
  entry.seats.clear();
  for (const Line* line : entry.lines) {
    const auto found = lines_.find(line->first);
    found->second.processes.erase(process);
    if (found->second.processes.empty()) lines_.erase(found);
  }
  entry.lines.clear();
}

std::size_t Places::CountWith(const std::string& line) const {
  const auto found = lines_.find(line);
  return found == lines_.end() ? 0 : found->second.processes.size();
}

std::vector<std::string> Places::RarestLines(std::string_view placement) const {
  std::vector<std::string> nodes;
  std::string rarest;
  std::size_t fewest = std::numeric_limits<std::size_t>::max();
  while (!placement.empty()) {
    std::string line(TakeLine(placement));
    if (line.starts_with(kPlacementNode)) {
      nodes.push_back(std::move(line));
    } else if (line.starts_with(kPlacementLabel) && CountWith(line) < fewest) {
      fewest = CountWith(line);
      rarest = std::move(line);
    }
  }
  if (nodes.empty()) return {rarest};
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

std::vector<Slot> Places::MaySuit(std::string_view placement) const {
  std::vector<Slot> processes;
  for (const std::string& line : RarestLines(placement)) {
    const auto found = lines_.find(line);
    if (found == lines_.end()) continue;
    const std::set<Slot>& having = found->second.processes;
    processes.insert(processes.end(), having.begin(), having.end());
  }
  return processes;
}

void Places::VisitIdle(const std::vector<std::string>& wanted, std::uint64_t after,
                       const std::function<bool(Slot)>& visit) {
  std::vector<Having*> lines;
  for (const std::string& line : wanted) {
    const auto found = lines_.find(line);
    if (found == lines_.end()) continue;
    if (!found->second.is_watched) Watch(found->second);
    const auto& idle = found->second.idle;
    if (!idle.empty() && processes_[idle.back()].idle_since > after)
      lines.push_back(&found->second);
  }
  if (lines.size() == 1) {
    auto& idle = lines.front()->idle;
    for (auto next = FirstAfter(idle, after); next != idle.end();) {
      if (!visit(*next++)) return;
    }
    return;
  }
  std::vector<Slot> all;
  for (Having* line : lines) all.insert(all.end(), FirstAfter(line->idle, after), line->idle.end());
  std::sort(all.begin(), all.end(),
            [this](Slot a, Slot b) { return processes_[a].idle_since < processes_[b].idle_since; });
  for (const Slot process : all) {
    if (!visit(process)) return;
  }
}

/// The first that has become idle after that.
std::list<Slot>::iterator Places::FirstAfter(std::list<Slot>& idle, std::uint64_t after) const {
  if (processes_[idle.front()].idle_since > after) return idle.begin();
  auto first = idle.end();
  while (processes_[*std::prev(first)].idle_since > after) --first;
  return first;
}

/// Somebody asks for the line, so from now on its idle processes are listed.
void Places::Watch(Having& line) {
  is_watching_ = true;
  line.is_watched = true;
  std::vector<Slot> idle;
  for (const Slot process : line.processes) {
    AddSeat(process, line);
    if (processes_[process].is_idle) idle.push_back(process);
  }
  std::sort(idle.begin(), idle.end(),
            [this](Slot a, Slot b) { return processes_[a].idle_since < processes_[b].idle_since; });
  for (const Slot process : idle) {
    Seat& seat = entries_[process].seats.back();
    line.idle.splice(line.idle.end(), seat.outside);
  }
}

void Places::AddSeat(Slot process, Having& line) {
  Seat& seat = entries_[process].seats.emplace_back(Seat{&line, {process}, {}});
  seat.entry = seat.outside.begin();
}

void Places::SitDown(Slot process) {
  if (process >= entries_.size()) return;
  for (Seat& seat : entries_[process].seats) {
    seat.line->idle.splice(seat.line->idle.end(), seat.outside);
  }
}

void Places::StandUp(Slot process) {
  if (process >= entries_.size()) return;
  for (Seat& seat : entries_[process].seats) {
    seat.outside.splice(seat.outside.end(), seat.line->idle, seat.entry);
  }
}

}  // namespace twofold::queue
