// The part of Queue that moves jobs: to the line, to a worker, to their end.

#include <algorithm>
#include <utility>

#include "lib/queue/queue.h"

namespace twofold::queue {
namespace {

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
  return job.accepted + std::min(job.options->deadline, Queue::kLongest);
}

}  // namespace

// ---- To the line

/// Its time has come.
void Queue::Arrive(Slot slot) {
  Job& job = jobs_[slot];
  if (HasDeadline(job) && job.tries == 0) deadlines_.emplace(DeadlineOf(job), slot);
  if (!kept_keys_.HasDedupKey(job.options->dedup_key)) return EnterPlace(slot);
  job.state = JobState::kParked;
  held_back_.emplace(job.options->dedup_key, slot);
}

/// In the line, or among those of its limit key.
void Queue::EnterPlace(Slot slot) {
  Job& job = jobs_[slot];
  if (!IsKeyLimited(job)) {
    job.state = JobState::kWaiting;
    return EnterLine(slot);
  }
  job.state = JobState::kParked;
  key_limits_.Enter(slot);
  SettleKey(job.options->limit_key);
}

void Queue::EnterLine(Slot slot) {
  gang_slots_ += ExtraSlots(jobs_[slot]);
  line_.Add(slot);
}

/// Of the jobs with this limit key, others may stand in the line now.
void Queue::SettleKey(const std::string& key) {
  while (const auto move = key_limits_.NextMove(key)) {
    Job& job = jobs_[move->slot];
    if (move->to_line) {
      job.state = JobState::kWaiting;
      EnterLine(move->slot);
    } else {
      LeaveLine(move->slot);
      job.state = JobState::kParked;
    }
  }
}

/// The attempt is about to be stopped; what it has keys of is theirs until it has ended.
void Queue::KeepKeys(Slot slot) {
  const JobOptions& options = *jobs_[slot].options;
  if (options.limit_key.empty() && options.dedup_key.empty()) return;
  const Slot gang = jobs_.tries(slot).gang;
  const Held owner = jobs_.AttemptOf(gang == kNoSlot ? slot : gang);
  const bool first =
      kept_keys_.Keep(owner, jobs_[slot].options, jobs_.tries(slot).process, jobs_.AttemptOf(slot));
  if (first && !options.limit_key.empty()) key_limits_.Keep(options);
}

/// The last attempt of a job with these options has ended; null: none has.
void Queue::FreeKeys(const KeptKeys::Options& options) {
  if (options == nullptr) return;
  if (!options->limit_key.empty()) {
    key_limits_.Release(*options);
    SettleKey(options->limit_key);
  }
  if (kept_keys_.HasDedupKey(options->dedup_key)) return;
  const auto waits = held_back_.extract(options->dedup_key);
  if (!waits.empty()) EnterPlace(waits.mapped());
}

void Queue::FreeKeysOf(ProcessId process, const std::set<Held>& but) {
  kept_keys_.FreeAll(process, but, [this](const auto& options) { FreeKeys(options); });
}

/// Takes a job that waits for a worker out of turn.
void Queue::LeaveLine(Slot slot) {
  const JobState state = jobs_[slot].state;
  if (state == JobState::kWithheld) {
    withheld_.erase({line_.PrecedenceOf(slot), slot});
    return;
  }
  gang_slots_ -= ExtraSlots(jobs_[slot]);
  if (state == JobState::kWaiting) return line_.Remove(slot);
  line_.EndAside(slot);
  if (state == JobState::kGathering) {
    gathering_.Remove(slot);
  } else {
    placed_.Remove(slot);
  }
}

// ---- To a worker

