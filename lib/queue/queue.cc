#include "lib/queue/queue.h"

#include <algorithm>
#include <utility>

#include "lib/queue/text.h"

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

bool HasDeadline(const Job& job) { return job.options->deadline > Duration::zero(); }

/// A deadline is met by the first worker that gets the job.
Instant DeadlineOf(const Job& job) {
  return job.accepted + std::min(job.options->deadline, kLongest);
}

}  // namespace

Queue::Queue(const QueueOptions& options)
    : options_(Checked(options)),
      jobs_(options_.first_generation, options_.number),
      line_(jobs_, options_.ageing),
      processes_(jobs_, options_.lease, options_.grace),
      key_limits_(jobs_, line_),
      gathering_(jobs_, processes_, line_),
      next_sequence_(options_.first_sequence) {}

// ---- Submitters

Submitted Queue::Submit(Instant now, SubmitterId submitter, std::uint64_t tag,
                        const std::shared_ptr<const JobOptions>& options, std::string_view spec,
                        Effects& effects) {
  if (!options->dedup_key.empty()) {
    const Slot same = dedup_keys_.Find(options->dedup_key);
    if (same != kNoSlot) return Join(same, submitter, tag);
  }
  if (const Admission admission = Admit(); admission != Admission::kAccepted) {
    ++finished_[static_cast<std::size_t>(Outcome::kRejected)];
    return {admission, JobId{0}};
  }
  const Slot slot = jobs_.Add(options, spec, next_sequence_++);
  Job& job = jobs_[slot];
  job.tag = tag;
  job.accepted = now + std::clamp(options->delay, Duration::zero(), kLongest);
  job.submitter = SubmitterFor(submitter);
  if (job.submitter != nullptr) job.submitter->jobs.PushBack(jobs_, slot);
  if (!options->dedup_key.empty()) dedup_keys_.Add(slot, job);
  if (job.accepted > now) {
    job.state = JobState::kDelayed;
    delays_.Add(job.accepted, slot);
  } else {
    Arrive(slot);
    Dispatch(now, effects);
  }
  return {Admission::kAccepted, jobs_.IdOf(slot)};
}

bool Queue::Cancel(Instant now, JobId job, Effects& effects) {
  const Slot slot = FindJob(job);
  if (slot == kNoSlot) return false;
  Stop(slot, effects);
  End(now, slot, {.outcome = Outcome::kCancelled, .reason = "cancelled on request"}, effects);
  // What it leaves may be somebody else's: a place under its limit key, slots that it held as a
  // gang. And a worker that claimed this very attempt before it was given it had it counted twice.
  Dispatch(now, effects);
  return true;
}

void Queue::SubmitterGone(Instant now, SubmitterId submitter, Effects& effects) {
  dedup_keys_.RemoveFollower(submitter);
  const auto found = submitters_.find(submitter);
  if (found == submitters_.end()) return;
  const auto& jobs = found->second.jobs;
  while (!jobs.empty()) {
    const Slot slot = jobs.front();
    LeaveSubmitter(slot);
    if (jobs_[slot].options->durable || HandOver(slot)) continue;
    Stop(slot, effects);
    ++finished_[static_cast<std::size_t>(Outcome::kAbandoned)];
    Forget(slot);
  }
  submitters_.erase(submitter);  // handing over may have moved `found`
  Dispatch(now, effects);        // as in Cancel
}

// ---- Workers

ProcessId Queue::IdFor(ProcessKey key) const {
  return processes_.Find(key).value_or(processes_.NextId());
}

ProcessId Queue::WorkerJoined(Instant now, const Joining& joining, Effects& effects) {
  const std::optional<ProcessId> known = processes_.Find(joining.key);
  const ProcessId process = known ? *known : processes_.Add(joining.key);
  gathering_.Withdraw(process);
  if (known) processes_.GoAway(process, now);  // its old stream is broken, heard of or not
  std::set<Held> unanswered = Reconcile(now, process, joining.held, effects);
  processes_.Connect(process, now, joining, std::move(unanswered));
  Dispatch(now, effects);
  return process;
}

