#include "lib/queue/queue.h"

#include <algorithm>
#include <utility>

namespace twofold::queue {
namespace {

QueueOptions Checked(QueueOptions options) {
  for (Duration* duration : {&options.lease, &options.grace, &options.ageing}) {
    *duration = std::clamp(*duration, Duration::zero(), Queue::kLongest);
  }
  return options;
}

}  // namespace

Queue::Queue(const QueueOptions& options)
    : options_(Checked(options)),
      jobs_(options_.first_generation, options_.number),
      line_(jobs_, options_.ageing),
      processes_(jobs_, options_.lease, options_.grace, options_.unsent_limit),
      key_limits_(jobs_, line_),
      gathering_(jobs_, processes_, line_),
      placed_(jobs_, processes_, line_),
      next_sequence_(options_.first_sequence) {}

// ---- Submitters

/// A job is new here: by its key and its run it can be found.
void Queue::Register(Slot slot) {
  const JobOptions& options = *jobs_[slot].options;
  if (!options.dedup_key.empty()) dedup_keys_.Add(slot, jobs_[slot]);
  if (!options.run.empty()) runs_[options.run].insert(slot);
}

/// Whether a job that comes now may pass by the line: nothing waits, so Dispatch would hand it to
/// the first idle process, and an empty line remembers no turns (FairLanes).
bool Queue::HasFreeWay(const Job& job) const {
  const bool nothing_waits = line_.empty() && gathering_.empty() && placed_.empty() &&
                             withheld_.empty() && delays_.empty() && deadlines_.empty();
  const bool held = hold_durable_ && job.options->durable;
  return nothing_waits && !paused_ && !held && !IsChoosy(job) && !IsKeyLimited(job) &&
         job.options->dedup_key.empty() && job.options->deadline <= Duration::zero();
}

/// It waits for its time, if that has not come, and for a worker.
void Queue::Wait(Instant now, Slot slot, Effects& effects) {
  Job& job = jobs_[slot];
  if (job.accepted > now) {
    job.state = JobState::kDelayed;
    delays_.emplace(job.accepted, slot);
    return;
  }
  const std::optional<ProcessId> idle = processes_.NextIdle();
  if (idle && HasFreeWay(job)) return HandOut(now, slot, *idle, effects);
  Arrive(slot);
  Dispatch(now, effects);
}

Submitted Queue::Step(Instant now, input::Submit submit, Effects& effects) {
  const JobOptions& options = *submit.options;
  if (!options.dedup_key.empty()) {
    const Slot same = dedup_keys_.Find(options.dedup_key);
    if (same != kNoSlot) return Join(same, submit.submitter, submit.tag, options.durable);
  }
  if (const Admission admission = Admit(submit.spec.size()); admission != Admission::kAccepted) {
    return Reject(admission);
  }
  const Slot slot =
      jobs_.Add(std::move(submit.options), submit.spec, next_sequence_++, submit.spec_elsewhere);
  waiting_bytes_ += submit.spec.size();
  Job& job = jobs_[slot];
  job.tag = submit.tag;
  job.accepted = now + DelayOf(options);
  SetSubmitter(slot, SubmitterFor(submit.submitter));
  Register(slot);
  Wait(now, slot, effects);
  return {Admission::kAccepted, jobs_.IdOf(slot)};
}

bool Queue::Step(Instant now, const input::Cancel& cancel, Effects& effects) {
  const Slot slot = FindJob(cancel.job);
  if (slot == kNoSlot) return false;
  Stop(slot, effects);
  End(now, slot, {.outcome = Outcome::kCancelled, .reason = "cancelled on request"}, effects);
  // What it leaves may be somebody else's: a place under its limit key, slots that it held as a
  // gang. And a worker that claimed this very attempt before it was given it had it counted twice.
  Dispatch(now, effects);
  return true;
}

void Queue::Step(Instant now, const input::SubmitterGone& gone, Effects& effects) {
  const bool has_submitted = submitters_.contains(gone.submitter);
  departed_.push_back(gone.submitter);
  EndDeparted(now, effects);
  if (has_submitted) Dispatch(now, effects);  // as in Cancel
}

// ---- Workers

ProcessId Queue::IdFor(ProcessKey key) const {
  return processes_.Find(key).value_or(processes_.NextId());
}

ProcessId Queue::Step(Instant now, const input::WorkerJoined& joined, Effects& effects) {
  const std::optional<ProcessId> known = processes_.Find(joined.key);
  const ProcessId process = known ? *known : processes_.Add(joined.key);
  gathering_.Withdraw(process);
  if (known) processes_.GoAway(process, now);  // its old stream is broken, heard of or not
  std::set<Held> unanswered = Reconcile(now, process, joined.held, effects);
  FreeKeysOf(process, unanswered);
  processes_.Connect(process, now, joined, std::move(unanswered));
  Dispatch(now, effects);
  return process;
}

void Queue::Step(Instant now, const input::WorkerGone& gone, Effects& effects) {
  const ProcessId process = gone.process;
  if (!processes_.Contains(process)) return;
  if (processes_[process].presence == Presence::kAway) return;
  gathering_.Withdraw(process);
  if (processes_[process].running.empty() && !kept_keys_.IsKept(process)) {
    Remove(process, effects);
  } else {
    processes_.GoAway(process, now);
  }
  Dispatch(now, effects);  // what a gang held elsewhere may be free, as it has too few workers now
}

void Queue::Step(Instant now, const input::WorkerLeft& left, Effects& effects) {
  const ProcessId process = left.process;
  if (!processes_.Contains(process)) return;
  gathering_.Withdraw(process);
  processes_.GoAway(process, now);  // it hears nothing any more
  const auto& running = processes_[process].running;
  while (!running.empty()) {
    const Slot slot = jobs_.all_tries()[running.front()].job;
    processes_.TakeBack(process, slot);
    HandBack(now, slot, effects);
  }
  Remove(process, effects);
  Dispatch(now, effects);
}

void Queue::Step(Instant now, const input::Renewed& renewed, Effects& effects) {
  Hear(now, renewed.process, effects);
}

/// A sign of life. Hands out what may be handed out now.
void Queue::Hear(Instant now, ProcessId process, Effects& effects) {
  if (!processes_.Contains(process)) return;
  processes_.Heard(process, now);
  Dispatch(now, effects);
}

void Queue::Step(Instant now, const input::WorkerDraining& draining, Effects& effects) {
  const ProcessId process = draining.process;
  if (!processes_.Contains(process)) return;
  gathering_.Withdraw(process);
  processes_.SetDraining(process);
  Hear(now, process, effects);
}

void Queue::Step(Instant now, const input::PauseWorker& pause, Effects& effects) {
  const ProcessId process = pause.process;
  if (!processes_.Contains(process)) return;
  if (pause.paused) gathering_.Withdraw(process);
  processes_.SetPaused(process, pause.paused);
  Dispatch(now, effects);
}

void Queue::Step(Instant now, const input::Sent& sent, Effects& effects) {
  if (!processes_.Contains(sent.process)) return;
  processes_.Sent(sent.process);
  Dispatch(now, effects);
}

bool Queue::Step(Instant now, const input::Completed& completed, Effects& effects) {
  const auto& [process, completion] = completed;
  const Slot slot = FindAttempt(process, {completion.job, completion.attempt});
  if (slot == kNoSlot) {
    Refuse(process, completion);
  } else {
    processes_.TakeBack(process, slot);
    processes_.CountEnded(process);
    Finish(now, slot, completion, effects);
  }
  Hear(now, process, effects);
  return slot != kNoSlot;
}

void Queue::Step(Instant, const input::EndTurn&, Effects&) { processes_.EndTurn(); }

// ---- Admin

void Queue::Step(Instant, const input::Pause&, Effects&) { paused_ = true; }

void Queue::Step(Instant, const input::Drain&, Effects&) { draining_ = true; }

void Queue::Step(Instant now, const input::Resume&, Effects& effects) {
  paused_ = false;
  draining_ = false;
  Dispatch(now, effects);
}

void Queue::Step(Instant now, const input::HoldDurable& hold, Effects& effects) {
  hold_durable_ = hold.hold;
  Dispatch(now, effects);
}

void Queue::Step(Instant now, const input::Restore& restore, Effects& effects) {
  const Restored& restored = restore.restored;
  const bool durable = restored.options->durable;
  const Slot slot =
      jobs_.Add(restored.options, restored.spec,
                durable ? Sequence(restored.job) : next_sequence_++, restored.spec_elsewhere);
  if (!durable) jobs_.KeepId(slot, restored.job);
  waiting_bytes_ += restored.spec.size();
  Job& job = jobs_[slot];
  job.tag = 0;
  job.accepted = restored.accepted;
  if (restored.attempts > 0) {
    Tries& tries = jobs_.OwnTries(slot);
    tries.attempts = restored.attempts;
    tries.lost_attempts = restored.lost_attempts;
    tries.handed_out = restored.handed_out;
  }
  Register(slot);
  if (!restored.members.empty()) return Resume(now, slot, restored.members);
  Wait(now, slot, effects);
}

/// The job runs, with processes that have not come back yet.
void Queue::Resume(Instant now, Slot slot, std::span<const Restored::Member> members) {
  EnterRunning(jobs_[slot]);
  const JobOptions& options = *jobs_[slot].options;
  const bool is_gang = options.gang.size > 1;
  std::vector<Slot> ranks;
  for (const Restored::Member& member : members) {
    const ProcessId process = Absent(now, member.process);
    if (ranks.empty()) jobs_.OwnTries(slot).process = process;
    if (is_gang) {
      const auto rank = static_cast<std::uint32_t>(ranks.size());
      ranks.push_back(AddMember(slot, rank, process, Sequence(member.job)));
    } else {
      jobs_[slot].state = JobState::kRunning;
      processes_.Give(process, slot, 0, now);
    }
  }
  if (is_gang) {
    jobs_[slot].state = JobState::kGang;
    running_gangs_.Start(slot, std::move(ranks));
  }
  if (!IsKeyLimited(jobs_[slot])) return;
  key_limits_.EnterRunning(slot);
  SettleKey(options.limit_key);
}

/// A process that is known from before and may come back within the grace period.
ProcessId Queue::Absent(Instant now, ProcessKey key) {
  if (const auto known = processes_.Find(key)) return *known;
  const ProcessId process = processes_.Add(key);
  processes_.GoAway(process, now);
  return process;
}

// ---- Time

void Queue::Step(Instant now, const input::Tick&, Effects& effects) {
  // First all that is over, then hand out: no job goes to a process that is due itself.
  if (!departed_.empty()) EndDeparted(now, effects);
  std::size_t left = kMostAtOnce;
  if (EndLeases(now, left, effects) && EndGraces(now, left, effects)) Dispatch(now, effects);
}

std::optional<Instant> Queue::NextDeadline() const {
  const auto first = [](const Timers& timers) {
    return timers.empty() ? std::nullopt : std::optional(timers.begin()->first);
  };
  std::optional<Instant> next;
  for (const std::optional<Instant> one :
       {processes_.NextDeadline(), first(delays_), first(deadlines_), gathering_.NextDeadline(),
        end_more_at_, withhold_more_at_, losing_ ? std::optional(losing_->since) : std::nullopt}) {
    if (one) next = next ? std::min(*next, *one) : one;
  }
  return next;
}

// ---- Who may come in

Admission Queue::Admit(std::size_t spec) const {
  if (draining_) return Admission::kDraining;
  // What waits now waits for lack of a free slot, so the next one would wait, too.
  const bool full = (options_.limit > 0 && waiting() >= options_.limit) ||
                    (options_.limit_bytes > 0 && waiting_bytes_ + spec > options_.limit_bytes);
  return full ? Admission::kFull : Admission::kAccepted;
}

Submitted Queue::Reject(Admission why, JobId job) {
  ++finished_[static_cast<std::size_t>(Outcome::kRejected)];
  return {why, job};
}

/// The submitter wants a job that is there already.
Submitted Queue::Join(Slot slot, SubmitterId submitter, std::uint64_t tag, bool durable) {
  Job& job = jobs_[slot];
  if (durable && !job.options->durable) return Reject(Admission::kHeld, jobs_.IdOf(slot));
  const Submitted joined{Admission::kAccepted, jobs_.IdOf(slot), true};
  const bool detached = submitter == kDetached;
  if (detached && job.submitter == nullptr) return joined;
  if (options_.limit > 0 && dedup_keys_.followers() >= options_.limit) {
    return Reject(Admission::kFull);
  }
  if (!detached) {
    dedup_keys_.Follow(slot, {submitter, tag});
    return joined;
  }
  // Who stays owns the job, and who may leave follows it.
  dedup_keys_.FollowFirst(slot, {job.submitter->id, job.tag});
  SetSubmitter(slot, nullptr);
  job.tag = tag;
  return joined;
}

Submitter* Queue::SubmitterFor(SubmitterId id) {
  if (id == kDetached) return nullptr;
  if (last_submitter_ == nullptr || last_submitter_->id != id) last_submitter_ = AddSubmitter(id);
  return last_submitter_;
}

Submitter* Queue::AddSubmitter(SubmitterId id) {
  return &submitters_.try_emplace(id, Submitter{id, {}}).first->second;
}

/// Gives a job whose submitter is gone to the one who follows it. False: nobody does.
bool Queue::HandOver(Slot slot) {
  Job& job = jobs_[slot];
  if (job.options->dedup_key.empty()) return false;
  const auto follower = dedup_keys_.TakeFollower(slot);
  if (!follower) return false;
  SetSubmitter(slot, SubmitterFor(follower->submitter));
  job.tag = follower->tag;
  return true;
}

/// Ends jobs of the submitters that are gone, as many as one call may.
void Queue::EndDeparted(Instant now, Effects& effects) {
  std::size_t left = kMostAtOnce;
  while (!departed_.empty() && EndJobsOf(departed_.front(), left, effects)) departed_.pop_front();
  end_more_at_ = departed_.empty() ? std::nullopt : std::optional(now);
}

/// True: the submitter has none any more, and follows none.
bool Queue::EndJobsOf(SubmitterId submitter, std::size_t& left, Effects& effects) {
  for (; left > 0 && dedup_keys_.RemoveOneOf(submitter); --left) {
  }
  if (left == 0) return false;
  const auto found = submitters_.find(submitter);
  if (found == submitters_.end()) return true;
  Submitter& gone = found->second;  // stays where it is when HandOver adds others
  for (; left > 0 && !gone.jobs.empty(); --left) {
    const Slot slot = gone.jobs.front();
    LeaveSubmitter(slot);
    if (jobs_[slot].options->durable || HandOver(slot)) continue;
    Stop(slot, effects);
    ++finished_[static_cast<std::size_t>(Outcome::kAbandoned)];
    Forget(slot);
  }
  if (!gone.jobs.empty()) return false;
  if (last_submitter_ == &gone) last_submitter_ = nullptr;
  submitters_.erase(submitter);
  return true;
}

}  // namespace twofold::queue
