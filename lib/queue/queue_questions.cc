// The part of Queue that answers questions and changes nothing.

#include <algorithm>

#include "lib/queue/queue.h"

namespace twofold::queue {

Standing Queue::StandingOf(SubmitterId submitter) const {
  const auto found = submitters_.find(submitter);
  return found == submitters_.end() ? Standing() : found->second.standing;
}

QueueStats Queue::Stats() const {
  const WorkerCounts& workers = processes_.counts();
  return {.waiting = waiting(),
          .delayed = delays_.size(),
          .key_limited = key_limits_.parked() + held_back_.size(),
          .waiting_bytes = waiting_bytes_,
          .gangs_waiting = gathering_.size(),
          .running = running_,
          .wanted_workers = running_slots_ + (paused_ ? 0 : runnable() + gang_slots_),
          .finished = finished_,
          .requeued = requeued_,
          .refused_results = refused_results_,
          .workers_idle = workers.idle,
          .workers_busy = workers.busy,
          .workers_draining = workers.draining,
          .workers_paused = workers.paused,
          .workers_reserved = workers.reserved,
          .processes = workers.processes,
          .oldest_waiting = line_.Oldest(),
          .paused = paused_,
          .draining = draining_};
}

std::vector<Shortage> Queue::Shortages(std::uint64_t elsewhere, std::size_t most) const {
  if (paused_) return {};
  std::map<std::string, std::uint64_t> of_gangs;
  std::map<std::string, std::uint64_t> of_jobs;
  gathering_.ForEachImpossible([&](const JobOptions& gang, std::uint64_t missing) {
    if (missing > elsewhere) return;
    std::uint64_t& known = of_gangs[gang.placement];
    known = std::max(known, missing);
  });
  placed_.ForEachPlacement([&](const std::string& placement, std::uint64_t jobs) {
    if (processes_.AbleFor(placement).slots == 0) of_jobs[placement] = jobs;
  });
  if (line_.size() > 0 && processes_.counts().able.slots == 0) of_jobs[""] = 1;
  std::vector<Shortage> shortages;
  for (const auto* const slots : {&of_gangs, &of_jobs}) {
    for (const auto& [placement, missing] : *slots) {
      if (shortages.size() < most) shortages.push_back({placement, missing, slots == &of_gangs});
    }
  }
  return shortages;
}

std::uint64_t Queue::waiting() const {
  return runnable() + delays_.size() + key_limits_.parked() + held_back_.size() + withheld_.size();
}

std::uint64_t Queue::runnable() const { return line_.size() + gathering_.size() + placed_.size(); }

std::optional<JobView> Queue::Find(Instant now, JobId job) const {
  const Slot slot = FindJob(job);
  return slot == kNoSlot ? std::nullopt : std::optional(View(now, slot));
}

std::optional<Restored> Queue::Save(JobId id) const {
  const Slot slot = FindJob(id);
  if (slot == kNoSlot) return std::nullopt;
  const Job& job = jobs_[slot];
  const Tries& tries = jobs_.tries(slot);
  Restored saved{.job = id,
                 .options = job.options,
                 .spec = std::string(job.spec()),
                 .spec_elsewhere = job.spec_elsewhere(),
                 .accepted = job.accepted,
                 .handed_out = tries.handed_out,
                 .attempts = tries.attempts,
                 .lost_attempts = tries.lost_attempts,
                 .members = {}};
  const bool runs = job.state == JobState::kRunning;
  if (runs) saved.members = {{processes_[tries.process].key, id}};
  return saved;
}

const Process* Queue::FindProcess(ProcessId process) const {
  return processes_.Contains(process) ? &processes_[process] : nullptr;
}

std::optional<Queue::Role> Queue::RoleOf(const Held& attempt) const {
  const Slot slot = jobs_.Find(attempt.job);
  if (slot == kNoSlot || jobs_[slot].state != JobState::kRunning) return std::nullopt;
  const Tries& tries = jobs_.tries(slot);
  if (tries.attempts != attempt.attempt) return std::nullopt;
  if (tries.gang == kNoSlot) return Role{attempt.job, 0};
  return Role{jobs_.IdOf(tries.gang), static_cast<std::uint32_t>(jobs_[slot].tag)};
}

std::uint32_t Queue::List(Instant now, const JobPage& page,
                          const std::function<void(const JobView&)>& visit) const {
  if (!page.run.empty()) return ListRun(now, page, visit);
  std::size_t left = page.limit;
  const Slot end = std::min<Slot>(jobs_.end(), page.from + kMostListed);
  for (Slot slot = page.from; slot < end; ++slot) {
    if (jobs_[slot].state == JobState::kFree || jobs_.tries(slot).gang != kNoSlot) continue;
    if (!IsWanted(page, slot)) continue;
    if (left-- == 0) return slot;
    visit(View(now, slot));
  }
  return end < jobs_.end() ? end : 0;
}

std::uint32_t Queue::ListRun(Instant now, const JobPage& page,
                             const std::function<void(const JobView&)>& visit) const {
  const auto run = runs_.find(std::string(page.run));
  if (run == runs_.end()) return 0;
  std::size_t left = page.limit;
  std::uint32_t looked_at = 0;
  for (auto job = run->second.lower_bound(page.from); job != run->second.end(); ++job) {
    if (looked_at++ == kMostListed) return *job;
    if (!IsWanted(page, *job)) continue;
    if (left-- == 0) return *job;
    visit(View(now, *job));
  }
  return 0;
}

bool Queue::IsWanted(const JobPage& page, Slot slot) const {
  return IsRunning(jobs_[slot]) ? page.running : page.waiting;
}

std::optional<Explanation> Queue::Explain(Instant now, JobId id) const {
  const Slot slot = FindJob(id);
  if (slot == kNoSlot) return std::nullopt;
  const Job& job = jobs_[slot];
  if (IsRunning(job)) return Explanation{};
  if (job.state == JobState::kDelayed) {
    return Explanation{.reason = WaitReason::kDelayed,
                       .in = std::max(job.accepted - now, Duration::zero())};
  }
  if (job.state == JobState::kParked) {
    return Explanation{.reason = IsHeldBack(slot) ? WaitReason::kKeyHeld : WaitReason::kKeyLimit};
  }
  if (hold_durable_ && job.options->durable) return Explanation{.reason = WaitReason::kHeld};
  if (paused_) return Explanation{.reason = WaitReason::kPaused};
  if (processes_.counts().able.slots == 0) return Explanation{.reason = WaitReason::kNoWorker};
  if (processes_.AbleFor(job.options->placement).slots == 0) {
    return Explanation{.reason = WaitReason::kNoSuitableWorker};
  }
  Explanation why = WhoGoesFirst(slot);
  const Slot holder = gathering_.holder();
  if (holder != kNoSlot && holder != slot) {
    why.held_by = jobs_.IdOf(holder);
    why.held = gathering_.held().size();
  }
  return why;
}

/// Of a job for which there are workers.
Explanation Queue::WhoGoesFirst(Slot slot) const {
  const Job& job = jobs_[slot];
  if (IsGang(job) && (job.state == JobState::kGathering || gathering_.Impossible(slot))) {
    return {.reason = WaitReason::kGangShort, .short_of = gathering_.ShortOf(slot)};
  }
  return {.reason = WaitReason::kBehind, .ahead = line_.Ahead(slot)};
}

/// A job of a submitter: members of gangs are for workers only.
Slot Queue::FindJob(JobId id) const {
  const Slot slot = jobs_.Find(id);
  return slot == kNoSlot || jobs_.tries(slot).gang != kNoSlot ? kNoSlot : slot;
}

JobView Queue::View(Instant now, Slot slot) const {
  const Job& job = jobs_[slot];
  const Tries& tries = jobs_.tries(slot);
  const bool running = IsRunning(job);
  const Instant waited_to = running ? tries.handed_out : now;
  JobView view{.job = jobs_.IdOf(slot),
               .running = running,
               .attempt = tries.attempts,
               .process = tries.process,
               .wait = std::max(waited_to - job.accepted, Duration::zero()),
               .run_time = running ? now - tries.handed_out : Duration::zero(),
               .options = job.options.get(),
               .spec_size = job.spec_bytes(),
               .members = {},
               .submitter = job.submitter == nullptr ? kDetached : job.submitter->id,
               .tag = job.tag};
  if (job.state != JobState::kGang) return view;
  for (const Slot member : running_gangs_.members(slot)) {
    if (member != kNoSlot)
      view.members.push_back({jobs_.tries(member).process, jobs_.IdOf(member)});
  }
  return view;
}

}  // namespace twofold::queue
