// The part of Queue that deals with attempts that come to nothing.

#include <algorithm>
#include <string>
#include <vector>

#include "lib/queue/queue.h"
#include "lib/queue/text.h"

namespace twofold::queue {
namespace {

/// "<why>, 1 of 3 attempts used"
std::string LostReason(const std::string& why, const Job& job) {
  return why + ", " + std::to_string(job.lost_attempts) + " of " +
         std::to_string(std::max(job.options->max_attempts, 1U)) + " attempts used";
}

}  // namespace

/// The job that the process runs by this attempt; kNoSlot if the attempt does not count, or not
/// there.
Slot Queue::FindAttempt(ProcessId process, const Held& held) const {
  const Slot slot = jobs_.Find(held.job);
  if (slot == kNoSlot || jobs_[slot].state != JobState::kRunning) return kNoSlot;
  const Job& job = jobs_[slot];
  return job.process == process && job.attempts == held.attempt ? slot : kNoSlot;
}

/// An attempt that its process has no more vanished with the worker.
void Queue::Lose(Instant now, Slot slot, const std::string& why, Effects& effects) {
  const Slot gang = jobs_[slot].gang;
  if (gang == kNoSlot) return LoseAttempt(now, slot, why, effects);
  const auto rank = jobs_[slot].tag;
  jobs_[gang].process = jobs_[slot].process;
  running_gangs_.Ended(gang, rank);
  jobs_.Free(slot);
  StopMembers(gang, effects);
  LoseAttempt(now, gang, "rank " + std::to_string(rank) + ": " + why, effects);
}

void Queue::LoseAttempt(Instant now, Slot slot, const std::string& why, Effects& effects) {
  Job& job = jobs_[slot];
  if (++job.lost_attempts < job.options->max_attempts) return Requeue(slot, effects);
  End(now, slot, {.outcome = Outcome::kLost, .reason = LostReason(why, job)}, effects);
}

/// It never began, or its worker gave it up: that uses up no attempt.
void Queue::HandBack(Instant now, Slot slot, Effects& effects) {
  Completion completion{};
  completion.handed_back = true;
  Finish(now, slot, completion, effects);
}

/// True: no process has attempts any more whose lease is over.
bool Queue::EndLeases(Instant now, std::size_t& left, Effects& effects) {
  const std::string why = "worker lease ran out after " + Seconds(options_.lease) + " of silence";
  while (losing_ || processes_.LeaseOver(now)) {
    if (left == 0) return false;
    if (!losing_) {
      losing_ = {*processes_.LeaseOver(now), now};
      gathering_.Withdraw(losing_->process);
      processes_.FallSilent(losing_->process);
      --left;
    }
    // What it had left when it was heard again is its own.
    const bool is_silent = processes_[losing_->process].presence == Presence::kSilent;
    if (is_silent && !LoseAll(now, losing_->process, why, left, effects)) return false;
    losing_.reset();
  }
  return true;
}

/// True: no process is left whose grace period is over.
bool Queue::EndGraces(Instant now, std::size_t& left, Effects& effects) {
  const std::string why = "worker did not come back within " + Seconds(options_.grace);
  while (const auto process = processes_.GraceOver(now)) {
    if (left == 0) return false;
    --left;
    if (!LoseAll(now, *process, why, left, effects)) return false;
    Remove(*process, effects);
  }
  return true;
}

/// Loses what the process runs, a gang at a time. True: all of it.
bool Queue::LoseAll(Instant now, ProcessId process, const std::string& why, std::size_t& left,
                    Effects& effects) {
  const Process& known = processes_[process];
  while (left > 0 && !known.running.empty()) {
    const Slot slot = known.running.front();
    left -= std::min<std::size_t>(left, jobs_[slot].options->gang.size);
    if (known.presence == Presence::kAway) {
      processes_.TakeBack(process, slot);
    } else {
      Stop(slot, effects);
    }
    Lose(now, slot, why, effects);
  }
  return known.running.empty();
}

void Queue::Remove(ProcessId process, Effects& effects) {
  processes_.Remove(process);
  effects.Do(ProcessRemoved{process});
}

/// Compares what a process runs with what it says it has: what it does not have is lost. Of durable
/// jobs it never got that: it keeps their results until we have told it that they are on disk. They
/// go back and use up no attempt. Returns what it has beyond that, which it is told to stop.
std::set<Held> Queue::Reconcile(Instant now, ProcessId process, std::span<const Held> held,
                                Effects& effects) {
  const std::set<Held> has(held.begin(), held.end());
  std::vector<Held> lacks;
  const auto& running = processes_[process].running;
  for (Slot slot = running.front(); slot != kNoSlot; slot = JobsInPlace::Next(jobs_, slot)) {
    const Held attempt{jobs_.IdOf(slot), jobs_[slot].attempts};
    if (!has.contains(attempt)) lacks.push_back(attempt);
  }
  for (const Held& attempt : lacks) {
    const Slot slot = FindAttempt(process, attempt);
    if (slot == kNoSlot) continue;  // a member of a gang that has just been lost
    processes_.TakeBack(process, slot);
    if (jobs_[slot].options->durable) {
      HandBack(now, slot, effects);
    } else {
      Lose(now, slot, "worker came back without it", effects);
    }
  }
  // Only now, as losing a gang may have revoked what the process has of it.
  std::set<Held> stale;
  for (const Held& attempt : has) {
    if (FindAttempt(process, attempt) != kNoSlot) continue;
    stale.insert(attempt);
    effects.Do(CancelOnWorker{process, attempt.job, attempt.attempt});
  }
  return stale;
}

/// What comes with an old token changes no job. It frees its slot, if it had one.
void Queue::Refuse(ProcessId process, const Completion& completion) {
  const bool answers = processes_.Contains(process) &&
                       processes_.Answered(process, {completion.job, completion.attempt});
  const bool is_result = !completion.handed_back && completion.outcome != Outcome::kCancelled;
  if (is_result || !answers) ++refused_results_;
}

// ---- Before all else

void Queue::Step(Instant now, const input::Restore& restore, Effects& effects) {
  const Restored& restored = restore.restored;
  const Slot slot = jobs_.Add(restored.options, restored.spec, Sequence(restored.job));
  Job& job = jobs_[slot];
  job.tag = 0;
  job.accepted = restored.accepted;
  job.handed_out = restored.handed_out;
  job.attempts = restored.attempts;
  job.lost_attempts = restored.lost_attempts;
  if (!job.options->dedup_key.empty()) dedup_keys_.Add(slot, job);
  if (!job.options->run.empty()) EnterRun(slot);
  if (!restored.members.empty()) return Resume(now, slot, restored.members);
  if (job.accepted > now) {
    job.state = JobState::kDelayed;
    delays_.Add(job.accepted, slot);
  } else {
    job.state = JobState::kWaiting;
    Arrive(slot);
    Dispatch(now, effects);
  }
}

/// The job runs, with processes that have not come back yet.
void Queue::Resume(Instant now, Slot slot, std::span<const Restored::Member> members) {
  EnterRunning(slot);
  const JobOptions& options = *jobs_[slot].options;
  const bool is_gang = options.gang.size > 1;
  std::vector<Slot> ranks;
  for (const Restored::Member& member : members) {
    const ProcessId process = Absent(now, member.process);
    if (ranks.empty()) jobs_[slot].process = process;
    if (is_gang) {
      const auto rank = static_cast<std::uint32_t>(ranks.size());
      ranks.push_back(AddMember(slot, rank, process, Sequence(member.job)));
    } else {
      jobs_[slot].state = JobState::kRunning;
      processes_.Give(process, slot, now);
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

}  // namespace twofold::queue
