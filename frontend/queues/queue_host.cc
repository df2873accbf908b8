#include "frontend/queues/queue_host.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "frontend/queues/convert.h"
#include "frontend/queues/owned_reply.h"
#include "frontend/queues/records.h"

namespace twofold::frontend {
namespace {

// What may wait for the disk before jobs are refused: some seconds' work of a slow disk.
constexpr std::size_t kMostPendingBytes = 256 << 20;

// Of a queue, in other words than each other; the oldest is forgotten.
constexpr std::size_t kMostPauseRules = 1000;

/// Copies of what the views of an effect show.
struct OwnedAssign {
  explicit OwnedAssign(const queue::Assign& from)
      : assign(from), options(from.options), spec(from.spec) {
    if (from.seat != nullptr) seat = queue::Seat{from.seat->gang, from.seat->rank, {}};
  }

  [[nodiscard]] queue::Assign View() const {
    return {assign.process,          assign.job,          assign.attempt, options, spec,
            seat ? &*seat : nullptr, assign.lost_attempts};
  }

 private:
  queue::Assign assign;
  std::shared_ptr<const queue::JobOptions> options;
  std::string spec;
  std::optional<queue::Seat> seat;  // who the members are is in the gang's plan
};

}  // namespace

QueueHost::QueueHost(std::string name, const queue::QueueOptions& options, bool durable,
                     const Surroundings& surroundings)
    : name_(std::move(name)),
      options_(options),
      durable_(durable),
      surroundings_(surroundings),
      core_(options,
            surroundings.trace == nullptr ? nullptr : surroundings.trace->Record(name_, options)) {}

Status QueueHost::CanStore() const {
  const results::Journal* journal = surroundings_.journal;
  if (journal == nullptr) {
    return absl::FailedPreconditionError(
        "durable: this frontend keeps no jobs; start it with --store sqlite:PATH");
  }
  if (!journal->writable()) {
    return absl::UnavailableError(
        absl::StrCat("durable jobs cannot be stored now: ", journal->trouble()));
  }
  if (journal->pending_bytes() > kMostPendingBytes) {
    return absl::ResourceExhaustedError("the store lags behind, try again later");
  }
  return absl::OkStatus();
}

QueueHost::Snapshot QueueHost::Look(Instant now) {
  const std::lock_guard lock(mutex_);
  Snapshot snapshot{core_.core().Stats()};
  if (snapshot.stats.oldest_waiting) snapshot.oldest_waiting = now - *snapshot.stats.oldest_waiting;
  return snapshot;
}

QueueTimes QueueHost::Times() {
  const std::lock_guard lock(mutex_);
  return times_;
}

// ---- Effects: from the core's decisions to outboxes, or to the journal

void QueueHost::Do(const queue::Assign& assign) {
  const queue::JobId job = assign.seat == nullptr ? assign.job : assign.seat->gang;
  const std::shared_ptr<WorkerEndpoint>& endpoint = WorkerAt(assign.process).endpoint;
  if (assign.seat == nullptr) {
    gang_plan_.reset();
  } else if (assign.seat->rank == 0) {
    PlanGang(assign);
  }
  if (!assign.options->durable) {
    endpoint->OnAssign(assign, gang_plan_.get());
    to_flush_.Add(endpoint);
  } else {
    if (assign.seat == nullptr || assign.seat->rank == 0) RecordStart(job, assign);
    Send(job, endpoint, [owned = OwnedAssign(assign), plan = gang_plan_](WorkerEndpoint& to) {
      to.OnAssign(owned.View(), plan.get());
    });
  }
  if (watchers_.empty()) return;
  Changed(job);
  if (!watchers_.WantsOutput(job)) return;
  const queue::Held attempt{assign.job, assign.attempt};
  Send(job, endpoint, [attempt](WorkerEndpoint& to) { to.OnFollow(attempt, true); });
}

void QueueHost::PlanGang(const queue::Assign& assign) {
  GangPlan plan{assign.seat->gang,
                assign.attempt,
                {},
                surroundings_.secrets->Of(assign.seat->gang, assign.attempt)};
  for (const queue::Member& member : assign.seat->members) {
    plan.peers.push_back(WorkerAt(member.process).identity);
  }
  gang_plan_ = std::make_shared<const GangPlan>(std::move(plan));
}

void QueueHost::RecordStart(queue::JobId job, const queue::Assign& assign) {
  std::vector<Runner> runners;
  const auto add = [&](queue::JobId member, queue::ProcessId process) {
    const Worker& worker = WorkerAt(process);
    runners.push_back({member, worker.key, &worker.identity});
  };
  if (assign.seat == nullptr) {
    add(job, assign.process);
  } else {
    for (const queue::Member& member : assign.seat->members) add(member.job, member.process);
    // Members have numbers, too.
    commit_.Record(LastId());
  }
  commit_.Record(Started(job, assign, runners));
}

/// What must not be given out again, though all jobs be deleted.
results::SequenceUsed QueueHost::LastId() const {
  return {name_, static_cast<std::uint64_t>(core_.core().last_durable_id())};
}

void QueueHost::Do(const queue::Go& go) {
  Send(go.job, WorkerAt(go.process).endpoint,
       [member = queue::Held{go.job, go.attempt}](WorkerEndpoint& to) { to.OnGo(member); });
}

void QueueHost::Do(const queue::CancelOnWorker& cancel) {
  Send(cancel.job, WorkerAt(cancel.process).endpoint,
       [attempt = queue::Held{cancel.job, cancel.attempt}](WorkerEndpoint& to) {
         to.OnCancelAttempt(attempt);
       });
}

void QueueHost::Do(const queue::Requeued& requeued) {
  watchers_.AttemptOver(requeued.job);
  Changed(requeued.job);
  if (requeued.options->durable) commit_.Record(GivenUp(requeued));
}

void QueueHost::Do(const queue::Reply& reply) {
  Count(reply);
  const WorkerIdentity* worker = reply.has_process ? &WorkerAt(reply.process).identity : nullptr;
  TellEnd(reply, worker);
  const auto found = submitters_.find(reply.submitter);
  if (found == submitters_.end() && reply.submitter != queue::kDetached) return;
  const std::shared_ptr<Submitter>& submitter =
      reply.submitter == queue::kDetached ? surroundings_.detached : found->second;
  if (reply.options->durable) return Store(reply, submitter, worker);
  submitter->OnReply(reply, worker);
  to_flush_.Add(submitter);
}

void QueueHost::Store(const queue::Reply& reply, const std::shared_ptr<Submitter>& submitter,
                      const WorkerIdentity* worker) {
  commit_.Record(Ended(reply, worker));
  commit_.Then([owned = OwnedReply(reply, worker), submitter](FlushList& to_flush) {
    submitter->OnReply(owned.reply(), owned.worker());
    to_flush.Add(submitter);
  });
}

void QueueHost::Do(const queue::ProcessRemoved& removed) { WorkerAt(removed.process) = Worker{}; }

QueueHost::Worker& QueueHost::WorkerAt(queue::ProcessId process) {
  const auto index = static_cast<std::size_t>(process);
  if (index >= workers_.size()) workers_.resize(index + 1);
  return workers_[index];
}

void QueueHost::Changed(queue::JobId job) {
  if (!watchers_.Of(job).empty()) changed_.push_back(job);
}

void QueueHost::TellWatchers(Instant now) {
  for (const queue::JobId job : std::exchange(changed_, {})) {
    const auto view = core_.core().Find(now, job);
    if (!view) continue;  // TellEnd has had the last word
    const WorkerIdentity* worker = view->running ? &WorkerAt(view->process).identity : nullptr;
    v1::Job changed = ToProto(*view, name_, worker);
    SetProgress(changed, watchers_.Progress(job));
    const auto tell = [watchers = watchers_.Of(job), changed](FlushList& to_flush) {
      for (const auto& watcher : watchers) {
        watcher->OnJob(changed);
        to_flush.Add(watcher);
      }
    };
    if (IsDurable(job)) {
      commit_.Then(tell);
    } else {
      tell(to_flush_);
    }
  }
}

void QueueHost::TellEnd(const queue::Reply& reply, const WorkerIdentity* worker) {
  const Watchers::List watchers = watchers_.JobOver(reply.job);
  if (watchers.empty()) return;
  v1::Job job = ToProto(reply, worker);
  job.set_queue(name_);
  const auto tell = [watchers, job = std::move(job)](FlushList& to_flush) {
    for (const auto& watcher : watchers) {
      watcher->OnJob(job);
      to_flush.Add(watcher);
    }
  };
  if (reply.options->durable) return commit_.Then(tell);
  tell(to_flush_);
}

// True: `endpoint` was the one in use.
bool QueueHost::Detach(queue::ProcessId process, const WorkerEndpoint* endpoint) {
  Worker& worker = WorkerAt(process);
  if (worker.endpoint.get() != endpoint) return false;
  worker.endpoint.reset();
  return true;
}

void QueueHost::Count(const queue::Reply& reply) {
  times_.wait.Record(reply.wait);
  times_.run.Record(reply.run_time);
  times_.total.Record(reply.total);
}

bool QueueHost::IsPaused(const WorkerIdentity& identity) const {
  const auto rule =
      std::find_if(pause_rules_.rbegin(), pause_rules_.rend(),
                   [&](const PauseRule& one) { return one.pattern.Matches(identity); });
  return rule != pause_rules_.rend() && rule->paused;
}

void QueueHost::AddPauseRule(const WorkerPattern& pattern, bool paused) {
  std::erase_if(pause_rules_, [&](const PauseRule& rule) { return rule.pattern == pattern; });
  if (pause_rules_.size() == kMostPauseRules) pause_rules_.erase(pause_rules_.begin());
  pause_rules_.push_back({pattern, paused});
}

}  // namespace twofold::frontend
