// The workers of a queue: how they come, what they bring, and what people ask of them.

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <utility>

#include "frontend/queues/queue_host.h"
#include "frontend/queues/queue_state.h"

namespace twofold::frontend {
namespace {

// As the core has them (lib/queue/placement.h).
std::string LabelLines(const WorkerIdentity& worker) {
  std::string lines;
  for (const auto& [name, value] : worker.labels) {
    absl::StrAppend(&lines, name, "=", value, "\n");
  }
  return lines;
}

std::uint64_t NextNumber() {
  static std::atomic<std::uint64_t> last = 0;  // of all queues: a client may use several
  return ++last;
}

}  // namespace

// ---- Their streams

queue::ProcessId QueueHost::Turn::Join(queue::ProcessKey key, std::uint32_t slots,
                                       std::span<const queue::Held> held, WorkerIdentity identity,
                                       const std::shared_ptr<WorkerEndpoint>& endpoint,
                                       Joining how) {
  // The core assigns while it takes the process in, so the endpoint must be in place before: it
  // goes to the id that the core will use.
  const queue::ProcessId process = state_.core.core().IdFor(key);
  State::Worker& worker = state_.WorkerAt(process);
  if (worker.endpoint) {
    worker.endpoint->OnReplaced();
    state_.to_flush.Add(worker.endpoint);
  }
  identity.number = NextNumber();
  const UsageRecord usage = worker.key == key ? worker.usage : UsageRecord();
  worker = {key,  std::move(identity), endpoint,      how.leave_when_empty, usage,
            now_, /*heard=*/now_,      how.beats_idle};
  worker.usage.Joined(now_);
  state_.core.Step(now_,
                   queue::input::WorkerJoined{.key = key,
                                              .slots = slots,
                                              .held = {held.begin(), held.end()},
                                              .draining = how.draining,
                                              .paused = state_.IsPaused(worker.identity),
                                              .node = worker.identity.node,
                                              .labels = LabelLines(worker.identity)},
                   state_);
  state_.to_flush.Add(endpoint);
  LeaveIfFree(process);
  return process;
}

bool QueueHost::Turn::HasJoined(queue::ProcessId process, const WorkerEndpoint* endpoint) const {
  const auto index = static_cast<std::size_t>(process);
  return index < state_.workers.size() && state_.workers[index].endpoint.get() == endpoint;
}

void QueueHost::Turn::Gone(queue::ProcessId process, const WorkerEndpoint* endpoint) {
  if (state_.Detach(process, endpoint))
    state_.core.Step(now_, queue::input::WorkerGone{process}, state_);
}

void QueueHost::Turn::Left(queue::ProcessId process, const WorkerEndpoint* endpoint) {
  if (state_.Detach(process, endpoint))
    state_.core.Step(now_, queue::input::WorkerLeft{process}, state_);
}

void QueueHost::Turn::Renew(queue::ProcessId process) {
  state_.WorkerAt(process).heard = now_;
  state_.core.Step(now_, queue::input::Renewed{process}, state_);
}

void QueueHost::Turn::Used(queue::ProcessId process, const v1::Usage& usage) {
  const WorkerUsage added = state_.WorkerAt(process).usage.Take(usage, now_);
  state_.usage.cpu += added.cpu;
  state_.usage.throttled += added.throttled;
  state_.usage.reported += added.reported;
}

void QueueHost::Turn::Draining(queue::ProcessId process) {
  state_.core.Step(now_, queue::input::WorkerDraining{process}, state_);
}

void QueueHost::Turn::Sent(queue::ProcessId process) {
  state_.core.Step(now_, queue::input::Sent{process}, state_);
}

void QueueHost::Turn::Ready(queue::ProcessId process, const queue::Held& member) {
  state_.core.Step(now_, queue::input::MemberReady{process, member}, state_);
}

bool QueueHost::Turn::Completed(queue::ProcessId process, const queue::Completion& completion) {
  const bool counts = state_.core.Step(now_, queue::input::Completed{process, completion}, state_);
  if (!state_.served) {
    AttemptOver(process, completion.job);
  } else if (IsDurable(completion.job) && state_.tenure.journal != nullptr) {
    state_.Send(completion.job, state_.WorkerAt(process).endpoint,
                [attempt = queue::Held{completion.job, completion.attempt}](WorkerEndpoint& to) {
                  to.OnKept(attempt);
                });
  }
  return counts;
}

void QueueHost::Turn::LeaveIfFree(queue::ProcessId process) {
  SendIfFree(process);
  const State::Worker& worker = state_.WorkerAt(process);
  if (!worker.leave_when_empty || state_.core.core().runnable() > 0 || !worker.endpoint) return;
  if (state_.tenure.journal == nullptr) return SendHome(process);
  Draining(process);
  // Behind the attempts that it was given before, which wait to be on disk.
  state_.commit.Then([endpoint = worker.endpoint](FlushList& list) {
    endpoint->OnDrain();
    list.Add(endpoint);
  });
}

void QueueHost::Turn::SendHome(queue::ProcessId process) {
  const State::Worker& worker = state_.WorkerAt(process);
  if (!worker.endpoint) return;
  Draining(process);
  state_.Tell(worker.endpoint, [](WorkerEndpoint& to) { to.OnDrain(); });
}

// ---- What people see and ask

/// Calls visit(id, process) for one part of those that match.
template <typename Visit>
std::size_t QueueHost::Turn::VisitWorkers(const WorkerPattern& pattern, std::size_t from,
                                          const Visit& visit) const {
  const std::size_t end = std::min(from + kWorkersATurn, state_.workers.size());
  for (std::size_t i = from; i < end; ++i) {
    const queue::ProcessId process{static_cast<std::uint32_t>(i)};
    const queue::Process* known = state_.core.core().FindProcess(process);
    if (known != nullptr && pattern.Matches(state_.workers[i].identity)) visit(process, *known);
  }
  return end < state_.workers.size() ? end : 0;
}

std::size_t QueueHost::Turn::DropSilent(Duration idle_lease, std::size_t from) {
  return VisitWorkers({}, from, [&](queue::ProcessId process, const queue::Process& known) {
    const State::Worker& worker = state_.WorkerAt(process);
    const bool silent = worker.beats_idle && now_ - worker.heard >= idle_lease;
    if (!silent || known.busy() > 0 || !worker.endpoint) return;
    state_.Tell(worker.endpoint, [](WorkerEndpoint& to) { to.OnSilent(); });
    Gone(process, worker.endpoint.get());
  });
}

std::size_t QueueHost::Turn::ListWorkers(
    const WorkerPattern& pattern, std::size_t from,
    const std::function<void(const WorkerView&)>& visit) const {
  return VisitWorkers(pattern, from, [&](queue::ProcessId process, const queue::Process& known) {
    const State::Worker& worker = state_.WorkerAt(process);
    visit({worker.identity, known, worker.usage.newest()});
  });
}

std::size_t QueueHost::Turn::PauseWorkers(const WorkerPattern& pattern, std::size_t from) {
  return SetPaused(pattern, from, true);
}

std::size_t QueueHost::Turn::ResumeWorkers(const WorkerPattern& pattern, std::size_t from) {
  return SetPaused(pattern, from, false);
}

/// Somebody else may have said otherwise since the first part: then that counts for all parts.
std::size_t QueueHost::Turn::SetPaused(const WorkerPattern& pattern, std::size_t from,
                                       bool paused) {
  if (from == 0) state_.AddPauseRule(pattern, paused);
  return VisitWorkers(pattern, from, [&](queue::ProcessId process, const queue::Process&) {
    const bool counts = state_.IsPaused(state_.WorkerAt(process).identity);
    state_.core.Step(now_, queue::input::PauseWorker{process, counts}, state_);
  });
}

std::size_t QueueHost::Turn::DrainWorkers(const WorkerPattern& pattern, std::size_t from) {
  return VisitWorkers(pattern, from,
                      [&](queue::ProcessId process, const queue::Process&) { SendHome(process); });
}

const WorkerIdentity* QueueHost::Turn::Identity(queue::ProcessId process) const {
  const auto index = static_cast<std::size_t>(process);
  return index < state_.workers.size() ? &state_.workers[index].identity : nullptr;
}

}  // namespace twofold::frontend
