// What follows from what callers do: how jobs end, go back and stop.

#include <algorithm>
#include <utility>

#include "tests/lib/queue/queue_model.h"

namespace twofold::queue {

void QueueModel::Reply(Instant now, JobId id, Outcome outcome, std::uint32_t rank,
                       std::optional<Duration> told, std::string report) {
  const Job& job = jobs_.at(id);
  const bool ran = job.where == Where::kRunning;
  const bool delayed = job.where == Where::kDelayed;
  ++finished_[static_cast<std::size_t>(outcome)];
  Replied reply{job.submitter,
                job.tag,
                id,
                outcome,
                job.attempts,
                ran,
                job.process,
                delayed ? Duration{0} : (ran ? job.handed_out : now) - job.accepted,
                ran && !told ? now - job.handed_out : told.value_or(Duration{0}),
                now - job.accepted + job.options.delay,
                std::move(report),
                {},
                rank};
  // Detached jobs have no tag that tells them apart.
  replies_[{job.submitter, job.submitter == kDetached ? Number(id) : job.tag}] = reply;
  for (const auto& [submitter, tag] : job.followers) {
    reply.submitter = submitter;
    reply.tag = tag;
    replies_[{submitter, tag}] = reply;
  }
  Forget(id);
}

/// Takes a job from whoever runs it.
void QueueModel::Stop(JobId id) {
  Job& job = jobs_.at(id);
  if (job.where != Where::kRunning) return;
  if (job.options.gang.size > 1) return StopParts(id);
  StopAt(job.process, {id, job.attempts}, id);
}

void QueueModel::StopParts(JobId gang) {
  Job& job = jobs_.at(gang);
  for (Part& part : job.parts) {
    if (!std::exchange(part.ended, true)) StopAt(part.process, {part.id, job.attempts}, gang);
  }
}

void QueueModel::StopAt(ProcessId id, const Held& held, JobId owner) {
  Process& process = processes_.at(id);
  process.stale.insert(held);
  const JobOptions& options = jobs_.at(owner).options;
  const bool has_keys = !options.limit_key.empty() || !options.dedup_key.empty();
  if (has_keys && process.state != State::kSilent) {
    process.kept[held] = {
        {owner, held.attempt}, options.limit_key, options.dedup_key, options.key_limit};
    Saw("keys kept by an attempt that was stopped");
  }
  if (process.state != State::kAway) stops_.insert({id, held.job, held.attempt});
}

/// What the process was told to stop has ended, but these.
void QueueModel::FreeKept(ProcessId id, const std::set<Held>& but) {
  std::vector<Held> ended;
  for (const auto& [held, kept] : processes_.at(id).kept) {
    if (!but.contains(held)) ended.push_back(held);
  }
  for (const Held& held : ended) {
    const Kept kept = processes_.at(id).kept.extract(held).mapped();
    Refresh();
    if (!Keepers(&Kept::dedup_key, kept.dedup_key).empty()) continue;
    for (auto& [waiting, job] : jobs_) {
      if (job.held_back && job.options.dedup_key == kept.dedup_key) EnterPlace(waiting);
    }
  }
}

/// An attempt that has vanished with its process.
void QueueModel::Lose(Instant now, const Held& held) {
  for (auto& [id, job] : jobs_) {
    if (job.where != Where::kRunning || job.attempts != held.attempt) continue;
    const auto part = std::find_if(job.parts.begin(), job.parts.end(),
                                   [&](const Part& one) { return one.id == held.job; });
    if (part == job.parts.end() && id != held.job) continue;
    if (part != job.parts.end()) {
      part->ended = true;
      job.process = part->process;
      StopParts(id);
      Saw("member lost");
    }
    if (++job.lost < job.options.max_attempts) return PutBack(id);
    return Reply(now, id, Outcome::kLost);
  }
}

/// A process that came back does not have it.
void QueueModel::NotThere(Instant now, ProcessId process, const Held& held) {
  const auto [id, part] = Counting(process, held);
  Job& job = jobs_.at(id);
  if (!job.options.durable) return Lose(now, held);
  if (part != nullptr) {
    part->ended = true;
    job.process = process;
    StopParts(id);
  }
  PutBack(id);
  Saw("put back, as it never got to its worker");
}

void QueueModel::PutBack(JobId id) {
  Job& job = jobs_.at(id);
  job.where = Where::kWaiting;
  job.parts.clear();
  ++requeued_;
  put_back_.insert({id, job.attempts, job.lost});
  Saw("put back");
  Refresh();
}

/// Its time has come.
void QueueModel::Arrive(JobId id) {
  Job& job = jobs_.at(id);
  job.where = Where::kWaiting;
  const std::string& dedup_key = job.options.dedup_key;
  job.held_back = !dedup_key.empty() && !Keepers(&Kept::dedup_key, dedup_key).empty();
  if (job.held_back) return Saw("held back by its dedup key");
  EnterPlace(id);
}

void QueueModel::EnterPlace(JobId id) {
  Job& job = jobs_.at(id);
  job.held_back = false;
  Refresh();
  if (IsParked(job)) Saw("parked by its limit key");
}

void QueueModel::Forget(JobId id) {
  Job& job = jobs_.at(id);
  if (id == holder_) GiveBack();
  if (job.where == Where::kWaiting) {
    job.where = Where::kGathering;  // out of the line before others of its key come in
    RefreshLanes();
  }
  jobs_.erase(id);
  Refresh();
}

void QueueModel::Hear(Instant now, ProcessId id) {
  const auto found = processes_.find(id);
  if (found == processes_.end()) return;
  dispatches_ = true;
  const Process& process = found->second;
  if (process.state == State::kAway) return;
  if (process.leased && process.deadline == now + options_.lease) return;
  Become(id, State::kConnected, now);
}

void QueueModel::Become(ProcessId id, State state, Instant now) {
  now_ = now;
  Process& process = processes_.at(id);
  process.state = state;
  process.leased = false;  // a new one starts, if it holds something
  process.deadline = now + options_.grace;
  process.since = ++events_;
  Refresh();
}

void QueueModel::Remove(ProcessId process) {
  FreeKept(process);
  processes_.erase(process);
  removals_.insert(process);
  Refresh();
}

void QueueModel::Conclude(Instant now, JobId id, const Completion& completion, std::uint32_t rank) {
  if (completion.handed_back) return PutBack(id);
  Reply(now, id, completion.outcome, rank, completion.run_time, std::string(completion.report));
}

void QueueModel::PartEnded(Instant now, JobId gang, Part& part, const Completion& completion) {
  Job& job = jobs_.at(gang);
  const auto rank = static_cast<std::uint32_t>(&part - job.parts.data());
  const auto is_open = [&] {
    return std::all_of(job.parts.begin(), job.parts.end(),
                       [](const Part& one) { return one.ready || one.ended; });
  };
  const bool was_open = is_open();
  part.ended = true;
  Refresh();  // its slot is free before those of others
  if (rank != 0 && !completion.handed_back && completion.outcome == Outcome::kSucceeded) {
    Saw("member ended before rank 0");
    if (!was_open && is_open()) OpenBarrier(gang);
    return;
  }
  if (rank != 0) Saw("member failed");
  job.process = part.process;
  StopParts(gang);
  Conclude(now, gang, completion, rank);
}

void QueueModel::OpenBarrier(JobId gang) {
  const Job& job = jobs_.at(gang);
  for (const Part& part : job.parts) {
    if (part.ended || processes_.at(part.process).state == State::kAway) continue;
    goes_.insert({part.process, part.id, job.attempts});
  }
  Saw("barrier opened");
}

void QueueModel::RunTimers(Instant now) {
  std::map<std::pair<Instant, std::uint64_t>, JobId> arrive;
  std::map<std::pair<Instant, std::uint64_t>, JobId> missed;
  for (const auto& [id, job] : jobs_) {
    if (job.where == Where::kDelayed && job.accepted <= now) {
      arrive[{job.accepted, job.arrival}] = id;
    }
  }
  for (const auto& [at, id] : arrive) {
    Arrive(id);
    Saw("delay over");
  }
  for (const auto& [id, job] : jobs_) {
    const bool pending =
        job.options.deadline > Duration{0} && job.attempts == 0 && job.where != Where::kDelayed;
    const Instant at = job.accepted + job.options.deadline;
    if (pending && at <= now) missed[{at, job.arrival}] = id;
  }
  for (const auto& [at, id] : missed) {
    Reply(now, id, Outcome::kRejected);
    Saw("deadline missed");
  }
  if (holder_ == JobId{0}) return;
  Job& gang = jobs_.at(holder_);
  if (IsImpossible(gang)) {
    Saw("gang became impossible");
    GiveBack();
  } else if (until_ <= now) {
    Saw("gang gave up");
    gang.again = now + gang.patience;
    gang.patience *= 2;  // an hour is never reached here
    GiveBack();
  }
}

}  // namespace twofold::queue