void Queue::WorkerGone(Instant now, ProcessId process, Effects& effects) {
  if (!processes_.Contains(process)) return;
  if (processes_[process].presence == Presence::kAway) return;
  gathering_.Withdraw(process);
  if (processes_[process].running.empty()) {
    Remove(process, effects);
  } else {
    processes_.GoAway(process, now);
  }
  Dispatch(now, effects);  // what a gang held elsewhere may be free, as it has too few workers now
}

void Queue::WorkerLeft(Instant now, ProcessId process, Effects& effects) {
  if (!processes_.Contains(process)) return;
  gathering_.Withdraw(process);
  processes_.GoAway(process, now);  // it hears nothing any more
  const auto& running = processes_[process].running;
  while (!running.empty()) {
    const Slot slot = running.front();
    processes_.TakeBack(process, slot);
    HandBack(now, slot, effects);
  }
  Remove(process, effects);
  Dispatch(now, effects);
}

void Queue::Renewed(Instant now, ProcessId process, Effects& effects) {
  if (!processes_.Contains(process)) return;
  processes_.Heard(process, now);
  Dispatch(now, effects);
}

void Queue::WorkerDraining(Instant now, ProcessId process, Effects& effects) {
  if (!processes_.Contains(process)) return;
  gathering_.Withdraw(process);
  processes_.SetDraining(process);
  Renewed(now, process, effects);
}

void Queue::PauseWorker(Instant now, ProcessId process, bool paused, Effects& effects) {
  if (!processes_.Contains(process)) return;
  if (paused) gathering_.Withdraw(process);
  processes_.SetPaused(process, paused);
  Dispatch(now, effects);
}

