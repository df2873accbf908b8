// The part of Queue that deals with gangs.

#include <vector>

#include "lib/queue/queue.h"

namespace twofold::queue {

void Queue::StartGang(Instant now, Slot gang, Effects& effects) {
  const std::vector<ProcessId> places = gathering_.held();
  LeaveLine(gang);
  MeetDeadline(gang);
  Job& job = jobs_[gang];
  if (IsKeyLimited(job)) key_limits_.Start(gang);
  job.state = JobState::kGang;
  EnterRunning(job);
  const Tries& tries = Begin(now, gang, places.front());
  std::vector<Slot> slots;
  std::vector<Member> members;
  for (std::uint32_t rank = 0; rank < places.size(); ++rank) {
    slots.push_back(AddMember(gang, rank, places[rank], next_sequence_++));
    members.push_back({places[rank], jobs_.IdOf(slots.back())});
  }
  running_gangs_.Start(gang, std::move(slots));
  for (std::uint32_t rank = 0; rank < members.size(); ++rank) {
    const Seat seat{jobs_.IdOf(gang), rank, members};
    effects.Do(Assign{members[rank].process, members[rank].job, tries.attempts, job.options,
                      job.spec(), &seat, tries.lost_attempts, SubmitterOf(job),
                      job.spec_elsewhere(), processes_.AskSent(members[rank].process)});
  }
}

Slot Queue::AddMember(Slot gang, std::uint32_t rank, ProcessId process, std::uint64_t sequence) {
  const Slot slot = jobs_.Add(jobs_[gang].options, {}, sequence);
  Job& member = jobs_[slot];
  member.tag = rank;
  member.accepted = jobs_[gang].accepted;
  member.state = JobState::kRunning;
  const Tries& of_gang = jobs_.tries(gang);
  Tries& tries = jobs_.OwnTries(slot);
  tries.attempts = of_gang.attempts;
  tries.handed_out = of_gang.handed_out;
  tries.process = process;
  tries.gang = gang;
  processes_.Give(process, slot, jobs_[gang].spec_bytes(), of_gang.handed_out);
  return slot;
}

bool Queue::Step(Instant now, const input::MemberReady& ready, Effects& effects) {
  const auto& [process, held] = ready;
  const Slot member = FindAttempt(process, held);
  const Slot gang = member == kNoSlot ? kNoSlot : jobs_.tries(member).gang;
  if (gang != kNoSlot) {
    const auto barrier = running_gangs_.Ready(gang, jobs_[member].tag);
    if (barrier == RunningGangs::Barrier::kOpens) LetGo(gang, effects);
    if (barrier == RunningGangs::Barrier::kOpen) effects.Do(Go{process, held.job, held.attempt});
  }
  Hear(now, process, effects);
  return gang != kNoSlot;
}

/// All are ready. Those who are away say so again when they come back.
void Queue::LetGo(Slot gang, Effects& effects) {
  for (const Slot member : running_gangs_.members(gang)) {
    if (member == kNoSlot) continue;
    const Tries& tries = jobs_.tries(member);
    if (processes_[tries.process].presence == Presence::kAway) continue;
    effects.Do(Go{tries.process, jobs_.IdOf(member), tries.attempts});
  }
}

/// A member has answered. Rank 0 speaks for all; of the others, whoever does not succeed.
void Queue::MemberEnded(Instant now, Slot member, const Completion& completion, Effects& effects) {
  const auto rank = static_cast<std::uint32_t>(jobs_[member].tag);
  const Slot gang = jobs_.tries(member).gang;
  const ProcessId process = jobs_.tries(member).process;
  const auto barrier = running_gangs_.Ended(gang, rank);
  jobs_.Free(member);
  const bool decides =
      rank == 0 || completion.handed_back || completion.outcome != Outcome::kSucceeded;
  if (!decides) {
    if (barrier == RunningGangs::Barrier::kOpens) LetGo(gang, effects);
    return;
  }
  StopMembers(gang, effects);
  jobs_.OwnTries(gang).process = process;
  Conclude(now, gang, completion, rank, effects);
}

/// Stops all members that still run: the attempt is over.
void Queue::StopMembers(Slot gang, Effects& effects) {
  for (const Slot member : running_gangs_.members(gang)) {
    if (member == kNoSlot) continue;
    Stop(member, effects);
    jobs_.Free(member);
  }
  running_gangs_.Remove(gang);
}

}  // namespace twofold::queue