void Queue::Dispatch(Instant now, Effects& effects) {
  may_withhold_ = kMostAtOnce;
  withhold_more_at_ = std::nullopt;
  if (!hold_durable_ && !withheld_.empty() && !ReturnWithheld()) {
    withhold_more_at_ = now;
    return;
  }
  const bool has_timers = delays_.size() + deadlines_.size() + gathering_.size() > 0;
  if (has_timers && !RunTimers(now, effects)) return;
  if (paused_) return;
  while (!line_.empty() || !gathering_.empty() || !placed_.empty()) {
    if (hold_durable_ && WithholdNext()) continue;
    if (may_withhold_ == 0) {
      withhold_more_at_ = now;
      return;
    }
    if (Yield(now)) continue;
    std::optional<ProcessId> idle = processes_.NextIdle();
    if (!idle) return;
    const Slot front = line_.empty() ? kNoSlot : line_.Front();
    if (front != kNoSlot && IsChoosy(jobs_[front])) {
      SetAside(front);
      continue;
    }
    if (!gathering_.empty() || !placed_.empty()) {
      if (HandOutSetAside(now, front, effects)) continue;
      idle = processes_.NextIdle();  // what is left suits none of those set aside
      if (!idle || front == kNoSlot) return;
    }
    line_.Take(front);
    HandOut(now, front, *idle, effects);
  }
}

/// Takes a job whose turn has come out of the way of others if it must not be handed out. True:
/// look again.
bool Queue::Withhold(Slot slot) {
  Job& job = jobs_[slot];
  if (!hold_durable_ || !job.options->durable || may_withhold_ == 0) return false;
  --may_withhold_;
  LeaveLine(slot);
  job.state = JobState::kWithheld;
  withheld_.emplace(line_.PrecedenceOf(slot), slot);
  return true;
}

/// The job in front, or the gang that holds slots.
bool Queue::WithholdNext() {
  const Slot holder = gathering_.holder();
  return (holder != kNoSlot && Withhold(holder)) || (!line_.empty() && Withhold(line_.Front()));
}

/// True: all are in the line again.
bool Queue::ReturnWithheld() {
  while (!withheld_.empty() && may_withhold_ > 0) {
    --may_withhold_;
    const Slot slot = withheld_.extract(withheld_.begin()).value().second;
    jobs_[slot].state = JobState::kWaiting;
    EnterLine(slot);
  }
  return withheld_.empty();
}

/// A gang that lacks workers keeps none from those whose turn is before its own. True: look again.
bool Queue::Yield(Instant now) {
  const Slot holder = gathering_.holder();
  if (holder == kNoSlot) return false;
  const Slot front = line_.empty() ? kNoSlot : line_.Front();
  const bool urgent = front != kNoSlot && !processes_.NextIdle() &&
                      line_.PrecedenceOf(front) < line_.PrecedenceOf(holder);
  if (urgent && IsChoosy(jobs_[front])) {
    SetAside(front);
    return true;
  }
  if (gathering_.Next(now, true) != holder) return true;
  if (!urgent) return YieldToPlaced(holder);
  gathering_.Yield(gathering_.held().back());
  return true;
}

bool Queue::YieldToPlaced(Slot holder) {
  const std::pair versions{placed_.version(), gathering_.held_version()};
  if (placed_.empty() || none_to_yield_to_ == versions) return false;
  const auto match = placed_.FirstFor(gathering_.held());
  if (!match || line_.PrecedenceOf(holder) < line_.PrecedenceOf(match->slot)) {
    none_to_yield_to_ = versions;
    return false;
  }
  if (Withhold(match->slot)) return true;
  gathering_.Yield(match->process);
  return true;
}

/// The turn has come of a job for which not any free slot will do. It must not keep others waiting.
void Queue::SetAside(Slot front) {
  line_.SetAside(front);
  if (IsGang(jobs_[front])) {
    jobs_[front].state = JobState::kGathering;
    gathering_.Add(front);
  } else {
    jobs_[front].state = JobState::kPlaced;
    placed_.Add(front);
  }
}

/// Hands out one of the jobs set aside, if its turn is before that of the job in front (kNoSlot:
/// none), and if the idle slots will do. True: look again. A gang takes what suits it in any case.
bool Queue::HandOutSetAside(Instant now, Slot front, Effects& effects) {
  Slot gang = kNoSlot;
  if (!gathering_.empty()) gang = gathering_.Next(now, front != kNoSlot || placed_.Next());
  if (gang != kNoSlot && Withhold(gang)) return true;
  const bool gang_first =
      gang != kNoSlot && (front == kNoSlot || line_.PrecedenceOf(gang) < line_.PrecedenceOf(front));
  if (HandOutPlaced(now, gang_first ? gang : front, effects)) return true;
  if (!gang_first) return false;
  if (!gathering_.Gather(now, gang)) return HandOutPlaced(now, front, effects);
  StartGang(now, gang, effects);
  return true;
}

