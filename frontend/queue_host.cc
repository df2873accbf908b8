#include "frontend/queue_host.h"

#include <utility>

namespace twofold::frontend {

QueueHost::QueueHost(std::string name, const queue::QueueOptions& options,
                     std::shared_ptr<Submitter> detached)
    : name_(std::move(name)), options_(options), detached_(std::move(detached)), core_(options) {}

QueueHost::Snapshot QueueHost::Look(Instant now) {
  const std::lock_guard lock(mutex_);
  Snapshot snapshot{core_.Stats()};
  if (snapshot.stats.oldest_waiting) snapshot.oldest_waiting = now - *snapshot.stats.oldest_waiting;
  return snapshot;
}

QueueTimes QueueHost::Times() {
  const std::lock_guard lock(mutex_);
  return times_;
}

// ---- Effects: from the core's decisions to outboxes

void QueueHost::Do(const queue::Assign& assign) {
  const Worker& worker = WorkerAt(assign.process);
  worker.link->OnAssign(assign);
  Touch(worker.link);
}

void QueueHost::Do(const queue::CancelOnWorker& cancel) {
  const Worker& worker = WorkerAt(cancel.process);
  if (!worker.link) return;  // away: it learns on its return
  worker.link->OnCancel(cancel);
  Touch(worker.link);
}

void QueueHost::Do(const queue::Reply& reply) {
  Count(reply);
  const auto found = submitters_.find(reply.submitter);
  if (found == submitters_.end() && reply.submitter != queue::kDetached) return;
  const std::shared_ptr<Submitter>& submitter =
      reply.submitter == queue::kDetached ? detached_ : found->second;
  submitter->OnReply(reply, reply.has_process ? &WorkerAt(reply.process).identity : nullptr);
  Touch(submitter);
}

void QueueHost::Do(const queue::ProcessRemoved& removed) { WorkerAt(removed.process) = Worker{}; }

QueueHost::Worker& QueueHost::WorkerAt(queue::ProcessId process) {
  const auto index = static_cast<std::size_t>(process);
  if (index >= workers_.size()) workers_.resize(index + 1);
  return workers_[index];
}

// True: `link` was the one in use.
bool QueueHost::Detach(queue::ProcessId process, const WorkerLink* link) {
  Worker& worker = WorkerAt(process);
  if (worker.link.get() != link) return false;
  worker.link.reset();
  return true;
}

void QueueHost::Count(const queue::Reply& reply) {
  times_.wait.Record(reply.wait);
  times_.run.Record(reply.run_time);
  times_.total.Record(reply.total);
}

// ---- Turn

QueueHost::Turn::Turn(QueueHost& host, Instant now) : host_(host), lock_(host.mutex_), now_(now) {}

QueueHost::Turn::~Turn() {
  host_.core_.EndTurn();
  auto touched = std::exchange(host_.touched_, {});
  lock_.unlock();
  for (const auto& link : touched) link->Flush();
}

void QueueHost::Turn::AddSubmitter(queue::SubmitterId id,
                                   const std::shared_ptr<Submitter>& submitter) {
  host_.submitters_.try_emplace(id, submitter);
}

void QueueHost::Turn::RemoveSubmitter(queue::SubmitterId id) {
  host_.core_.SubmitterGone(now_, id, host_);
  host_.submitters_.erase(id);
}

queue::Submitted QueueHost::Turn::Submit(queue::SubmitterId submitter, std::uint64_t tag,
                                         const std::shared_ptr<const queue::JobOptions>& options,
                                         std::string_view spec) {
  return host_.core_.Submit(now_, submitter, tag, options, spec, host_);
}

bool QueueHost::Turn::Cancel(queue::JobId job) { return host_.core_.Cancel(now_, job, host_); }

queue::ProcessId QueueHost::Turn::Join(queue::ProcessKey key, std::uint32_t slots,
                                       std::span<const queue::Held> held, WorkerIdentity identity,
                                       const std::shared_ptr<WorkerLink>& link, Joining how) {
  // The core assigns while it takes the process in, so the link must be in place before: it goes to
  // the id that the core will use.
  const queue::ProcessId process = host_.core_.IdFor(key);
  Worker& worker = host_.WorkerAt(process);
  if (worker.link) {
    worker.link->OnReplaced();
    host_.Touch(worker.link);
  }
  worker = {std::move(identity), link, how.leave_when_empty};
  host_.core_.WorkerJoined(now_, key, slots, held, host_, how.draining);
  host_.Touch(link);
  LeaveIfEmpty(process);
  return process;
}

void QueueHost::Turn::Gone(queue::ProcessId process, const WorkerLink* link) {
  if (host_.Detach(process, link)) host_.core_.WorkerGone(now_, process, host_);
}

void QueueHost::Turn::Left(queue::ProcessId process, const WorkerLink* link) {
  if (host_.Detach(process, link)) host_.core_.WorkerLeft(now_, process, host_);
}

void QueueHost::Turn::Renew(queue::ProcessId process) { host_.core_.Renewed(now_, process, host_); }

void QueueHost::Turn::Draining(queue::ProcessId process) {
  host_.core_.WorkerDraining(now_, process);
}

bool QueueHost::Turn::Completed(queue::ProcessId process, const queue::Completion& completion) {
  return host_.core_.Completed(now_, process, completion, host_);
}

void QueueHost::Turn::LeaveIfEmpty(queue::ProcessId process) {
  const Worker& worker = host_.WorkerAt(process);
  if (!worker.leave_when_empty || !worker.link || host_.core_.waiting() > 0) return;
  host_.core_.WorkerDraining(now_, process);
  worker.link->OnDrain();
  host_.Touch(worker.link);
}

void QueueHost::Turn::Pause() { host_.core_.Pause(); }
void QueueHost::Turn::Drain() { host_.core_.Drain(); }
void QueueHost::Turn::Resume() { host_.core_.Resume(now_, host_); }
void QueueHost::Turn::Tick() { host_.core_.Tick(now_, host_); }

const WorkerIdentity* QueueHost::Turn::Identity(queue::ProcessId process) const {
  const auto index = static_cast<std::size_t>(process);
  return index < host_.workers_.size() ? &host_.workers_[index].identity : nullptr;
}

}  // namespace twofold::frontend
