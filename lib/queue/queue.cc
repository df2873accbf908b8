#include "lib/queue/queue.h"

#include <algorithm>
#include <cstdio>
#include <string>

namespace twofold::queue {
namespace {

// Keeps sums of instants and 20 levels of ageing far from the ends of the clock.
constexpr Duration kLongest = std::chrono::hours(24 * 365 * 10);

QueueOptions Checked(QueueOptions options) {
  for (Duration* duration : {&options.lease, &options.grace, &options.ageing}) {
    *duration = std::clamp(*duration, Duration::zero(), kLongest);
  }
  return options;
}

std::string Seconds(Duration duration) {
  char text[32];
  std::snprintf(text, sizeof text, "%gs", ToSeconds(duration));
  return text;
}

/// "<why>, 1 of 3 attempts used"
std::string LostReason(std::string_view why, const Job& job) {
  return std::string(why) + ", " + std::to_string(job.lost_attempts) + " of " +
         std::to_string(std::max(job.options->max_attempts, 1U)) + " attempts used";
}

/// A worker cannot end a job as lost, rejected or abandoned: that is for the core to say.
Outcome ByWorker(Outcome outcome) {
  switch (outcome) {
    case Outcome::kSucceeded:
    case Outcome::kTimedOut:
    case Outcome::kCancelled:
      return outcome;
    default:
      return Outcome::kFailed;
  }
}

}  // namespace

Queue::Queue(const QueueOptions& options)
    : options_(Checked(options)),
      jobs_(options_.first_generation, options_.number),
      line_(jobs_, options_.ageing),
      processes_(jobs_, options_.lease, options_.grace) {}

// ---- Submitters

Submitted Queue::Submit(Instant now, SubmitterId submitter, std::uint64_t tag,
                        const std::shared_ptr<const JobOptions>& options, std::string_view spec,
                        Effects& effects) {
  if (const Admission admission = Admit(); admission != Admission::kAccepted) {
    ++finished_[static_cast<std::size_t>(Outcome::kRejected)];
    return {admission, JobId{0}};
  }
  const Slot slot = jobs_.Add(options, spec);
  Job& job = jobs_[slot];
  job.tag = tag;
  job.sequence = next_sequence_++;
  job.accepted = now;
  job.submitter = SubmitterFor(submitter);
  if (job.submitter != nullptr) job.submitter->jobs.PushBack(jobs_, slot);
  line_.Add(slot);
  Dispatch(now, effects);
  return {Admission::kAccepted, jobs_.IdOf(slot)};
}

bool Queue::Cancel(Instant now, JobId job, Effects& effects) {
  const Slot slot = jobs_.Find(job);
  if (slot == kNoSlot) return false;
  Stop(slot, effects);
  End(now, slot, {.outcome = Outcome::kCancelled, .reason = "cancelled on request"}, effects);
  // A worker that claimed this very attempt before it was given it had it counted twice: stopping
  // it frees a slot.
  Dispatch(now, effects);
  return true;
}

void Queue::SubmitterGone(Instant now, SubmitterId submitter, Effects& effects) {
  const auto found = submitters_.find(submitter);
  if (found == submitters_.end()) return;
  const auto& jobs = found->second.jobs;
  while (!jobs.empty()) {
    const Slot slot = jobs.front();
    Stop(slot, effects);
    ++finished_[static_cast<std::size_t>(Outcome::kAbandoned)];
    Forget(slot);
  }
  submitters_.erase(found);
  Dispatch(now, effects);  // as in Cancel
}

// ---- Workers

ProcessId Queue::IdFor(ProcessKey key) const {
  return processes_.Find(key).value_or(processes_.NextId());
}

ProcessId Queue::WorkerJoined(Instant now, ProcessKey key, std::uint32_t slots,
                              std::span<const Held> held, Effects& effects, bool draining) {
  const std::optional<ProcessId> known = processes_.Find(key);
  const ProcessId process = known ? *known : processes_.Add(key);
  std::set<Held> unanswered = Reconcile(now, process, held, effects);
  processes_.Connect(process, now, std::max(slots, 1U), draining, std::move(unanswered));
  Dispatch(now, effects);
  return process;
}

void Queue::WorkerGone(Instant now, ProcessId process, Effects& effects) {
  if (!processes_.Contains(process)) return;
  if (processes_[process].presence == Presence::kAway) return;
  if (processes_[process].running.empty()) {
    Remove(process, effects);
  } else {
    processes_.GoAway(process, now);
  }
}

void Queue::WorkerLeft(Instant now, ProcessId process, Effects& effects) {
  if (!processes_.Contains(process)) return;
  const auto& running = processes_[process].running;
  while (!running.empty()) {
    const Slot slot = running.front();
    processes_.TakeBack(process, slot);
    Requeue(slot);
  }
  Remove(process, effects);
  Dispatch(now, effects);
}

void Queue::Renewed(Instant now, ProcessId process, Effects& effects) {
  if (!processes_.Contains(process)) return;
  processes_.Heard(process, now);
  Dispatch(now, effects);
}

void Queue::WorkerDraining(Instant now, ProcessId process) {
  if (!processes_.Contains(process)) return;
  processes_.SetDraining(process);
  processes_.Heard(process, now);
}

bool Queue::Completed(Instant now, ProcessId process, const Completion& completion,
                      Effects& effects) {
  const Slot slot = FindAttempt(process, {completion.job, completion.attempt});
  if (slot == kNoSlot) {
    Refuse(process, completion);
  } else {
    processes_.TakeBack(process, slot);
    if (completion.handed_back) {
      Requeue(slot);
    } else {
      End(now, slot,
          {.outcome = ByWorker(completion.outcome),
           .run_time = completion.run_time,
           .device = completion.device,
           .report = completion.report},
          effects);
    }
  }
  Renewed(now, process, effects);  // and hands out what may be handed out now
  return slot != kNoSlot;
}

void Queue::EndTurn() { processes_.EndTurn(); }

// ---- Admin

void Queue::Pause() { paused_ = true; }

void Queue::Drain() { draining_ = true; }

void Queue::Resume(Instant now, Effects& effects) {
  paused_ = false;
  draining_ = false;
  Dispatch(now, effects);
}

// ---- Time

void Queue::Tick(Instant now, Effects& effects) {
  // First all that is over, then hand out: no job goes to a process that is due itself.
  while (const auto process = processes_.LeaseOver(now)) LeaseOver(now, *process, effects);
  while (const auto process = processes_.GraceOver(now)) GraceOver(now, *process, effects);
  Dispatch(now, effects);
}

std::optional<Instant> Queue::NextDeadline() const { return processes_.NextDeadline(); }

// ---- Questions

QueueStats Queue::Stats() const {
  const WorkerCounts& workers = processes_.counts();
  return {.waiting = line_.size(),
          .running = running_,
          .finished = finished_,
          .requeued = requeued_,
          .refused_results = refused_results_,
          .workers_idle = workers.idle,
          .workers_busy = workers.busy,
          .workers_draining = workers.draining,
          .processes = workers.processes,
          .oldest_waiting = line_.Oldest(),
          .paused = paused_,
          .draining = draining_};
}

std::uint64_t Queue::waiting() const { return line_.size(); }

std::optional<JobView> Queue::Find(Instant now, JobId job) const {
  const Slot slot = jobs_.Find(job);
  return slot == kNoSlot ? std::nullopt : std::optional(View(now, slot));
}

void Queue::List(Instant now, JobId after, std::size_t limit,
                 const std::function<void(const JobView&)>& visit) const {
  Slot slot = after == JobId{0} ? 0 : JobTable::SlotOf(after) + 1;
  for (; slot < jobs_.end() && limit > 0; ++slot) {
    if (jobs_[slot].state == JobState::kFree) continue;
    visit(View(now, slot));
    --limit;
  }
}

// ---- Jobs, by slot

bool Queue::IsRunning(Slot slot) const { return jobs_[slot].state == JobState::kRunning; }

/// The job that the process runs by this attempt; kNoSlot if the attempt does not count, or not
/// there.
Slot Queue::FindAttempt(ProcessId process, const Held& held) const {
  const Slot slot = jobs_.Find(held.job);
  if (slot == kNoSlot || !IsRunning(slot)) return kNoSlot;
  const Job& job = jobs_[slot];
  return job.process == process && job.attempts == held.attempt ? slot : kNoSlot;
}

void Queue::Dispatch(Instant now, Effects& effects) {
  if (paused_) return;
  while (!line_.empty()) {
    const std::optional<ProcessId> process = processes_.NextIdle();
    if (!process) return;
    HandOut(now, line_.Front(), *process, effects);
  }
}

void Queue::HandOut(Instant now, Slot slot, ProcessId process, Effects& effects) {
  line_.Remove(slot);
  Job& job = jobs_[slot];
  job.state = JobState::kRunning;
  job.process = process;
  job.handed_out = now;
  ++job.attempts;
  ++running_;
  processes_.Give(process, slot);
  effects.Do(Assign{process, jobs_.IdOf(slot), job.attempts, job.options, job.spec()});
}

/// Takes the job out of the line, or away from its process, which is told if it can hear.
void Queue::Stop(Slot slot, Effects& effects) {
  const Job& job = jobs_[slot];
  if (!IsRunning(slot)) return line_.Remove(slot);
  processes_.Revoke(job.process, slot);
  if (processes_[job.process].presence != Presence::kAway) {
    effects.Do(CancelOnWorker{job.process, jobs_.IdOf(slot), job.attempts});
  }
}

/// Puts a job back that its process has no more.
void Queue::Requeue(Slot slot) {
  jobs_[slot].state = JobState::kReturned;
  --running_;
  ++requeued_;
  line_.Add(slot);
}

/// Ends a job that is neither in the line nor with its process any more.
void Queue::End(Instant now, Slot slot, const Ending& ending, Effects& effects) {
  const Job& job = jobs_[slot];
  const bool running = IsRunning(slot);
  ++finished_[static_cast<std::size_t>(ending.outcome)];
  effects.Do(Reply{.submitter = job.submitter != nullptr ? job.submitter->id : kDetached,
                   .tag = job.tag,
                   .job = jobs_.IdOf(slot),
                   .options = job.options,
                   .outcome = ending.outcome,
                   .attempts = job.attempts,
                   .has_process = running,
                   .process = job.process,
                   .wait = (running ? job.handed_out : now) - job.accepted,
                   .run_time = ending.run_time,
                   .total = now - job.accepted,
                   .device = ending.device,
                   .report = ending.report,
                   .reason = ending.reason});
  Forget(slot);
}

void Queue::Forget(Slot slot) {
  if (IsRunning(slot)) --running_;
  if (Submitter* submitter = jobs_[slot].submitter) submitter->jobs.Remove(jobs_, slot);
  jobs_.Free(slot);
}

JobView Queue::View(Instant now, Slot slot) const {
  const Job& job = jobs_[slot];
  const bool running = IsRunning(slot);
  return {.job = jobs_.IdOf(slot),
          .running = running,
          .attempt = job.attempts,
          .process = job.process,
          .wait = (running ? job.handed_out : now) - job.accepted,
          .run_time = running ? now - job.handed_out : Duration::zero(),
          .options = job.options.get(),
          .spec_size = job.spec_size};
}

// ---- Attempts that come to nothing

/// The attempt of a job that its process has no more vanished with the worker.
void Queue::Lose(Instant now, Slot slot, std::string_view why, Effects& effects) {
  Job& job = jobs_[slot];
  if (++job.lost_attempts < job.options->max_attempts) return Requeue(slot);
  End(now, slot, {.outcome = Outcome::kLost, .reason = LostReason(why, job)}, effects);
}

void Queue::LeaseOver(Instant now, ProcessId process, Effects& effects) {
  processes_.FallSilent(process);
  const std::string why = "worker lease ran out after " + Seconds(options_.lease) + " of silence";
  const auto& running = processes_[process].running;
  while (!running.empty()) {
    const Slot slot = running.front();
    Stop(slot, effects);
    Lose(now, slot, why, effects);
  }
}

void Queue::GraceOver(Instant now, ProcessId process, Effects& effects) {
  const std::string why = "worker did not come back within " + Seconds(options_.grace);
  const auto& running = processes_[process].running;
  while (!running.empty()) {
    const Slot slot = running.front();
    processes_.TakeBack(process, slot);
    Lose(now, slot, why, effects);
  }
  Remove(process, effects);
}

void Queue::Remove(ProcessId process, Effects& effects) {
  processes_.Remove(process);
  effects.Do(ProcessRemoved{process});
}

/// Compares what a process runs with what it says it has: what it does not have is lost. Returns
/// what it has beyond that, which it is told to stop.
std::set<Held> Queue::Reconcile(Instant now, ProcessId process, std::span<const Held> held,
                                Effects& effects) {
  std::set<Held> rest(held.begin(), held.end());
  const auto& running = processes_[process].running;
  for (Slot slot = running.front(); slot != kNoSlot;) {
    const Slot next = JobsInPlace::Next(jobs_, slot);
    if (rest.erase({jobs_.IdOf(slot), jobs_[slot].attempts}) == 0) {
      processes_.TakeBack(process, slot);
      Lose(now, slot, "worker came back without it", effects);
    }
    slot = next;
  }
  for (const Held& stale : rest) effects.Do(CancelOnWorker{process, stale.job, stale.attempt});
  return rest;
}

/// What comes with an old token changes no job. It frees its slot, if it had one.
void Queue::Refuse(ProcessId process, const Completion& completion) {
  const bool answers = processes_.Contains(process) &&
                       processes_.Answered(process, {completion.job, completion.attempt});
  const bool is_result = !completion.handed_back && completion.outcome != Outcome::kCancelled;
  if (is_result || !answers) ++refused_results_;
}

// ---- Who may come in

Admission Queue::Admit() const {
  if (draining_) return Admission::kDraining;
  // What waits now waits for lack of a free slot, so the next one would wait, too.
  const bool full = options_.limit > 0 && line_.size() >= options_.limit;
  return full ? Admission::kFull : Admission::kAccepted;
}

Submitter* Queue::SubmitterFor(SubmitterId id) {
  if (id == kDetached) return nullptr;
  Submitter& submitter = submitters_[id];
  submitter.id = id;
  return &submitter;
}

}  // namespace twofold::queue