/// Hands out the first job that waits for a slot that suits it, if one is idle and its turn is
/// before that of `before` (kNoSlot: any).
bool Queue::HandOutPlaced(Instant now, Slot before, Effects& effects) {
  if (placed_.empty()) return false;
  const auto match = placed_.Next();
  if (!match) return false;
  if (before != kNoSlot && line_.PrecedenceOf(before) < line_.PrecedenceOf(match->slot)) {
    return false;
  }
  if (Withhold(match->slot)) return true;
  LeaveLine(match->slot);
  HandOut(now, match->slot, match->process, effects);
  return true;
}

void Queue::HandOut(Instant now, Slot slot, ProcessId process, Effects& effects) {
  Job& job = jobs_[slot];
  MeetDeadline(slot);
  if (IsKeyLimited(job)) key_limits_.Start(slot);
  job.state = JobState::kRunning;
  ++running_;
  ++running_slots_;  // no gang
  waiting_bytes_ -= job.spec().size();
  const Tries& tries = Begin(now, slot, process);
  processes_.Give(process, slot, job.spec_bytes(), now);
  effects.Do(Assign{process, jobs_.IdOf(slot), tries.attempts, job.options, job.spec(), nullptr,
                    tries.lost_attempts, SubmitterOf(job), job.spec_elsewhere(),
                    processes_.AskSent(process)});
}

/// An attempt, with this process (of a gang: that of rank 0).
const Tries& Queue::Begin(Instant now, Slot slot, ProcessId process) {
  Tries& tries = jobs_.OwnTries(slot);
  tries.process = process;
  tries.handed_out = now;
  ++tries.attempts;
  CountRunning(slot, 1);
  return tries;
}

void Queue::EnterRunning(const Job& job) {
  ++running_;
  running_slots_ += 1 + ExtraSlots(job);
  waiting_bytes_ -= job.spec().size();
}

void Queue::LeaveRunning(Slot slot) {
  --running_;
  running_slots_ -= 1 + ExtraSlots(jobs_[slot]);
  waiting_bytes_ += jobs_[slot].spec().size();
  CountRunning(slot, -1);
}

/// One job more or less of its submitter runs.
void Queue::CountRunning(Slot slot, int more) {
  const Job& job = jobs_[slot];
  if (job.submitter == nullptr) return;
  Standing& standing = job.submitter->standing;
  standing.running += static_cast<std::uint64_t>(more);
  standing.most_running = std::max(standing.most_running, standing.running);
  standing.waited += more * (jobs_.tries(slot).handed_out - job.accepted);
}

/// The job is this submitter's, or nobody's, from now on.
void Queue::SetSubmitter(Slot slot, Submitter* submitter) {
  const bool running = IsRunning(jobs_[slot]);
  if (running) CountRunning(slot, -1);
  LeaveSubmitter(slot);
  if (submitter == nullptr) return;
  jobs_[slot].submitter = submitter;
  submitter->jobs.PushBack(jobs_, slot);
  ++submitter->standing.jobs;
  if (running) CountRunning(slot, 1);
}

/// Somebody gets the job, or it ends: nothing is due any more.
void Queue::MeetDeadline(Slot slot) {
  const Job& job = jobs_[slot];
  const bool pending = job.tries == 0 && HasDeadline(job) && job.state != JobState::kDelayed;
  if (pending) deadlines_.erase({DeadlineOf(job), slot});
}

// ---- To its end

