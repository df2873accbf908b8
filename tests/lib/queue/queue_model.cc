// What callers do to the queue.

#include "tests/lib/queue/queue_model.h"

#include <algorithm>
#include <utility>

namespace twofold::queue {

void QueueModel::Submit(Instant now, const Submitted& submitted, const Job& job) {
  const auto same = std::find_if(jobs_.begin(), jobs_.end(), [&](const auto& entry) {
    return !job.options.dedup_key.empty() &&
           entry.second.options.dedup_key == job.options.dedup_key;
  });
  if (same != jobs_.end()) return Join(submitted, same->first, job);
  std::uint64_t waiting = 0;
  std::uint64_t bytes = job.spec.size();
  for (const auto& [id, other] : jobs_) {
    if (other.where == Where::kRunning) continue;
    ++waiting;
    bytes += other.spec.size();
  }
  auto admission = Admission::kAccepted;
  if (options_.limit > 0 && waiting >= options_.limit) admission = Admission::kFull;
  if (options_.limit_bytes > 0 && bytes > options_.limit_bytes) {
    admission = Admission::kFull;
    Saw("full of bytes");
  }
  if (draining_) admission = Admission::kDraining;
  Expect(submitted.admission == admission && !submitted.duplicate, "wrong admission");
  if (admission != Admission::kAccepted) {
    ++finished_[static_cast<std::size_t>(Outcome::kRejected)];
    Expect(submitted.job == JobId{0}, "a rejected job has an id");
    return;
  }
  Expect(submitted.job != JobId{0}, "an accepted job has no id");
  Expect(all_ids_.insert(submitted.job).second, "a job id came twice");
  Job& added = jobs_[submitted.job] = job;
  added.accepted = now + job.options.delay;
  added.arrival = added.owned = ++events_;
  added.where = Where::kDelayed;
  if (job.submitter != kDetached) submitters_.insert(job.submitter);
  if (added.accepted > now) return;
  Arrive(submitted.job);
  dispatches_ = true;
}

/// The job is there already. Of all who want it, one owns it: who stays rather than who may leave.
void QueueModel::Join(const Submitted& submitted, JobId id, const Job& job) {
  Job& same = jobs_.at(id);
  std::uint64_t followers = 0;
  for (const auto& [other, one] : jobs_) followers += one.followers.size();
  const bool promises_more = job.options.durable && !same.options.durable;
  const bool one_more = job.submitter != kDetached || same.submitter != kDetached;
  if (promises_more || (one_more && options_.limit > 0 && followers >= options_.limit)) {
    Expect(submitted.admission == (promises_more ? Admission::kHeld : Admission::kFull),
           "joined what it must not");
    Expect(submitted.job == (promises_more ? id : JobId{0}), "the holder of a key is not told");
    ++finished_[static_cast<std::size_t>(Outcome::kRejected)];
    return Saw(promises_more ? "key held by a volatile job" : "too many followed");
  }
  Expect(submitted.duplicate && submitted.job == id, "a duplicate is not known as such");
  if (job.submitter != kDetached) {
    same.followers.emplace_back(job.submitter, job.tag);
  } else if (same.submitter != kDetached) {
    same.followers.emplace(same.followers.begin(), same.submitter, same.tag);
    same.submitter = kDetached;
    same.tag = job.tag;
    Saw("detached by its dedup key");
  }
  Saw("joined by its dedup key");
}

void QueueModel::Cancel(Instant now, JobId job, bool told) {
  Expect(told == jobs_.contains(job), "Cancel told wrong");
  if (!jobs_.contains(job)) return;
  Stop(job);
  Reply(now, job, Outcome::kCancelled);
  dispatches_ = true;
}

void QueueModel::SubmitterGone(SubmitterId submitter) {
  if (submitter == kDetached) return;
  dispatches_ = submitters_.erase(submitter) > 0;
  std::map<std::uint64_t, JobId> owned;
  for (auto& [id, job] : jobs_) {
    std::erase_if(job.followers, [&](const auto& one) { return one.first == submitter; });
    if (job.submitter == submitter) owned[job.owned] = id;
  }
  for (const auto& [order, id] : owned) {
    Job& job = jobs_.at(id);
    if (job.options.durable) {
      job.submitter = kDetached;
    } else if (!job.followers.empty()) {
      std::tie(job.submitter, job.tag) = job.followers.front();
      job.followers.erase(job.followers.begin());
      job.owned = ++events_;
      submitters_.insert(job.submitter);
      Saw("inherited by a follower");
    } else {
      Stop(id);
      ++finished_[static_cast<std::size_t>(Outcome::kAbandoned)];
      Forget(id);
    }
  }
}

void QueueModel::WorkerJoined(Instant now, ProcessId process, const input::WorkerJoined& joining) {
  const auto same = std::find_if(processes_.begin(), processes_.end(), [&](const auto& entry) {
    return entry.second.key == joining.key;
  });
  if (same == processes_.end()) {
    Expect(!processes_.contains(process), "a process id is used twice");
    processes_[process] = {.key = joining.key, .state = State::kAway};
    most_processes_ = std::max(most_processes_, processes_.size());
    Expect(Number(process) < most_processes_, "process ids are not dense");
  } else {
    Expect(same->first == process, "a known key has another id");
    if (!processes_.contains(process)) return;
    Withdraw(process);
    Become(process, State::kAway, now);
    if (!RunningOn(process).empty()) Saw("came back to its attempts");
  }
  const std::set<Held> has(joining.held.begin(), joining.held.end());
  for (const Held& held : RunningOn(process)) {
    // Losing a gang takes other members away, too.
    if (has.contains(held) || Counting(process, held).first == JobId{0}) continue;
    NotThere(now, process, held);
  }
  Process& entry = processes_.at(process);
  entry.stale.clear();
  for (const Held& held : has) {
    if (Counting(process, held).first != JobId{0}) continue;
    entry.stale.insert(held);
    stops_.insert({process, held.job, held.attempt});
  }
  FreeKept(process, entry.stale);
  entry.slots = joining.slots;
  entry.node = joining.node;
  entry.labels = joining.labels;
  entry.draining = joining.draining;
  entry.paused = joining.paused;
  entry.unsent = 0;
  entry.asked = false;
  Become(process, State::kConnected, now);
  dispatches_ = true;
}

void QueueModel::WorkerGone(Instant now, ProcessId process) {
  const auto found = processes_.find(process);
  if (found == processes_.end() || found->second.state == State::kAway) return;
  dispatches_ = true;
  Withdraw(process);
  if (RunningOn(process).empty() && found->second.kept.empty()) return Remove(process);
  Become(process, State::kAway, now);
}

void QueueModel::WorkerLeft(ProcessId process) {
  if (!processes_.contains(process)) return;
  Withdraw(process);
  Become(process, State::kAway, now_);
  for (const Held& held : RunningOn(process)) {
    const auto [id, part] = Counting(process, held);
    if (id == JobId{0}) continue;
    if (part != nullptr) part->ended = true;
    Stop(id);
    processes_.at(process).stale.clear();
    processes_.at(process).kept.erase(held);  // it says that this one has ended
    PutBack(id);
  }
  Remove(process);
  dispatches_ = true;
}

void QueueModel::Renewed(Instant now, ProcessId process) { Hear(now, process); }

void QueueModel::WorkerDraining(Instant now, ProcessId process) {
  if (!processes_.contains(process)) return;
  Withdraw(process);
  processes_.at(process).draining = true;
  Refresh();
  Hear(now, process);
}

void QueueModel::Sent(ProcessId process) {
  if (!processes_.contains(process)) return;
  if (IsFull(processes_.at(process).unsent)) Saw("a process could have more again");
  processes_.at(process).unsent = 0;
  processes_.at(process).asked = false;
  Refresh();
  dispatches_ = true;
}

void QueueModel::PauseWorker(ProcessId process, bool paused) {
  if (!processes_.contains(process)) return;
  if (paused) Withdraw(process);
  processes_.at(process).paused = paused;
  Refresh();
  dispatches_ = true;
}

void QueueModel::MemberReady(Instant now, ProcessId process, const Held& held, bool told) {
  const auto [gang, part] = Counting(process, held);
  Expect(told == (part != nullptr), "MemberReady told wrong");
  if (part != nullptr) {
    const auto& parts = jobs_.at(gang).parts;
    const auto is_open = [&] {
      return std::all_of(parts.begin(), parts.end(),
                         [](const Part& one) { return one.ready || one.ended; });
    };
    if (is_open()) {
      goes_.insert({process, held.job, held.attempt});
      Saw("let go again");
    } else {
      part->ready = true;
      if (is_open()) OpenBarrier(gang);
    }
  }
  Hear(now, process);
}

void QueueModel::Completed(Instant now, ProcessId process, const Completion& completion,
                           bool told) {
  const Held held{completion.job, completion.attempt};
  const auto [id, part] = Counting(process, held);
  Expect(told == (id != JobId{0}), "Completed told wrong: an old token, or a new one refused");
  if (part != nullptr) {
    PartEnded(now, id, *part, completion);
  } else if (id != JobId{0}) {
    Conclude(now, id, completion, 0);
  } else {
    const auto found = processes_.find(process);
    const bool owed = found != processes_.end() && found->second.stale.erase(held) > 0;
    if (owed) FreeKept(process, found->second.stale);
    const bool only_answers = completion.handed_back || completion.outcome == Outcome::kCancelled;
    if (!owed || !only_answers) ++refused_;
    Refresh();
  }
  Hear(now, process);
}

void QueueModel::Resume() {
  paused_ = draining_ = false;
  dispatches_ = true;
}

void QueueModel::HoldDurable(bool hold) {
  hold_durable_ = hold;
  dispatches_ = true;
  if (hold) return;
  for (auto& [id, job] : jobs_) {
    if (job.where == Where::kWithheld) job.where = Where::kWaiting;
  }
}

void QueueModel::Tick(Instant now) {
  std::map<std::tuple<bool, std::uint64_t>, ProcessId> due;  // leases first
  for (const auto& [id, process] : processes_) {
    if (!(process.state == State::kAway || process.leased) || process.deadline > now) continue;
    due[{process.state == State::kAway, process.since}] = id;
  }
  for (const auto& [order, id] : due) {
    const bool away = processes_.at(id).state == State::kAway;
    Withdraw(id);
    if (!away) Become(id, State::kSilent, now);
    if (!away) FreeKept(id);
    for (const Held& held : RunningOn(id)) {
      if (Counting(id, held).first == JobId{0}) continue;
      if (!away) StopAt(id, held, Counting(id, held).first);
      Lose(now, held);
    }
    if (away) Remove(id);
    Saw(away ? "grace over" : "lease over");
  }
  dispatches_ = true;
}

void QueueModel::Restart() {
  jobs_.clear();
  processes_.clear();
  most_processes_ = 0;
  idle_.clear();
  levels_.clear();
  lined_.clear();
  submitters_.clear();
  held_.clear();
  holder_ = JobId{0};
  paused_ = draining_ = hold_durable_ = false;
  finished_ = {};
  requeued_ = refused_ = 0;
}

void QueueModel::Restore(Instant now, JobId id, const Job& job, const Restored& restored,
                         std::span<const ProcessId> processes) {
  Job& added = jobs_[id] = job;
  added.submitter = kDetached;
  added.tag = 0;
  added.followers.clear();
  if (!job.options.durable) added.arrival = ++events_;
  added.given = ++events_;
  added.parts.clear();
  added.where = restored.members.empty() ? Where::kDelayed : Where::kRunning;
  for (std::size_t rank = 0; rank < processes.size(); ++rank) {
    const ProcessId process = processes[rank];
    if (!processes_.contains(process)) {
      processes_[process] = {.key = restored.members[rank].process};
      most_processes_ = std::max(most_processes_, processes_.size());
      Become(process, State::kAway, now);
    }
    if (rank == 0) added.process = process;
    if (job.options.gang.size > 1) added.parts.push_back({restored.members[rank].job, process});
  }
  Saw(processes.empty() ? "restored while waiting" : "restored while running");
  if (!job.options.durable) Saw(processes.empty() ? "moved while waiting" : "moved while running");
  if (!processes.empty()) return Refresh();
  if (added.accepted > now) return;
  Arrive(id);
  dispatches_ = true;
}

}  // namespace twofold::queue
