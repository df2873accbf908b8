// The part of Queue that deals with what is due, and with attempts that come to nothing.

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "lib/queue/queue.h"

namespace twofold::queue {
namespace {

/// "2.5s"
std::string Seconds(Duration duration) {
  char text[32];
  std::snprintf(text, sizeof text, "%gs", ToSeconds(duration));
  return text;
}

/// "<why>, 1 of 3 attempts used"
std::string LostReason(const std::string& why, std::uint32_t lost, std::uint32_t most) {
  return why + ", " + std::to_string(lost) + " of " + std::to_string(std::max(most, 1U)) +
         " attempts used";
}

}  // namespace

/// The job that the process runs by this attempt; kNoSlot if the attempt does not count, or not
/// there.
Slot Queue::FindAttempt(ProcessId process, const Held& held) const {
  const Slot slot = jobs_.Find(held.job);
  if (slot == kNoSlot || jobs_[slot].state != JobState::kRunning) return kNoSlot;
  const Tries& tries = jobs_.tries(slot);
  return tries.process == process && tries.attempts == held.attempt ? slot : kNoSlot;
}

/// An attempt that its process has no more vanished with the worker.
void Queue::Lose(Instant now, Slot slot, const std::string& why, Effects& effects) {
  const Slot gang = jobs_.tries(slot).gang;
  if (gang == kNoSlot) return LoseAttempt(now, slot, why, effects);
  const auto rank = jobs_[slot].tag;
  jobs_.OwnTries(gang).process = jobs_.tries(slot).process;
  running_gangs_.Ended(gang, rank);
  jobs_.Free(slot);
  StopMembers(gang, effects);
  LoseAttempt(now, gang, "rank " + std::to_string(rank) + ": " + why, effects);
}

void Queue::LoseAttempt(Instant now, Slot slot, const std::string& why, Effects& effects) {
  const std::uint32_t lost = ++jobs_.OwnTries(slot).lost_attempts;
  const std::uint32_t most = jobs_[slot].options->max_attempts;
  if (lost < most) return Requeue(slot, effects);
  End(now, slot, {.outcome = Outcome::kLost, .reason = LostReason(why, lost, most)}, effects);
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
      FreeKeysOf(losing_->process);
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
    const Slot slot = jobs_.all_tries()[known.running.front()].job;
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
  FreeKeysOf(process);
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
  for (Slot at = running.front(); at != kNoSlot; at = jobs_.all_tries()[at].place.next) {
    const Held attempt = jobs_.AttemptOf(jobs_.all_tries()[at].job);
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

/// What comes with an old token changes no job. It frees its slot and its keys, if it had any.
void Queue::Refuse(ProcessId process, const Completion& completion) {
  const Held attempt{completion.job, completion.attempt};
  const bool answers = processes_.Contains(process) && processes_.Answered(process, attempt);
  if (answers) FreeKeys(kept_keys_.Free(process, attempt));
  const bool is_result = !completion.handed_back && completion.outcome != Outcome::kCancelled;
  if (is_result || !answers) ++refused_results_;
}

/// What is due of the jobs that no process has. False: more is due.
bool Queue::RunTimers(Instant now, Effects& effects) {
  const auto is_due = [now](const Timers& timers) {
    return !timers.empty() && timers.begin()->first <= now;
  };
  std::size_t left = kMostAtOnce;
  for (; left > 0 && is_due(delays_); --left) {
    const Slot slot = delays_.extract(delays_.begin()).value().second;
    Arrive(slot);
  }
  for (; left > 0 && is_due(deadlines_); --left) {
    const Slot slot = deadlines_.begin()->second;
    const std::string reason =
        "deadline: no worker had it within " + Seconds(jobs_[slot].options->deadline);
    Stop(slot, effects);
    End(now, slot, {.outcome = Outcome::kRejected, .reason = reason}, effects);
  }
  gathering_.GiveUp(now);
  return left > 0 || !(is_due(delays_) || is_due(deadlines_));
}

}  // namespace twofold::queue