/// What a worker says of an attempt that is not with it any more.
void Queue::Finish(Instant now, Slot slot, const Completion& completion, Effects& effects) {
  if (jobs_.tries(slot).gang != kNoSlot) return MemberEnded(now, slot, completion, effects);
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
  const ProcessId process = jobs_.tries(slot).process;
  switch (jobs_[slot].state) {
    case JobState::kFree:
    case JobState::kParked:  // its keys forget it with the job
      return;
    case JobState::kWaiting:
    case JobState::kGathering:
    case JobState::kPlaced:
    case JobState::kWithheld:
      return LeaveLine(slot);
    case JobState::kDelayed:
      delays_.erase({jobs_[slot].accepted, slot});
      return;
    case JobState::kGang:
      return StopMembers(slot, effects);
    case JobState::kRunning:
      if (processes_[process].presence != Presence::kSilent) KeepKeys(slot);
      processes_.Revoke(process, slot);
      if (processes_[process].presence != Presence::kAway) {
        effects.Do(CancelOnWorker{process, jobs_.IdOf(slot), jobs_.tries(slot).attempts});
      }
  }
}

/// Puts a job back that no process has any more.
void Queue::Requeue(Slot slot, Effects& effects) {
  Job& job = jobs_[slot];
  const Tries& tries = jobs_.tries(slot);
  LeaveRunning(slot);
  ++requeued_;
  if (IsKeyLimited(job)) {
    job.state = JobState::kParked;
    key_limits_.PutBack(slot);
    SettleKey(job.options->limit_key);
  } else {
    job.state = JobState::kWaiting;
    EnterLine(slot);
  }
  effects.Do(Requeued{jobs_.IdOf(slot), job.options, tries.attempts, tries.lost_attempts});
}

/// Ends a job that has been taken away from where it was.
void Queue::End(Instant now, Slot slot, const Ending& ending, Effects& effects) {
  const Job& job = jobs_[slot];
  const Tries& tries = jobs_.tries(slot);
  const bool running = IsRunning(job);
  ++finished_[static_cast<std::size_t>(ending.outcome)];
  Reply reply{.submitter = SubmitterOf(job),
              .tag = job.tag,
              .job = jobs_.IdOf(slot),
              .options = job.options,
              .outcome = ending.outcome,
              .attempts = tries.attempts,
              .has_process = running,
              .process = tries.process,
              .wait = (running ? tries.handed_out : now) - job.accepted,
              .run_time = ending.run_time.value_or(running ? now - tries.handed_out : Duration{0}),
              .total = now - job.accepted + DelayOf(*job.options),
              .rank = ending.rank,
              .device = ending.device,
              .report = ending.report,
              .reason = ending.reason};
  if (job.state == JobState::kDelayed) reply.wait = Duration::zero();
  effects.Do(reply);
  if (!job.options->dedup_key.empty()) {
    while (const auto follower = dedup_keys_.TakeFollower(slot)) {
      reply.submitter = follower->submitter;
      reply.tag = follower->tag;
      effects.Do(reply);
    }
  }
  Forget(slot);
}

void Queue::Forget(Slot slot) {
  const Job& job = jobs_[slot];
  if (IsRunning(job)) {
    LeaveRunning(slot);
  } else {
    MeetDeadline(slot);
  }
  waiting_bytes_ -= job.spec().size();
  if (!job.options->dedup_key.empty()) dedup_keys_.Remove(slot, job);
  const bool held_back = IsHeldBack(slot);
  if (held_back) held_back_.erase(job.options->dedup_key);
  if (!job.options->run.empty()) {
    const auto run = runs_.find(job.options->run);
    run->second.erase(slot);
    if (run->second.empty()) runs_.erase(run);
  }
  LeaveSubmitter(slot);
  const bool had_place = IsKeyLimited(job) && job.state != JobState::kDelayed && !held_back;
  if (!had_place) return jobs_.Free(slot);
  const std::shared_ptr<const JobOptions> options = job.options;
  key_limits_.Leave(slot);
  jobs_.Free(slot);
  SettleKey(options->limit_key);
}

void Queue::LeaveSubmitter(Slot slot) {
  if (Submitter* submitter = std::exchange(jobs_[slot].submitter, nullptr)) {
    submitter->jobs.Remove(jobs_, slot);
    --submitter->standing.jobs;
  }
}

}  // namespace twofold::queue
