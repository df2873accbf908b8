#include "lib/queue/process_table.h"

#include <algorithm>
#include <utility>

#include "lib/queue/placement.h"

namespace twofold::queue {
namespace {

// How many jobs a process takes at most before it is the next one's turn: an eighth of its slots.
// So small processes share the load job by job, and big ones get batches, without which a message
// would carry one job (8 processes of 1024 slots: 36 000 round trips a second, a tenth of what
// batches reach). See also Queue::EndTurn.
std::uint32_t Turn(std::uint32_t slots) { return std::max(slots / 8, 1U); }

void ForgetUnsent(Process& process) {
  process.unsent_bytes = 0;
  process.is_full = false;
  process.sent_asked = false;
}

}  // namespace

bool ProcessTable::Contains(ProcessId id) const {
  return IndexOf(id) < processes_.size() && (*this)[id].presence != Presence::kNone;
}

std::optional<ProcessId> ProcessTable::Find(ProcessKey key) const {
  const auto found = by_key_.find(key);
  return found == by_key_.end() ? std::nullopt : std::optional(found->second);
}

ProcessId ProcessTable::Add(ProcessKey key) {
  const ProcessId id = NextId();
  if (unused_.empty()) {
    processes_.emplace_back();
  } else {
    unused_.pop_back();
  }
  processes_[IndexOf(id)].key = key;
  by_key_.emplace(key, id);
  return id;
}

ProcessId ProcessTable::NextId() const {
  return unused_.empty() ? ProcessId{static_cast<Slot>(processes_.size())} : unused_.back();
}

void ProcessTable::Remove(ProcessId id) {
  Become(id, Presence::kNone, {});
  LeaveNode((*this)[id].node);
  places_.Leave(IndexOf(id));
  by_key_.erase((*this)[id].key);
  processes_[IndexOf(id)] = Process();
  unused_.push_back(id);
}

void ProcessTable::Connect(ProcessId id, Instant now, const input::WorkerJoined& joining,
                           std::set<Held> unanswered) {
  Node* const before = (*this)[id].node;
  places_.Leave(IndexOf(id));  // an absent process is not idle
  places_.Enter(IndexOf(id), joining.labels, joining.node);
  Become(id, Presence::kConnected, now);
  Change(id, [&](Process& process) {
    process.slots = std::max(joining.slots, 1U);
    process.draining = joining.draining;
    process.paused = joining.paused;
    ForgetUnsent(process);
    process.unanswered = std::move(unanswered);
    process.node = EnterNode(joining.node);
    process.labels = joining.labels;
  });
  ++capacity_version_;  // for placements, even if it has as many slots as before
  StartLease(processes_[IndexOf(id)], IndexOf(id), now);
  LeaveNode(before);
}

void ProcessTable::Heard(ProcessId id, Instant now) {
  Process& process = processes_[IndexOf(id)];
  if (process.presence == Presence::kAway) return;
  if (process.presence == Presence::kSilent) Become(id, Presence::kConnected, now);
  // Most calls of a batch share one instant: only the first has something to do.
  if (process.leased && process.deadline == now + lease_) return;
  EndLease(process, IndexOf(id));
  StartLease(process, IndexOf(id), now);
}

void ProcessTable::SetDraining(ProcessId id) {
  Change(id, [](Process& process) { process.draining = true; });
}

void ProcessTable::SetPaused(ProcessId id, bool paused) {
  Change(id, [paused](Process& process) { process.paused = paused; });
}

std::optional<Instant> ProcessTable::NextDeadline() const {
  std::optional<Instant> next;
  for (const Deadlines* deadlines : {&leases_, &graces_}) {
    if (deadlines->empty()) continue;
    const Instant first = processes_[deadlines->front()].deadline;
    next = next ? std::min(*next, first) : first;
  }
  return next;
}

void ProcessTable::Give(ProcessId id, Slot job, std::size_t bytes, Instant now) {
  ChangeBusy(id, [&](Process& process) {
    process.unsent_bytes += bytes;
    process.is_full = unsent_limit_ > 0 && process.unsent_bytes >= unsent_limit_;
    if (!std::exchange(process.took, true)) took_.push_back(IndexOf(id));
    if (++process.taken_in_turn >= Turn(process.slots)) {
      if (std::exchange(process.is_idle, false)) LeaveIdle(IndexOf(id));
    }
    process.running.PushBack(jobs_.all_tries(), jobs_[job].tries);
    ++process.running_count;
  });
  Process& process = processes_[IndexOf(id)];
  if (!process.leased) StartLease(process, IndexOf(id), now);
}

bool ProcessTable::AskSent(ProcessId id) {
  Process& process = processes_[IndexOf(id)];
  const bool ask = unsent_limit_ > 0 && process.unsent_bytes >= unsent_limit_ / 2;
  return ask && !std::exchange(process.sent_asked, true);
}

void ProcessTable::Sent(ProcessId id) { ChangeBusy(id, ForgetUnsent); }

void ProcessTable::TakeBack(ProcessId id, Slot job) {
  ChangeBusy(id, [&](Process& process) {
    process.running.Remove(jobs_.all_tries(), jobs_[job].tries);
    --process.running_count;
  });
}

void ProcessTable::Revoke(ProcessId id, Slot job) {
  Change(id, [&](Process& process) {
    process.running.Remove(jobs_.all_tries(), jobs_[job].tries);
    --process.running_count;
    process.unanswered.insert(jobs_.AttemptOf(job));
  });
}

bool ProcessTable::Answered(ProcessId id, const Held& held) {
  bool found = false;
  ChangeBusy(id, [&](Process& process) { found = process.unanswered.erase(held) > 0; });
  return found;
}

void ProcessTable::Reserve(ProcessId id) {
  Change(id, [](Process& process) {
    ++process.reserved;
    ++process.node->reserved;
  });
}

void ProcessTable::Unreserve(ProcessId id, std::uint32_t slots) {
  Change(id, [slots](Process& process) {
    process.reserved -= slots;
    process.node->reserved -= slots;
  });
}

void ProcessTable::EndTurn() {
  for (const Slot slot : took_) {
    Process& process = processes_[slot];
    process.took = false;
    if (std::exchange(process.taken_in_turn, 0) == 0 || !process.is_idle) continue;
    LeaveIdle(slot);
    EnterIdle(slot);
  }
  took_.clear();
}

bool ProcessTable::Suits(std::string_view placement, ProcessId id) const {
  const Process& process = (*this)[id];
  return placement.empty() || queue::Suits(placement, process.labels, *process.node->name);
}

Capacity ProcessTable::AbleFor(std::string_view placement) const {
  if (placement.empty()) return counts_.able;
  if (std::exchange(able_for_version_, capacity_version_) != capacity_version_) able_for_.clear();
  const auto [answer, is_new] = able_for_.try_emplace(std::string(placement));
  if (!is_new) return answer->second;
  Capacity& able = answer->second;
  std::set<const Node*> nodes;
  for (const Slot slot : places_.MaySuit(placement)) {
    const Process& process = processes_[slot];
    if (!process.able() || !Suits(placement, ProcessId{slot})) continue;
    able.slots += process.slots;
    nodes.insert(process.node);
  }
  able.nodes = nodes.size();
  return able;
}

Node* ProcessTable::EnterNode(std::string_view name) {
  const auto at = nodes_.try_emplace(std::string(name)).first;
  at->second.name = &at->first;
  ++at->second.processes;
  return &at->second;
}

void ProcessTable::LeaveNode(Node* node) {
  if (node != nullptr && --node->processes == 0) nodes_.erase(std::string(*node->name));
}

template <typename Function>
void ProcessTable::Change(ProcessId id, const Function& change) {
  Process& process = processes_[IndexOf(id)];
  const Able before = Count(process, false);
  change(process);
  if (Count(process, true) != before) ++capacity_version_;
  KeepIdle(process, IndexOf(id));
}

template <typename Function>
void ProcessTable::ChangeBusy(ProcessId id, const Function& change) {
  Process& process = processes_[IndexOf(id)];
  const std::uint64_t before = process.busy_slots();
  change(process);
  if (process.presence == Presence::kConnected && !process.draining) {
    const std::uint64_t more = process.busy_slots() - before;  // or fewer: it wraps around
    counts_.busy += more;
    (process.paused ? counts_.paused : counts_.idle) -= more;
  }
  if (process.busy() == 0) EndLease(process, IndexOf(id));
  KeepIdle(process, IndexOf(id));
}

/// In the line of idle processes are those that may take a job.
void ProcessTable::KeepIdle(Process& process, Slot slot) {
  if (process.MayTake() == process.is_idle) return;
  process.is_idle = !process.is_idle;
  process.taken_in_turn = 0;
  if (process.is_idle) {
    EnterIdle(slot);
  } else {
    LeaveIdle(slot);
  }
}

void ProcessTable::EnterIdle(Slot slot) {
  processes_[slot].idle_since = ++last_idle_since_;
  idle_.PushBack(processes_, slot);
  places_.BecameIdle(slot);
}

void ProcessTable::LeaveIdle(Slot slot) {
  idle_.Remove(processes_, slot);
  places_.LeftIdle(slot);
}

void ProcessTable::VisitIdle(std::string_view placement, std::uint64_t after,
                             const std::function<bool(ProcessId)>& visit) {
  if (!placement.empty()) return VisitIdle(places_.RarestLines(placement), after, visit);
  const auto is_new = [&](Slot slot) {
    return slot != kNoSlot && processes_[slot].idle_since > after;
  };
  Slot next = idle_.front();
  if (!is_new(next)) {
    next = kNoSlot;
    for (Slot slot = idle_.back(); is_new(slot); slot = processes_[slot].in_idle.prev) next = slot;
  }
  while (next != kNoSlot) {
    const Slot slot = std::exchange(next, processes_[next].in_idle.next);
    if (!visit(ProcessId{slot})) return;
  }
}

void ProcessTable::VisitIdle(const std::vector<std::string>& lines, std::uint64_t after,
                             const std::function<bool(ProcessId)>& visit) {
  places_.VisitIdle(lines, after, [&](Slot slot) { return visit(ProcessId{slot}); });
}

void ProcessTable::Become(ProcessId id, Presence presence, Instant now) {
  Change(id, [&](Process& process) {
    EndLease(process, IndexOf(id));
    if (process.presence == Presence::kAway) graces_.Remove(processes_, IndexOf(id));
    process.presence = presence;
    if (presence != Presence::kAway) return;
    process.deadline = now + grace_;
    graces_.PushBack(processes_, IndexOf(id));
  });
}

void ProcessTable::StartLease(Process& process, Slot slot, Instant now) {
  if (process.presence != Presence::kConnected || process.busy() == 0) return;
  process.leased = true;
  process.deadline = now + lease_;
  leases_.PushBack(processes_, slot);
}

void ProcessTable::EndLease(Process& process, Slot slot) {
  if (std::exchange(process.leased, false)) leases_.Remove(processes_, slot);
}

ProcessTable::Able ProcessTable::Count(const Process& process, bool add) {
  const auto apply = [add](std::uint64_t& count, std::uint64_t by) { count += add ? by : -by; };
  if (process.presence != Presence::kConnected && process.presence != Presence::kSilent) return {};
  apply(counts_.processes, 1);
  if (process.presence == Presence::kSilent) return {};
  if (process.draining) {
    apply(counts_.draining, process.slots);
    return {};
  }
  const std::uint64_t busy = process.busy_slots();
  apply(counts_.busy, busy);
  apply(process.paused ? counts_.paused : counts_.idle, process.slots - busy);
  apply(counts_.reserved, process.reserved);
  if (process.paused || process.node == nullptr) return {};
  // What gangs may hope for.
  if (process.node->able == (add ? 0 : 1)) apply(counts_.able.nodes, 1);
  apply(process.node->able, 1);
  apply(counts_.able.slots, process.slots);
  return {process.node, process.slots};
}

std::optional<ProcessId> ProcessTable::Over(const Deadlines& deadlines, Instant now) const {
  if (deadlines.empty() || processes_[deadlines.front()].deadline > now) return std::nullopt;
  return ProcessId{deadlines.front()};
}

}  // namespace twofold::queue
