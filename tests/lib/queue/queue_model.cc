#include "tests/lib/queue/queue_model.h"

#include <algorithm>
#include <sstream>
#include <tuple>
#include <utility>

namespace twofold::queue {

// ---- What callers do

void QueueModel::Submit(Instant now, const Submitted& submitted, const Job& job) {
  const auto waiting = std::count_if(jobs_.begin(), jobs_.end(),
                                     [](const auto& entry) { return !entry.second.running; });
  auto admission = Admission::kAccepted;
  if (options_.limit > 0 && static_cast<std::uint64_t>(waiting) >= options_.limit) {
    admission = Admission::kFull;
  }
  if (stats_.draining) admission = Admission::kDraining;
  Expect(submitted.admission == admission, "wrong admission");
  if (admission != Admission::kAccepted) {
    ++stats_.finished[static_cast<std::size_t>(Outcome::kRejected)];
    Expect(submitted.job == JobId{0}, "a rejected job has an id");
    return;
  }
  Expect(submitted.job != JobId{0}, "an accepted job has no id");
  Expect(all_ids_.insert(submitted.job).second, "a job id came twice");
  Job& added = jobs_[submitted.job] = job;
  added.accepted = now;
  added.arrival = arrivals_++;
}

void QueueModel::Cancel(Instant now, JobId job, bool told) {
  Expect(told == jobs_.contains(job), "Cancel told wrong");
  if (!jobs_.contains(job)) return;
  Stop(job);
  Reply(now, job, Outcome::kCancelled, {}, {});
}

void QueueModel::SubmitterGone(SubmitterId submitter) {
  if (submitter == kDetached) return;
  for (auto it = jobs_.begin(); it != jobs_.end();) {
    const auto here = it++;
    if (here->second.submitter != submitter) continue;
    Stop(here->first);
    ++stats_.finished[static_cast<std::size_t>(Outcome::kAbandoned)];
    jobs_.erase(here);
  }
}

void QueueModel::WorkerJoined(Instant now, ProcessId process, ProcessKey key, std::uint32_t slots,
                              std::span<const Held> held, bool draining) {
  const auto same = std::find_if(processes_.begin(), processes_.end(),
                                 [&](const auto& entry) { return entry.second.key == key; });
  if (same == processes_.end()) {
    Expect(!processes_.contains(process), "a process id is used twice");
    processes_[process] = {.key = key, .slots = slots, .deadline = {}, .stale = {}};
    most_processes_ = std::max(most_processes_, processes_.size());
    Expect(Number(process) < most_processes_, "process ids are not dense");
  } else {
    Expect(same->first == process, "a known key has another id");
  }
  if (!processes_.contains(process)) return;
  std::set<Held> rest(held.begin(), held.end());
  for (const JobId job : RunningOn(process)) {
    if (rest.erase({job, jobs_[job].attempts}) == 0) Lose(now, job);
  }
  for (const Held& stale : rest) stops_.insert({process, stale.job, stale.attempt});
  Process& entry = processes_[process];
  entry.slots = slots;
  entry.draining = draining;
  entry.stale = std::move(rest);
  entry.state = State::kConnected;
  entry.deadline = now + options_.lease;
}

void QueueModel::WorkerGone(Instant now, ProcessId process) {
  const auto found = processes_.find(process);
  if (found == processes_.end() || found->second.state == State::kAway) return;
  if (RunningOn(process).empty()) return Forget(process);
  found->second.state = State::kAway;
  found->second.deadline = now + options_.grace;
}

void QueueModel::WorkerLeft(ProcessId process) {
  if (!processes_.contains(process)) return;
  for (const JobId job : RunningOn(process)) Requeue(job);
  Forget(process);
}

void QueueModel::Renewed(Instant now, ProcessId process) { Hear(now, process); }

void QueueModel::WorkerDraining(Instant now, ProcessId process) {
  Hear(now, process);
  if (processes_.contains(process)) processes_[process].draining = true;
}

void QueueModel::Completed(Instant now, ProcessId process, const Completion& completion,
                           bool told) {
  const auto job = jobs_.find(completion.job);
  const bool counts = job != jobs_.end() && job->second.running && job->second.process == process &&
                      job->second.attempts == completion.attempt;
  Expect(told == counts, "Completed told wrong: an old token, or a new one refused");
  if (counts && completion.handed_back) {
    Requeue(completion.job);
  } else if (counts) {
    Reply(now, completion.job, completion.outcome, completion.run_time,
          std::string(completion.report));
  } else {
    const auto found = processes_.find(process);
    const bool owed = found != processes_.end() &&
                      found->second.stale.erase({completion.job, completion.attempt}) > 0;
    const bool only_answers = completion.handed_back || completion.outcome == Outcome::kCancelled;
    if (!owed || !only_answers) ++stats_.refused_results;
  }
  Hear(now, process);
}

void QueueModel::Tick(Instant now) {
  for (auto it = processes_.begin(); it != processes_.end();) {
    const auto [id, process] = *it++;
    if (process.state == State::kSilent || process.deadline > now) continue;
    for (const JobId job : RunningOn(id)) {
      if (process.state == State::kConnected) Stop(job);
      Lose(now, job);
    }
    if (process.state == State::kAway) {
      Forget(id);
    } else {
      processes_[id].state = State::kSilent;
    }
  }
}

// ---- What follows from it

void QueueModel::Expect(bool condition, const std::string& complaint) {
  if (!condition && complaint_.empty()) complaint_ = complaint;
}

void QueueModel::Reply(Instant now, JobId id, Outcome outcome, Duration run_time,
                       std::string report) {
  const Job& job = jobs_.at(id);
  ++stats_.finished[static_cast<std::size_t>(outcome)];
  replies_[id] = {job.submitter,
                  job.tag,
                  id,
                  outcome,
                  job.attempts,
                  job.running,
                  job.process,
                  (job.running ? job.handed_out : now) - job.accepted,
                  run_time,
                  now - job.accepted,
                  std::move(report),
                  {}};
  jobs_.erase(id);
}

void QueueModel::Stop(JobId id) {
  const Job& job = jobs_.at(id);
  if (!job.running) return;
  Process& process = processes_.at(job.process);
  process.stale.insert({id, job.attempts});
  if (process.state != State::kAway) stops_.insert({job.process, id, job.attempts});
}

void QueueModel::Lose(Instant now, JobId id) {
  Job& job = jobs_.at(id);
  if (++job.lost < job.max_attempts) return Requeue(id);
  Reply(now, id, Outcome::kLost, {}, {});
}

void QueueModel::Requeue(JobId id) {
  jobs_.at(id).running = false;
  ++stats_.requeued;
}

void QueueModel::Hear(Instant now, ProcessId process) {
  const auto found = processes_.find(process);
  if (found == processes_.end() || found->second.state == State::kAway) return;
  found->second.state = State::kConnected;
  found->second.deadline = now + options_.lease;
}

void QueueModel::Forget(ProcessId process) {
  processes_.erase(process);
  removals_.insert(process);
}

std::vector<JobId> QueueModel::RunningOn(ProcessId process) const {
  std::vector<JobId> running;
  for (const auto& [id, job] : jobs_) {
    if (job.running && job.process == process) running.push_back(id);
  }
  return running;
}

std::vector<Held> QueueModel::HeldBy(ProcessId process) const {
  const std::set<Held>& stale = processes_.at(process).stale;
  std::vector<Held> held(stale.begin(), stale.end());
  for (const JobId job : RunningOn(process)) held.push_back({job, jobs_.at(job).attempts});
  return held;
}

std::optional<Instant> QueueModel::NextDeadline() const {
  std::optional<Instant> next;
  for (const auto& [id, process] : processes_) {
    if (process.state == State::kSilent) continue;
    if (!next || process.deadline < *next) next = process.deadline;
  }
  return next;
}

bool QueueModel::MayTake(ProcessId id) const {
  const auto found = processes_.find(id);
  if (found == processes_.end()) return false;
  const Process& process = found->second;
  return process.state == State::kConnected && !process.draining &&
         HeldBy(id).size() < process.slots;
}

/// The waiting job that goes next, by what it is worth at `now`; JobId{0}: none waits.
JobId QueueModel::Best(Instant now) const {
  const auto worth = [&](const Job& job) {
    const bool ages = options_.ageing > Duration::zero();
    const Duration aged = ages ? now - job.accepted + job.priority * options_.ageing : Duration{0};
    return std::tuple(aged, job.priority, -static_cast<std::int64_t>(job.arrival));
  };
  const std::pair<const JobId, Job>* best = nullptr;
  for (const auto& entry : jobs_) {
    if (entry.second.running) continue;
    if (best == nullptr || worth(entry.second) > worth(best->second)) best = &entry;
  }
  return best == nullptr ? JobId{0} : best->first;
}

void QueueModel::RefreshIdle() {
  if (!idle_.empty() && !MayTake(idle_.front())) taken_in_turn_ = 0;
  std::erase_if(idle_, [this](ProcessId id) { return !MayTake(id); });
  for (const auto& [id, process] : processes_) {
    if (MayTake(id) && std::find(idle_.begin(), idle_.end(), id) == idle_.end()) {
      idle_.push_back(id);
    }
  }
}

// ---- What the queue did

std::string QueueModel::Check(Instant now, const Queue& queue,
                              const std::vector<Recorded>& effects) {
  RefreshIdle();
  for (const Recorded& effect : effects) Take(now, effect);
  Expect(replies_.empty() && stops_.empty() && removals_.empty(), "an effect is missing");
  Expect(stats_.paused || idle_.empty() || Best(now) == JobId{0}, "a job waits beside a free slot");
  Expect(queue.NextDeadline() == NextDeadline(), "NextDeadline is wrong");
  CheckStats(queue.Stats());
  CheckJobs(now, queue);
  return complaint_;
}

void QueueModel::Take(Instant now, const Recorded& effect) {
  if (const auto* assigned = std::get_if<Assigned>(&effect)) {
    Expect(replies_.empty() && stops_.empty() && removals_.empty(), "assigned before all ends");
    TakeAssigned(now, *assigned);
  } else if (const auto* replied = std::get_if<Replied>(&effect)) {
    TakeReplied(*replied);
  } else if (const auto* stopped = std::get_if<Stopped>(&effect)) {
    const auto found = stops_.find(*stopped);
    if (found == stops_.end()) return Expect(false, "stopped what should go on");
    stops_.erase(found);
  } else if (const auto* removed = std::get_if<Removed>(&effect)) {
    Expect(removals_.erase(removed->process) == 1, "removed a process in use");
  }
}

void QueueModel::TakeAssigned(Instant now, const Assigned& assigned) {
  Expect(!stats_.paused, "handed out while paused");
  Expect(assigned.job == Best(now), "another job was to go first");
  Expect(!idle_.empty() && assigned.process == idle_.front(), "another process was to go first");
  if (!complaint_.empty()) return;
  Job& job = jobs_.at(assigned.job);
  Expect(assigned.attempt == job.attempts + 1, "attempts are not numbered in turn");
  Expect(assigned.spec == job.spec, "wrong spec");
  job.attempts = assigned.attempt;
  job.running = true;
  job.process = assigned.process;
  job.handed_out = now;
  CountInTurn(assigned.process);
  RefreshIdle();
}

// The one at the front goes to the back after its turn: an eighth of its slots, at least one job.
void QueueModel::CountInTurn(ProcessId process) {
  if (++taken_in_turn_ >= processes_.at(process).slots / 8) EndTurn();
}

void QueueModel::EndTurn() {
  RefreshIdle();
  if (std::exchange(taken_in_turn_, 0) == 0 || idle_.empty()) return;
  std::rotate(idle_.begin(), idle_.begin() + 1, idle_.end());
}

void QueueModel::TakeReplied(const Replied& replied) {
  const auto found = replies_.find(replied.job);
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

void QueueModel::CheckStats(const QueueStats& stats) {
  QueueStats expected = stats_;
  for (const auto& [id, job] : jobs_) {
    ++(job.running ? expected.running : expected.waiting);
    if (job.running) continue;
    expected.oldest_waiting =
        std::min(job.accepted, expected.oldest_waiting.value_or(job.accepted));
  }
  for (const auto& [id, process] : processes_) {
    if (process.state != State::kAway) ++expected.processes;
    if (process.state != State::kConnected) continue;
    const std::uint64_t busy = std::min<std::uint64_t>(HeldBy(id).size(), process.slots);
    if (process.draining) {
      expected.workers_draining += process.slots;
    } else {
      expected.workers_busy += busy;
      expected.workers_idle += process.slots - busy;
    }
  }
  Expect(stats.waiting == expected.waiting, "waiting is wrong");
  Expect(stats.running == expected.running, "running is wrong");
  Expect(stats.finished == expected.finished, "finished is wrong");
  Expect(stats.requeued == expected.requeued, "requeued is wrong");
  Expect(stats.refused_results == expected.refused_results, "refused_results is wrong");
  Expect(stats.workers_idle == expected.workers_idle, "workers_idle is wrong");
  Expect(stats.workers_busy == expected.workers_busy, "workers_busy is wrong");
  Expect(stats.workers_draining == expected.workers_draining, "workers_draining is wrong");
  Expect(stats.processes == expected.processes, "processes is wrong");
  Expect(stats.oldest_waiting == expected.oldest_waiting, "oldest_waiting is wrong");
  Expect(stats.paused == expected.paused, "paused is wrong");
  Expect(stats.draining == expected.draining, "draining is wrong");
}

void QueueModel::CheckJobs(Instant now, const Queue& queue) {
  std::size_t listed = 0;
  queue.List(now, 0, jobs_.size() + 1, [&](const JobView& view) {
    ++listed;
    const auto found = jobs_.find(view.job);
    if (found == jobs_.end()) return Expect(false, "lists a job that has ended");
    const Job& job = found->second;
    Expect(view.running == job.running, "job listed in the wrong state");
    Expect(view.attempt == job.attempts, "job listed with a wrong attempt");
    Expect(!job.running || view.process == job.process, "job listed with a wrong process");
    Expect(view.wait == (job.running ? job.handed_out : now) - job.accepted, "wrong wait listed");
    Expect(view.spec_size == job.spec.size(), "job listed with a wrong spec size");
  });
  Expect(listed == jobs_.size(), "jobs are missing from the list");
}

}  // namespace twofold::queue
