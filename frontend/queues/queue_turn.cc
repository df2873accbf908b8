// The part of QueueHost that takes calls: one Turn a batch.

#include <spdlog/spdlog.h>

#include <algorithm>
#include <string>
#include <utility>

#include "frontend/queues/queue_host.h"
#include "frontend/queues/records.h"

namespace twofold::frontend {
namespace {

// As the core has them (lib/queue/placement.h).
std::string LabelLines(const WorkerIdentity& worker) {
  std::string lines;
  for (const auto& [name, value] : worker.labels) lines += name + "=" + value + "\n";
  return lines;
}

}  // namespace

QueueHost::Turn::Turn(QueueHost& host, Instant now) : host_(host), lock_(host.mutex_), now_(now) {}

QueueHost::Turn::~Turn() {
  host_.core_.Step(now_, queue::input::EndTurn{}, host_);
  if (!host_.changed_.empty()) host_.TellWatchers(now_);
  const FlushList to_flush = std::exchange(host_.to_flush_, {});
  // Under the lock, so that the journal has the order of the decisions.
  if (!host_.commit_.empty()) host_.commit_.AppendTo(*host_.surroundings_.journal);
  const auto deadline = host_.core_.core().NextDeadline();
  lock_.unlock();
  if (deadline && host_.surroundings_.alarm != nullptr) host_.surroundings_.alarm->Ring(*deadline);
  to_flush.Flush();
}

// ---- Submitters

void QueueHost::Turn::AddSubmitter(queue::SubmitterId id,
                                   const std::shared_ptr<Submitter>& submitter) {
  host_.submitters_.try_emplace(id, submitter);
}

void QueueHost::Turn::RemoveSubmitter(queue::SubmitterId id) {
  host_.core_.Step(now_, queue::input::SubmitterGone{id}, host_);
  host_.submitters_.erase(id);
}

queue::Submitted QueueHost::Turn::Submit(queue::SubmitterId submitter, std::uint64_t tag,
                                         const std::shared_ptr<const queue::JobOptions>& options,
                                         std::string_view spec, std::function<void()> then,
                                         const v1::RunPlace& place) {
  CommitBatch& commit = host_.commit_;
  const CommitBatch::Mark before = commit.mark();
  const queue::Submitted submitted =
      host_.core_.Step(now_, queue::input::Submit{submitter, tag, options, spec}, host_);
  if (submitted.admission != queue::Admission::kAccepted) return submitted;
  if (!options->durable) {
    if (then) Then(std::move(then));
    return submitted;
  }
  // The job may have been handed out already; that it was accepted comes first.
  if (!submitted.duplicate) {
    commit.RecordAt(before, Accepted(host_.name_, submitted.job, *options, place, spec));
    commit.Record(host_.LastId());
  }
  const auto found = host_.submitters_.find(submitter);
  commit.ThenAt(before, [endpoint = found == host_.submitters_.end() ? nullptr : found->second, tag,
                         job = submitted.job, then = std::move(then)](FlushList& to_flush) {
    if (then) then();
    if (!endpoint) return;
    endpoint->OnAccepted(tag, job);
    to_flush.Add(endpoint);
  });
  return submitted;
}

bool QueueHost::Turn::Cancel(queue::JobId job) {
  return host_.core_.Step(now_, queue::input::Cancel{job}, host_);
}

void QueueHost::Turn::WhenStored(queue::JobId job, std::function<void()> then) {
  if (!IsDurable(job)) return Then(std::move(then));
  host_.commit_.Then([then = std::move(then)](FlushList&) { then(); });
}

void QueueHost::Turn::RecordRequeue(queue::JobId from, queue::JobId to) {
  host_.commit_.Record(
      results::JobRequeued{static_cast<std::uint64_t>(from), static_cast<std::uint64_t>(to)});
}

// ---- Workers

queue::ProcessId QueueHost::Turn::Join(queue::ProcessKey key, std::uint32_t slots,
                                       std::span<const queue::Held> held, WorkerIdentity identity,
                                       const std::shared_ptr<WorkerEndpoint>& endpoint,
                                       Joining how) {
  // The core assigns while it takes the process in, so the endpoint must be in place before: it
  // goes to the id that the core will use.
  const queue::ProcessId process = host_.core_.core().IdFor(key);
  Worker& worker = host_.WorkerAt(process);
  if (worker.endpoint) {
    worker.endpoint->OnReplaced();
    host_.to_flush_.Add(worker.endpoint);
  }
  worker = {key, std::move(identity), endpoint, how.leave_when_empty};
  host_.core_.Step(now_,
                   queue::input::WorkerJoined{.key = key,
                                              .slots = slots,
                                              .held = {held.begin(), held.end()},
                                              .draining = how.draining,
                                              .paused = host_.IsPaused(worker.identity),
                                              .node = worker.identity.node,
                                              .labels = LabelLines(worker.identity)},
                   host_);
  host_.to_flush_.Add(endpoint);
  LeaveIfEmpty(process);
  return process;
}

void QueueHost::Turn::Gone(queue::ProcessId process, const WorkerEndpoint* endpoint) {
  if (host_.Detach(process, endpoint))
    host_.core_.Step(now_, queue::input::WorkerGone{process}, host_);
}

void QueueHost::Turn::Left(queue::ProcessId process, const WorkerEndpoint* endpoint) {
  if (host_.Detach(process, endpoint))
    host_.core_.Step(now_, queue::input::WorkerLeft{process}, host_);
}

void QueueHost::Turn::Renew(queue::ProcessId process) {
  host_.core_.Step(now_, queue::input::Renewed{process}, host_);
}

void QueueHost::Turn::Draining(queue::ProcessId process) {
  host_.core_.Step(now_, queue::input::WorkerDraining{process}, host_);
}

void QueueHost::Turn::Ready(queue::ProcessId process, const queue::Held& member) {
  host_.core_.Step(now_, queue::input::MemberReady{process, member}, host_);
}

bool QueueHost::Turn::Completed(queue::ProcessId process, const queue::Completion& completion) {
  const bool counts = host_.core_.Step(now_, queue::input::Completed{process, completion}, host_);
  if (IsDurable(completion.job) && host_.surroundings_.journal != nullptr) {
    host_.Send(completion.job, host_.WorkerAt(process).endpoint,
               [attempt = queue::Held{completion.job, completion.attempt}](WorkerEndpoint& to) {
                 to.OnKept(attempt);
               });
  }
  return counts;
}

void QueueHost::Turn::LeaveIfEmpty(queue::ProcessId process) {
  const Worker& worker = host_.WorkerAt(process);
  if (!worker.leave_when_empty || host_.core_.core().runnable() > 0) return;
  SendHome(process);
}

void QueueHost::Turn::SendHome(queue::ProcessId process) {
  const Worker& worker = host_.WorkerAt(process);
  if (!worker.endpoint) return;
  host_.core_.Step(now_, queue::input::WorkerDraining{process}, host_);
  worker.endpoint->OnDrain();
  host_.to_flush_.Add(worker.endpoint);
}

void QueueHost::Turn::Progress(const queue::Held& attempt, JobProgress progress) {
  const auto role = host_.core_.core().RoleOf(attempt);
  if (!role || role->rank != 0) return;  // late, or of a member that does not speak for its gang
  host_.watchers_.SetProgress(role->job, std::move(progress));
  host_.Changed(role->job);
}

void QueueHost::Turn::Output(const queue::Held& attempt, std::string_view data,
                             std::uint64_t missed) {
  const auto role = host_.core_.core().RoleOf(attempt);
  if (!role) return;
  for (const auto& watcher : host_.watchers_.Of(role->job)) {
    if (!watcher->wants_output()) continue;
    watcher->OnOutput(role->rank, data, missed);
    host_.to_flush_.Add(watcher);
  }
}

// ---- Those who watch a job

void QueueHost::Turn::Watch(queue::JobId job, const std::shared_ptr<Watcher>& watcher) {
  const bool followed = host_.watchers_.WantsOutput(job);
  host_.watchers_.Add(job, watcher);
  host_.Changed(job);
  if (!followed && watcher->wants_output()) Follow(job, true);
}

void QueueHost::Turn::Unwatch(queue::JobId job, const Watcher* watcher) {
  const bool followed = host_.watchers_.WantsOutput(job);
  host_.watchers_.Remove(job, watcher);
  if (followed && !host_.watchers_.WantsOutput(job)) Follow(job, false);
}

const JobProgress* QueueHost::Turn::ProgressOf(queue::JobId job) const {
  return host_.watchers_.Progress(job);
}

/// Tells who runs the job whether somebody looks.
void QueueHost::Turn::Follow(queue::JobId job, bool follow) {
  const auto view = host_.core_.core().Find(now_, job);
  if (!view || !view->running) return;
  std::vector<queue::Member> members = view->members;
  if (view->options->gang.size == 1) members = {{view->process, job}};
  for (const queue::Member& member : members) {
    host_.Send(member.job, host_.WorkerAt(member.process).endpoint,
               [attempt = queue::Held{member.job, view->attempt}, follow](WorkerEndpoint& to) {
                 to.OnFollow(attempt, follow);
               });
  }
}

// ---- Admin and time

void QueueHost::Turn::Pause() { host_.core_.Step(now_, queue::input::Pause{}, host_); }
void QueueHost::Turn::Drain() { host_.core_.Step(now_, queue::input::Drain{}, host_); }
void QueueHost::Turn::Resume() { host_.core_.Step(now_, queue::input::Resume{}, host_); }
void QueueHost::Turn::Tick() { host_.core_.Step(now_, queue::input::Tick{}, host_); }

void QueueHost::Turn::Restore(const results::StoredJob& job) {
  const auto restored = ToRestored(job, now_, UnixNowNs());
  if (!restored.ok()) {
    return spdlog::error("queue {}: {}; it stays in the store", host_.name_,
                         std::string(restored.status().message()));
  }
  host_.core_.Step(now_, queue::input::Restore{*restored}, host_);
  const auto* started = std::get_if<results::AttemptStarted>(&job.state);
  if (started == nullptr) return;
  for (const results::Member& member : started->members) {
    const queue::ProcessKey key{member.process_key};
    host_.WorkerAt(host_.core_.core().IdFor(key)) = {
        key, {member.node, member.pod, member.device, {}, {}}, nullptr, false};
  }
}

template <typename Visit>
std::size_t QueueHost::Turn::VisitWorkers(const WorkerPattern& pattern, std::size_t from,
                                          const Visit& visit) const {
  const std::size_t end = std::min(from + kWorkersATurn, host_.workers_.size());
  for (std::size_t i = from; i < end; ++i) {
    const queue::ProcessId process{static_cast<std::uint32_t>(i)};
    const queue::Process* known = host_.core_.core().FindProcess(process);
    if (known != nullptr && pattern.Matches(host_.workers_[i].identity)) visit(process, *known);
  }
  return end < host_.workers_.size() ? end : 0;
}

std::size_t QueueHost::Turn::ListWorkers(
    const WorkerPattern& pattern, std::size_t from,
    const std::function<void(const WorkerView&)>& visit) const {
  return VisitWorkers(pattern, from, [&](queue::ProcessId process, const queue::Process& known) {
    visit({host_.WorkerAt(process).identity, known});
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
  if (from == 0) host_.AddPauseRule(pattern, paused);
  return VisitWorkers(pattern, from, [&](queue::ProcessId process, const queue::Process&) {
    const bool counts = host_.IsPaused(host_.WorkerAt(process).identity);
    host_.core_.Step(now_, queue::input::PauseWorker{process, counts}, host_);
  });
}

std::size_t QueueHost::Turn::DrainWorkers(const WorkerPattern& pattern, std::size_t from) {
  return VisitWorkers(pattern, from,
                      [&](queue::ProcessId process, const queue::Process&) { SendHome(process); });
}

const WorkerIdentity* QueueHost::Turn::Identity(queue::ProcessId process) const {
  const auto index = static_cast<std::size_t>(process);
  return index < host_.workers_.size() ? &host_.workers_[index].identity : nullptr;
}

}  // namespace twofold::frontend
