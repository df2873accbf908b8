// What the queue did, compared with what it should have done.

#include <algorithm>
#include <sstream>
#include <utility>

#include "tests/lib/queue/queue_model.h"

namespace twofold::queue {

void QueueModel::Expect(bool condition, const std::string& complaint) {
  if (!condition && complaint_.empty()) complaint_ = complaint;
}

std::string QueueModel::Check(Instant now, const Queue& queue,
                              const std::vector<Recorded>& effects) {
  now_ = now;
  Refresh();
  if (dispatches_) RunTimers(now);
  std::vector<Assigned> assigned;
  for (const Recorded& effect : effects) {
    if (const auto* one = std::get_if<Assigned>(&effect)) {
      assigned.push_back(*one);
    } else {
      Expect(assigned.empty(), "assigned before all ends");
      Take(effect);
    }
  }
  const bool all_came =
      replies_.empty() && stops_.empty() && goes_.empty() && put_back_.empty() && removals_.empty();
  Expect(all_came, "an effect is missing");
  std::reverse(assigned.begin(), assigned.end());  // the first at the back
  if (dispatches_) Dispatch(now, assigned);
  if (!assigned.empty()) {
    std::ostringstream complaint;
    complaint << "handed out what should wait: " << assigned.back();
    Expect(false, complaint.str());
  }
  CheckLaws();
  CheckStats(queue.Stats());
  Expect(queue.NextDeadline() == NextDeadline(), "NextDeadline is wrong");
  CheckJobs(now, queue);
  dispatches_ = false;
  return complaint_;
}

void QueueModel::Take(const Recorded& effect) {
  const auto take = [this](auto& expected, const auto& value, const char* complaint) {
    const auto found = expected.find(value);
    if (found == expected.end()) return Expect(false, complaint);
    expected.erase(found);
  };
  if (const auto* replied = std::get_if<Replied>(&effect)) {
    TakeReplied(*replied);
  } else if (const auto* stopped = std::get_if<Stopped>(&effect)) {
    take(stops_, *stopped, "stopped what should go on");
  } else if (const auto* go = std::get_if<LetGo>(&effect)) {
    take(goes_, *go, "let go what should wait");
  } else if (const auto* back = std::get_if<twofold::queue::PutBack>(&effect)) {
    take(put_back_, *back, "put back what was not");
  } else if (const auto* removed = std::get_if<Removed>(&effect)) {
    take(removals_, removed->process, "removed a process in use");
  }
}

void QueueModel::TakeReplied(const Replied& replied) {
  const std::uint64_t tag = replied.submitter == kDetached ? Number(replied.job) : replied.tag;
  const auto found = replies_.find({replied.submitter, tag});
  if (found == replies_.end()) return Expect(false, "a reply for a job that has not ended now");
  Replied expected = found->second;
  replies_.erase(found);
  const bool by_core = !replied.reason.empty();
  Expect(by_core || replied.outcome != Outcome::kLost, "lost without a reason");
  expected.reason = replied.reason;  // the wording has its own tests
  if (!expected.has_process) expected.process = replied.process;
  std::ostringstream complaint;
  if (expected != replied) complaint << "got " << replied << ", expected " << expected;
  Expect(expected == replied, complaint.str());
}

// ---- Who gets what

void QueueModel::Dispatch(Instant now, std::vector<Assigned>& assigned) {
  while (!paused_ && complaint_.empty()) {
    if (holder_ != JobId{0} && Withhold(holder_)) continue;
    if (Withhold(Front())) continue;
    if (Yield(now)) continue;
    if (idle_.empty()) return;
    const std::optional<JobId> front = Front();
    if (front &&
        (jobs_.at(*front).options.gang.size > 1 || !jobs_.at(*front).options.placement.empty())) {
      SetAside(*front);
      continue;
    }
    const std::optional<JobId> gang = GatheringNext(now, front || PlacedNext());
    if (Withhold(gang)) continue;
    const bool gang_first = gang && !(front && GoesBefore(jobs_.at(*front), jobs_.at(*gang)));
    if (StartPlaced(now, gang_first ? gang : front, assigned)) continue;
    if (gang_first && Gather(now, *gang)) {
      StartGang(now, *gang, assigned);
      continue;
    }
    if (gang_first && StartPlaced(now, front, assigned)) continue;
    if (!front || idle_.empty()) return;
    Pay(jobs_.at(*front));
    StartSingle(now, *front, idle_.front(), assigned);
  }
}

bool QueueModel::StartPlaced(Instant now, std::optional<JobId> before,
                             std::vector<Assigned>& assigned) {
  const auto placed = PlacedNext();
  if (!placed || (before && GoesBefore(jobs_.at(*before), jobs_.at(placed->first)))) return false;
  if (Withhold(placed->first)) return true;
  if (placed->second != idle_.front()) Saw("a placed job passed idle processes");
  StartSingle(now, placed->first, placed->second, assigned);
  return true;
}

Assigned QueueModel::NextAssigned(std::vector<Assigned>& assigned) {
  Expect(!assigned.empty(), "a job waits beside a free slot");
  if (assigned.empty()) return {};
  Assigned next = std::move(assigned.back());
  assigned.pop_back();
  return next;
}

void QueueModel::StartSingle(Instant now, JobId id, ProcessId process,
                             std::vector<Assigned>& assigned) {
  Job& job = jobs_.at(id);
  Process& runner = processes_.at(process);
  runner.unsent += job.spec.size() + job.spec_elsewhere;
  const Assigned expected{.process = process,
                          .job = id,
                          .attempt = job.attempts + 1,
                          .spec = job.spec,
                          .spec_elsewhere = job.spec_elsewhere,
                          .ask_sent = AskSent(runner, runner.unsent)};
  const Assigned got = NextAssigned(assigned);
  std::ostringstream complaint;
  complaint << "got " << got << ", expected " << expected;
  Expect(got == expected, complaint.str());
  ++job.attempts;
  job.where = Where::kRunning;
  job.process = process;
  job.handed_out = now;
  job.given = ++events_;
  CheckKeyOf(id);
  Refresh();
  CountInTurn(process);
}

void QueueModel::StartGang(Instant now, JobId id, std::vector<Assigned>& assigned) {
  Job& gang = jobs_.at(id);
  const std::vector<ProcessId> places = held_;
  GiveBack();
  Assigned expected{.process = places.front(),
                    .job = {},
                    .attempt = gang.attempts + 1,
                    .spec = gang.spec,
                    .gang = id,
                    .spec_elsewhere = gang.spec_elsewhere};
  const std::uint64_t bytes = gang.spec.size() + gang.spec_elsewhere;
  ++gang.attempts;
  gang.where = Where::kRunning;
  gang.handed_out = now;
  gang.given = ++events_;
  gang.process = places.front();
  CheckKeyOf(id);
  for (std::uint32_t rank = 0; rank < places.size(); ++rank) {
    const Assigned got = NextAssigned(assigned);
    expected.process = places[rank];
    Process& process = processes_.at(places[rank]);
    const auto more = std::count(places.begin() + rank, places.end(), places[rank]);
    expected.ask_sent = AskSent(process, process.unsent + static_cast<std::uint64_t>(more) * bytes);
    process.unsent += bytes;
    expected.rank = rank;
    if (rank == 0) expected.members = got.members;
    Expect(got.members.size() == places.size(), "a member does not know the others");
    if (!complaint_.empty()) return;
    expected.job = got.members[rank];
    Expect(all_ids_.insert(expected.job).second, "a member's id came twice");
    std::ostringstream complaint;
    complaint << "got " << got << ", expected " << expected;
    Expect(got == expected, complaint.str());
    gang.parts.push_back({got.job, places[rank]});
    RefreshLeases();
    RefreshIdle();
    CountInTurn(places[rank]);
  }
  Refresh();
  Saw(gang.options.gang.spread == Spread::kNode ? "spread gang started" : "gang started");
  if (!gang.options.placement.empty()) Saw("placed gang started");
}

// ---- What holds whatever the rules above say

/// No slot is held for what cannot run.
void QueueModel::CheckLaws() {
  if (paused_ || !dispatches_ || holder_ == JobId{0}) return;
  const Job& holder = jobs_.at(holder_);
  Expect(!(hold_durable_ && holder.options.durable), "slots are held for what is not written");
  Expect(!IsParked(holder), "slots are held for a job whose key is used up");
  Expect(!IsImpossible(holder), "slots are held for a gang that cannot gather");
}

/// No key is over its limit: not by what runs, nor by what may still run.
void QueueModel::CheckKeyOf(JobId started) {
  const std::string& key = jobs_.at(started).options.limit_key;
  if (key.empty()) return;
  std::uint64_t running = Keepers(&Kept::limit_key, key).size();
  for (const auto& [id, job] : jobs_) {
    if (job.options.limit_key == key && job.where == Where::kRunning) ++running;
  }
  Expect(running <= LimitOf(key), "a key is over its limit");
}

// ---- What there is

void QueueModel::CheckStats(const QueueStats& stats) {
  QueueStats expected;
  for (const auto& [id, job] : jobs_) {
    const bool running = job.where == Where::kRunning;
    const bool waits = job.where == Where::kWaiting || job.where == Where::kGathering;
    const bool parked = IsParked(job);
    expected.running += running ? 1 : 0;
    expected.waiting += running ? 0 : 1;
    expected.waiting_bytes += running ? 0 : job.spec.size();
    expected.delayed += job.where == Where::kDelayed ? 1 : 0;
    expected.key_limited += parked ? 1 : 0;
    const bool gathers = job.where == Where::kGathering && job.options.gang.size > 1;
    expected.gangs_waiting += gathers ? 1 : 0;
    const bool may_run = waits && !parked && !paused_;
    if (running || may_run) expected.wanted_workers += job.options.gang.size;
    if (!waits || parked) continue;
    expected.oldest_waiting =
        std::min(job.accepted, expected.oldest_waiting.value_or(job.accepted));
  }
  for (const auto& [id, process] : processes_) {
    if (process.state != State::kAway) ++expected.processes;
    if (process.state != State::kConnected) continue;
    const std::uint64_t busy = std::min<std::uint64_t>(HeldBy(id).size(), process.slots);
    if (process.draining) {
      expected.workers_draining += process.slots;
      continue;
    }
    expected.workers_busy += busy;
    (process.paused ? expected.workers_paused : expected.workers_idle) += process.slots - busy;
  }
  Expect(stats.waiting == expected.waiting, "waiting is wrong");
  Expect(stats.waiting_bytes == expected.waiting_bytes, "waiting_bytes is wrong");
  Expect(stats.delayed == expected.delayed, "delayed is wrong");
  Expect(stats.key_limited == expected.key_limited, "key_limited is wrong");
  Expect(stats.gangs_waiting == expected.gangs_waiting, "gangs_waiting is wrong");
  Expect(stats.running == expected.running, "running is wrong");
  Expect(stats.wanted_workers == expected.wanted_workers, "wanted_workers is wrong");
  Expect(stats.finished == finished_, "finished is wrong");
  Expect(stats.requeued == requeued_, "requeued is wrong");
  Expect(stats.refused_results == refused_, "refused_results is wrong");
  Expect(stats.workers_idle == expected.workers_idle, "workers_idle is wrong");
  Expect(stats.workers_busy == expected.workers_busy, "workers_busy is wrong");
  Expect(stats.workers_draining == expected.workers_draining, "workers_draining is wrong");
  Expect(stats.workers_paused == expected.workers_paused, "workers_paused is wrong");
  Expect(stats.workers_reserved == held_.size(), "workers_reserved is wrong");
  Expect(stats.processes == expected.processes, "processes is wrong");
  Expect(stats.oldest_waiting == expected.oldest_waiting, "oldest_waiting is wrong");
  Expect(stats.paused == paused_, "paused is wrong");
  Expect(stats.draining == draining_, "draining is wrong");
}

std::optional<Instant> QueueModel::NextDeadline() const {
  std::optional<Instant> next;
  const auto due = [&next](Instant at) { next = std::min(at, next.value_or(at)); };
  for (const auto& [id, process] : processes_) {
    if (process.state == State::kAway || process.leased) due(process.deadline);
  }
  for (const auto& [id, job] : jobs_) {
    if (job.where == Where::kDelayed) {
      due(job.accepted);
    } else if (job.attempts == 0 && job.options.deadline > Duration{0}) {
      due(job.accepted + job.options.deadline);
    }
  }
  if (holder_ != JobId{0}) due(until_);
  return next;
}

void QueueModel::CheckJobs(Instant now, const Queue& queue) {
  std::size_t listed = 0;
  queue.List(now, {.limit = jobs_.size() + 1}, [&](const JobView& view) {
    ++listed;
    const auto found = jobs_.find(view.job);
    if (found == jobs_.end()) return Expect(false, "lists a job that has ended");
    const Job& job = found->second;
    const bool running = job.where == Where::kRunning;
    const Duration wait = (running ? job.handed_out : now) - job.accepted;
    const auto parts = std::count_if(job.parts.begin(), job.parts.end(),
                                     [](const Part& part) { return !part.ended; });
    Expect(view.running == running, "job listed in the wrong state");
    Expect(view.attempt == job.attempts, "job listed with a wrong attempt");
    Expect(!running || view.process == job.process, "job listed with a wrong process");
    Expect(view.wait == std::max(wait, Duration{0}), "wrong wait listed");
    Expect(view.spec_size == job.spec.size() + job.spec_elsewhere,
           "job listed with a wrong spec size");
    Expect(view.members.size() == static_cast<std::size_t>(parts), "wrong members listed");
  });
  Expect(listed == jobs_.size(), "jobs are missing from the list");
  CheckStandings(queue);
  if (jobs_.empty()) return;
  CheckExplanation(now, queue, jobs_.begin()->first);
  CheckExplanation(now, queue, jobs_.rbegin()->first);
}

void QueueModel::CheckStandings(const Queue& queue) {
  std::map<SubmitterId, Standing> standings;
  for (const auto& [id, job] : jobs_) {
    Standing& standing = standings[job.submitter];
    ++standing.jobs;
    if (job.where != Where::kRunning) continue;
    ++standing.running;
    standing.waited += job.handed_out - job.accepted;
  }
  for (const SubmitterId submitter : submitters_) {
    const Standing seen = queue.StandingOf(submitter);
    const Standing& known = standings[submitter];
    Expect(seen.jobs == known.jobs && seen.running == known.running &&
               seen.waited == known.waited && seen.most_running >= seen.running,
           "the standing of a submitter is wrong");
  }
}

void QueueModel::CheckExplanation(Instant now, const Queue& queue, JobId id) {
  const Job& job = jobs_.at(id);
  const bool is_gang = job.options.gang.size > 1;
  Explanation expected{.reason = WaitReason::kBehind};
  if (job.where == Where::kRunning) {
    expected.reason = WaitReason::kNotWaiting;
  } else if (job.where == Where::kDelayed) {
    expected = {.reason = WaitReason::kDelayed, .in = std::max(job.accepted - now, Duration{0})};
  } else if (IsParked(job)) {
    expected.reason = job.held_back ? WaitReason::kKeyHeld : WaitReason::kKeyLimit;
  } else if (hold_durable_ && job.options.durable) {
    expected.reason = WaitReason::kHeld;
  } else if (paused_) {
    expected.reason = WaitReason::kPaused;
  } else if (Able({}, Spread::kAny) == 0) {
    expected.reason = WaitReason::kNoWorker;
  } else if (Able(job, Spread::kAny) == 0) {
    expected.reason = WaitReason::kNoSuitableWorker;
  } else if (is_gang && IsImpossible(job)) {
    expected.reason = WaitReason::kGangShort;
    expected.short_of = job.options.gang.size - Able(job, job.options.gang.spread);
  } else if (is_gang && job.where == Where::kGathering) {
    expected.reason = WaitReason::kGangShort;
    expected.short_of = job.options.gang.size - (id == holder_ ? held_.size() : 0);
  } else {
    expected.ahead = Ahead(id);
  }
  const bool others = holder_ != JobId{0} && holder_ != id;
  if (others &&
      (expected.reason == WaitReason::kBehind || expected.reason == WaitReason::kGangShort)) {
    expected.held_by = holder_;
    expected.held = held_.size();
  }
  const std::optional<Explanation> got = queue.Explain(now, id);
  Expect(got && got->reason == expected.reason && got->ahead == expected.ahead &&
             got->in == expected.in && got->short_of == expected.short_of &&
             got->held_by == expected.held_by && got->held == expected.held,
         "explained wrongly");
}

}  // namespace twofold::queue