bool Queue::Completed(Instant now, ProcessId process, const Completion& completion,
                      Effects& effects) {
  const Slot slot = FindAttempt(process, {completion.job, completion.attempt});
  if (slot == kNoSlot) {
    Refuse(process, completion);
  } else {
    processes_.TakeBack(process, slot);
    Finish(now, slot, completion, effects);
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

std::optional<Instant> Queue::NextDeadline() const {
  std::optional<Instant> next;
  for (const std::optional<Instant> one :
       {processes_.NextDeadline(), delays_.Next(), deadlines_.Next(), gathering_.NextDeadline()}) {
    if (one) next = next ? std::min(*next, *one) : one;
  }
  return next;
}

// ---- The way of a job: to the line, to a worker, to its end

/// Its time has come.
void Queue::Arrive(Slot slot) {
  Job& job = jobs_[slot];
  if (HasDeadline(job) && job.attempts == 0) deadlines_.Add(DeadlineOf(job), slot);
  if (!IsKeyLimited(job)) return EnterLine(slot);
  job.state = JobState::kParked;
  key_limits_.Enter(slot);
  SettleKey(job.options->limit_key);
}

void Queue::EnterLine(Slot slot) {
  gang_slots_ += ExtraSlots(slot);
  line_.Add(slot);
}

/// Of the jobs with this limit key, others may stand in the line now.
void Queue::SettleKey(const std::string& key) {
  while (const auto move = key_limits_.NextMove(key)) {
    Job& job = jobs_[move->slot];
    if (move->to_line) {
      job.state = JobState::kSortedIn;
      EnterLine(move->slot);
    } else {
      LeaveLine(move->slot);
      job.state = JobState::kParked;
    }
  }
}

/// Takes a job that waits for a worker out of turn.
void Queue::LeaveLine(Slot slot) {
  gang_slots_ -= ExtraSlots(slot);
  if (jobs_[slot].state == JobState::kGathering) {
    gathering_.Remove(slot);
  } else {
    line_.Remove(slot);
  }
}

void Queue::Dispatch(Instant now, Effects& effects) {
  if (delays_.size() + deadlines_.size() + gathering_.size() > 0) RunTimers(now, effects);
  if (paused_) return;
  while (!line_.empty() || !gathering_.empty()) {
    std::optional<ProcessId> idle = processes_.NextIdle();
    if (!idle) return;
    const Slot front = line_.empty() ? kNoSlot : line_.Front();
    if (!gathering_.empty() || IsGang(front)) {
      if (StartGangInFront(now, front, effects)) continue;
      idle = processes_.NextIdle();  // what is left suits no gang
      if (!idle || front == kNoSlot) return;
    }
    line_.Take(front);
    HandOut(now, front, *idle, effects);
  }
}

void Queue::HandOut(Instant now, Slot slot, ProcessId process, Effects& effects) {
  Job& job = jobs_[slot];
  MeetDeadline(slot);
  if (IsKeyLimited(job)) key_limits_.Start(slot);
  job.state = JobState::kRunning;
  job.process = process;
  job.handed_out = now;
  ++job.attempts;
  ++running_;  // no gang
  processes_.Give(process, slot, now);
  effects.Do(Assign{process, jobs_.IdOf(slot), job.attempts, job.options, job.spec(), nullptr,
                    job.lost_attempts});
}

void Queue::EnterRunning(Slot slot) {
  ++running_;
  gang_slots_ += ExtraSlots(slot);
}

void Queue::LeaveRunning(Slot slot) {
  --running_;
  gang_slots_ -= ExtraSlots(slot);
}

/// Somebody gets the job, or it ends: nothing is due any more.
void Queue::MeetDeadline(Slot slot) {
  const Job& job = jobs_[slot];
  const bool pending = HasDeadline(job) && job.attempts == 0 && job.state != JobState::kDelayed;
  if (pending) deadlines_.Remove(DeadlineOf(job), slot);
}

/// What a worker says of an attempt that is not with it any more.
void Queue::Finish(Instant now, Slot slot, const Completion& completion, Effects& effects) {
  if (jobs_[slot].gang != kNoSlot) return MemberEnded(now, slot, completion, effects);
  Conclude(now, slot, completion, 0, effects);
}

/// Ends a job, or puts it back, by what the worker of this rank has said.
void Queue::Conclude(Instant now, Slot slot, const Completion& completion, std::uint32_t rank,
                     Effects& effects) {
  if (completion.handed_back) return Requeue(slot, effects);
  End(now, slot,
      {.outcome = ByWorker(completion.outcome),
       .rank = rank,
       .run_time = completion.run_time,
       .device = completion.device,
       .report = completion.report},
      effects);
}

/// Takes the job away from where it is. A process that runs it is told, if it can hear.
void Queue::Stop(Slot slot, Effects& effects) {
  const Job& job = jobs_[slot];
  switch (job.state) {
    case JobState::kFree:
    case JobState::kParked:  // KeyLimits forgets it with the job
      return;
    case JobState::kWaiting:
    case JobState::kSortedIn:
    case JobState::kGathering:
      return LeaveLine(slot);
    case JobState::kDelayed:
      return delays_.Remove(job.accepted, slot);
    case JobState::kGang:
      return StopMembers(slot, effects);
    case JobState::kRunning:
      processes_.Revoke(job.process, slot);
      if (processes_[job.process].presence != Presence::kAway) {
        effects.Do(CancelOnWorker{job.process, jobs_.IdOf(slot), job.attempts});
      }
  }
}

/// Puts a job back that no process has any more.
void Queue::Requeue(Slot slot, Effects& effects) {
  Job& job = jobs_[slot];
  LeaveRunning(slot);
  ++requeued_;
  if (IsKeyLimited(job)) {
    job.state = JobState::kParked;
    key_limits_.PutBack(slot);
    SettleKey(job.options->limit_key);
  } else {
    job.state = JobState::kSortedIn;
    EnterLine(slot);
  }
  effects.Do(Requeued{jobs_.IdOf(slot), job.options, job.attempts, job.lost_attempts});
}

/// Ends a job that has been taken away from where it was.
void Queue::End(Instant now, Slot slot, const Ending& ending, Effects& effects) {
  const Job& job = jobs_[slot];
  const bool running = IsRunning(slot);
  ++finished_[static_cast<std::size_t>(ending.outcome)];
  Reply reply{.submitter = job.submitter != nullptr ? job.submitter->id : kDetached,
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
              .rank = ending.rank,
              .device = ending.device,
              .report = ending.report,
              .reason = ending.reason};
  if (job.state == JobState::kDelayed) reply.wait = reply.total = Duration::zero();
  effects.Do(reply);
  if (!job.options->dedup_key.empty()) {
    for (const auto& follower : dedup_keys_.TakeFollowers(slot)) {
      reply.submitter = follower.submitter;
      reply.tag = follower.tag;
      effects.Do(reply);
    }
  }
  Forget(slot);
}

void Queue::Forget(Slot slot) {
  const Job& job = jobs_[slot];
  if (IsRunning(slot)) LeaveRunning(slot);
  MeetDeadline(slot);
  if (!job.options->dedup_key.empty()) dedup_keys_.Remove(slot, job);
  LeaveSubmitter(slot);
  const bool had_place = IsKeyLimited(job) && job.state != JobState::kDelayed;
  if (!had_place) return jobs_.Free(slot);
  const std::shared_ptr<const JobOptions> options = job.options;
  key_limits_.Leave(slot);
  jobs_.Free(slot);
  SettleKey(options->limit_key);
}

void Queue::LeaveSubmitter(Slot slot) {
  if (Submitter* submitter = std::exchange(jobs_[slot].submitter, nullptr)) {
    submitter->jobs.Remove(jobs_, slot);
  }
}

/// What is due of the jobs that no process has.
void Queue::RunTimers(Instant now, Effects& effects) {
  for (Slot slot; (slot = delays_.Due(now)) != kNoSlot;) {
    delays_.Remove(jobs_[slot].accepted, slot);
    jobs_[slot].state = JobState::kSortedIn;
    Arrive(slot);
  }
  for (Slot slot; (slot = deadlines_.Due(now)) != kNoSlot;) {
    const std::string reason =
        "deadline: no worker had it within " + Seconds(jobs_[slot].options->deadline);
    Stop(slot, effects);
    End(now, slot, {.outcome = Outcome::kRejected, .reason = reason}, effects);
  }
  gathering_.GiveUp(now);
}

// ---- Who may come in

Admission Queue::Admit() const {
  if (draining_) return Admission::kDraining;
  // What waits now waits for lack of a free slot, so the next one would wait, too.
  const bool full = options_.limit > 0 && waiting() >= options_.limit;
  return full ? Admission::kFull : Admission::kAccepted;
}

/// The submitter wants a job that is there already.
Submitted Queue::Join(Slot slot, SubmitterId submitter, std::uint64_t tag) {
  if (submitter != kDetached) {
    if (options_.limit > 0 && dedup_keys_.followers() >= options_.limit) {
      ++finished_[static_cast<std::size_t>(Outcome::kRejected)];
      return {Admission::kFull, JobId{0}};
    }
    dedup_keys_.Follow(slot, {submitter, tag});
  }
  return {Admission::kAccepted, jobs_.IdOf(slot), true};
}

Submitter* Queue::SubmitterFor(SubmitterId id) {
  if (id == kDetached) return nullptr;
  Submitter& submitter = submitters_[id];
  submitter.id = id;
  return &submitter;
}

/// Gives a job whose submitter is gone to the one who follows it. False: nobody does.
bool Queue::HandOver(Slot slot) {
  Job& job = jobs_[slot];
  if (job.options->dedup_key.empty()) return false;
  std::vector<DedupKeys::Follower> followers = dedup_keys_.TakeFollowers(slot);
  if (followers.empty()) return false;
  job.submitter = SubmitterFor(followers.front().submitter);
  job.submitter->jobs.PushBack(jobs_, slot);
  job.tag = followers.front().tag;
  for (auto rest = followers.begin() + 1; rest != followers.end(); ++rest) {
    dedup_keys_.Follow(slot, *rest);
  }
  return true;
}

}  // namespace twofold::queue
