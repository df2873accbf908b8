#include "frontend/queues/queue_state.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontend/queues/convert.h"
#include "frontend/queues/records.h"

namespace twofold::frontend {
namespace {

// Rules of one queue, each with another pattern. One more replaces the oldest.
constexpr std::size_t kMostPauseRules = 1000;

/// Copies of what the views of an effect show.
struct OwnedAssign {
  explicit OwnedAssign(const queue::Assign& from)
      : assign(from), options(from.options), spec(from.spec) {
    if (from.seat != nullptr) seat = queue::Seat{from.seat->gang, from.seat->rank, {}};
  }

  /// `long_spec`: the one that was elsewhere; null: it was here.
  [[nodiscard]] queue::Assign View(const std::string* long_spec) const {
    return {.process = assign.process,
            .job = assign.job,
            .attempt = assign.attempt,
            .options = options,
            .spec = long_spec == nullptr ? spec : *long_spec,
            .seat = seat ? &*seat : nullptr,
            .lost_attempts = assign.lost_attempts,
            .submitter = assign.submitter};
  }

 private:
  queue::Assign assign;
  std::shared_ptr<const queue::JobOptions> options;
  std::string spec;
  std::optional<queue::Seat> seat;  // who the members are is in the gang's plan
};

}  // namespace

QueueHost::State::State(const QueueHost& host, const queue::QueueOptions& options)
    : core(options, host.surroundings_.trace == nullptr
                        ? nullptr
                        : host.surroundings_.trace->Record(host.name_, options)),
      host_(host) {}

void QueueHost::State::Do(const queue::Assign& assign) {
  const queue::JobId job = assign.seat == nullptr ? assign.job : assign.seat->gang;
  const Worker& worker = WorkerAt(assign.process);
  const std::shared_ptr<WorkerEndpoint>& endpoint = worker.endpoint;
  if (assign.seat == nullptr || assign.seat->rank == 0) submitters.HandedOut(assign.submitter);
  if (assign.seat == nullptr) {
    gang_plan_.reset();
  } else if (assign.seat->rank == 0) {
    PlanGang(assign);
  }
  if (!assign.options->durable) {
    endpoint->OnAssign(assign, gang_plan_.get());
    to_flush.Add(endpoint);
  } else {
    if (assign.seat == nullptr || assign.seat->rank == 0) RecordStart(job, assign);
    Unsent attempt{
        assign.process, worker.identity.number, {assign.job, assign.attempt}, long_spec_};
    Send(job, endpoint,
         [owned = OwnedAssign(assign), plan = gang_plan_, spec = long_spec_,
          settled = attempt.settled, is_missing = is_missing_](WorkerEndpoint& to) {
           if (spec != nullptr && !spec->wanted.found) {
             spec->missing = true;
             *is_missing = true;
           } else if (!settled->exchange(true)) {
             to.OnAssign(owned.View(spec == nullptr ? nullptr : &spec->wanted.spec), plan.get());
           }
         });
    Push(unsent, std::move(attempt));
  }
  if (assign.ask_sent) AskSent(assign.process);
  if (watchers.empty()) return;
  Changed(job);
  if (!watchers.WantsOutput(job)) return;
  const queue::Held attempt{assign.job, assign.attempt};
  Send(job, endpoint, [attempt](WorkerEndpoint& to) { to.OnFollow(attempt, true); });
}

/// Behind attempts of the process that wait to be on disk: they are not sent before.
void QueueHost::State::AskSent(queue::ProcessId process) {
  const std::shared_ptr<WorkerEndpoint>& endpoint = WorkerAt(process).endpoint;
  const bool behind = std::any_of(unsent.begin(), unsent.end(), [&](const Unsent& each) {
    return each.process == process && !*each.settled;
  });
  if (!behind) return Tell(endpoint, [](WorkerEndpoint& to) { to.OnAskSent(); });
  commit.Then([endpoint](FlushList& list) {
    endpoint->OnAskSent();
    list.Add(endpoint);
  });
}

/// What was asked may wait for a disk that does not answer.
void QueueHost::State::AskSentAgain() {
  for (std::size_t i = 0; i < workers.size(); ++i) {
    const queue::Process* const known =
        core.core().FindProcess(queue::ProcessId{static_cast<queue::Slot>(i)});
    if (known == nullptr || !known->sent_asked || !workers[i].endpoint) continue;
    Tell(workers[i].endpoint, [](WorkerEndpoint& to) { to.OnAskSent(); });
  }
}

void QueueHost::State::PlanGang(const queue::Assign& assign) {
  GangPlan plan{assign.seat->gang,
                assign.attempt,
                {},
                host_.surroundings_.secrets->Of(assign.seat->gang, assign.attempt)};
  for (const queue::Member& member : assign.seat->members) {
    plan.peers.push_back(WorkerAt(member.process).identity);
  }
  gang_plan_ = std::make_shared<const GangPlan>(std::move(plan));
}

void QueueHost::State::RecordStart(queue::JobId job, const queue::Assign& assign) {
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
    commit.Record(LastId());
  }
  commit.Record(Started(job, assign, runners));
  long_spec_.reset();
  if (assign.spec_elsewhere == 0) return;
  long_spec_ = std::make_shared<LongSpec>();
  long_spec_->wanted.job = static_cast<results::JobId>(job);
  commit.Want({long_spec_, &long_spec_->wanted});
}

/// What must not be given out again, though all jobs be deleted.
results::SequenceUsed QueueHost::State::LastId() const {
  return {host_.name_, static_cast<std::uint64_t>(core.core().last_durable_id())};
}

void QueueHost::State::Do(const queue::Go& go) {
  Send(go.job, WorkerAt(go.process).endpoint,
       [member = queue::Held{go.job, go.attempt}](WorkerEndpoint& to) { to.OnGo(member); });
}

void QueueHost::State::Do(const queue::CancelOnWorker& cancel) {
  if (going_on.contains(cancel.job)) return;
  Send(cancel.job, WorkerAt(cancel.process).endpoint,
       [attempt = queue::Held{cancel.job, cancel.attempt}](WorkerEndpoint& to) {
         to.OnCancelAttempt(attempt);
       });
}

void QueueHost::State::Do(const queue::Requeued& requeued) {
  watchers.AttemptOver(requeued.job);
  Changed(requeued.job);
  if (requeued.options->durable) return commit.Record(GivenUp(requeued));
  if (!served) returned.push_back(requeued.job);
}

void QueueHost::State::Do(const queue::Reply& reply) {
  if (gives_back) return GiveBack(reply);
  Count(reply);
  const WorkerIdentity* worker = reply.has_process ? &WorkerAt(reply.process).identity : nullptr;
  if (!watchers.idle()) TellEnd(reply, worker);
  const bool detached = reply.submitter == queue::kDetached;
  const std::shared_ptr<Submitter>& submitter =
      detached ? host_.surroundings_.detached : submitters.FindAndTell(reply.submitter);
  if (submitter == nullptr) return;
  if (reply.options->durable) return Store(reply, submitter, worker);
  submitter->OnReply(reply, worker);
  to_flush.Add(submitter);
}

void QueueHost::State::KeepDecisions() {
  auto decided = std::make_shared<CommitBatch>(std::exchange(commit, {}));
  if (tenure.journal != nullptr) return decided->AppendTo(*tenure.journal);
  // Those who wait for it learn it as it goes, which must not be under the lock.
  to_flush.Then([decided] {});
}

std::vector<queue::ProcessId> QueueHost::State::FollowStore(Instant now) {
  std::vector<queue::ProcessId> freed;
  const bool hold =
      served && tenure.journal != nullptr && (suspended || !tenure.journal->writable());
  if (std::exchange(held, hold) != hold) {
    core.Step(now, queue::input::HoldDurable{hold}, *this);
    if (hold) AskSentAgain();
  }
  if (is_missing_->exchange(false)) FailMissing(now, freed);
  if (!hold) return freed;
  if (!unsent.empty()) TakeBackUnsent(now, freed);
  if (!unstored.empty() && !tenure.journal->writable()) RefuseUnstored(now);
  return freed;
}

/// The worker that was to have it has not left or joined anew.
bool QueueHost::State::IsThere(const Unsent& attempt) {
  return WorkerAt(attempt.process).identity.number == attempt.worker;
}

void QueueHost::State::TakeBackUnsent(Instant now, std::vector<queue::ProcessId>& freed) {
  for (const Unsent& each : std::exchange(unsent, {})) {
    if (each.settled->exchange(true) || !IsThere(each)) continue;
    queue::Completion completion{.job = each.attempt.job, .attempt = each.attempt.attempt};
    completion.handed_back = true;
    core.Step(now, queue::input::Completed{each.process, completion}, *this);
    freed.push_back(each.process);
  }
}

/// Somebody has deleted these jobs from the store: there is nothing that a worker could run.
void QueueHost::State::FailMissing(Instant now, std::vector<queue::ProcessId>& freed) {
  std::vector<Unsent> missing;
  std::copy_if(unsent.begin(), unsent.end(), std::back_inserter(missing),
               [this](const Unsent& each) {
                 return each.spec != nullptr && each.spec->missing &&
                        !each.settled->exchange(true) && IsThere(each);
               });
  for (const Unsent& each : missing) {
    spdlog::error("queue {}: job {} fails: the store has its spec no more", host_.name_,
                  static_cast<std::uint64_t>(each.attempt.job));
    const queue::Completion completion{.job = each.attempt.job,
                                       .attempt = each.attempt.attempt,
                                       .outcome = queue::Outcome::kFailed};
    core.Step(now, queue::input::Completed{each.process, completion}, *this);
    freed.push_back(each.process);
  }
}

void QueueHost::State::RefuseUnstored(Instant now) {
  for (const Unstored& each : std::exchange(unstored, {})) {
    if (each.settled->exchange(true)) continue;
    core.Step(now, queue::input::Cancel{each.job}, *this);
    to_flush.Then([refuse = each.refuse, why = CanWrite(tenure.journal.get())] { refuse(why); });
  }
}

void QueueHost::State::GiveBack(const queue::Reply& reply) {
  if (reply.submitter == queue::kDetached) return GiveBackDetached(reply);
  const std::shared_ptr<Submitter>& submitter = submitters.Find(reply.submitter);
  if (submitter == nullptr) return;
  submitter->OnGivenBack(host_.name_, reply.tag);
  to_flush.Add(submitter);
}

void QueueHost::State::GiveBackDetached(queue::Reply reply) {
  reply.outcome = queue::Outcome::kAbandoned;
  reply.reason = "its queue is served by another frontend now";
  const auto goes_on = going_on.find(reply.job);
  if (goes_on == going_on.end()) {
    host_.surroundings_.detached->OnReply(reply, nullptr);
    to_flush.Add(host_.surroundings_.detached);
  } else if (goes_on->second != nullptr) {
    goes_on->second->EndAs(reply);
  }
}

void QueueHost::State::Leave(const queue::Restored& job, Instant now) {
  const auto left = std::make_shared<Left>(host_.surroundings_.detached);
  commit.Record(LeftBehind(host_.name_, job, now));
  commit.Record(results::AttemptGivenUp{static_cast<std::uint64_t>(job.job), job.attempts,
                                        job.lost_attempts});
  commit.Then([left](FlushList&) { left->SetStored(); });
  going_on.emplace(job.job, left);
}

QueueHost::State::Left::~Left() {
  if (!abandoned_) return;
  detached_->OnReply(abandoned_->reply(), nullptr);
  detached_->Flush();
}

void QueueHost::State::Store(const queue::Reply& reply, const std::shared_ptr<Submitter>& submitter,
                             const WorkerIdentity* worker) {
  commit.Record(Ended(reply, worker));
  commit.Then([owned = OwnedReply(reply, worker), submitter](FlushList& list) {
    submitter->OnReply(owned.reply(), owned.worker());
    list.Add(submitter);
  });
}

void QueueHost::State::Do(const queue::ProcessRemoved& removed) {
  WorkerAt(removed.process) = Worker{};
}

void QueueHost::State::Changed(queue::JobId job) {
  if (!watchers.Of(job).empty()) changed.push_back(job);
}

void QueueHost::State::TellWatchers(Instant now) {
  for (const queue::JobId job : std::exchange(changed, {})) {
    const auto view = core.core().Find(now, job);
    if (!view) continue;  // TellEnd has had the last word
    const WorkerIdentity* worker = view->running ? &WorkerAt(view->process).identity : nullptr;
    v1::Job seen = ToProto(*view, host_.name_, worker);
    SetProgress(seen, watchers.Progress(job));
    const auto tell = [those = watchers.Of(job), seen](FlushList& list) {
      for (const auto& watcher : those) {
        watcher->OnJob(seen);
        list.Add(watcher);
      }
    };
    if (IsDurable(job)) {
      commit.Then(tell);
    } else {
      tell(to_flush);
    }
  }
}

void QueueHost::State::TellEnd(const queue::Reply& reply, const WorkerIdentity* worker) {
  const Watchers::List those = watchers.JobOver(reply.job);
  if (those.empty()) return;
  v1::Job job = ToProto(reply, worker);
  job.set_queue(host_.name_);
  const auto tell = [those, job = std::move(job)](FlushList& list) {
    for (const auto& watcher : those) {
      watcher->OnJob(job);
      list.Add(watcher);
    }
  };
  if (reply.options->durable) return commit.Then(tell);
  tell(to_flush);
}

// True: `endpoint` was the one in use.
bool QueueHost::State::Detach(queue::ProcessId process, const WorkerEndpoint* endpoint) {
  Worker& worker = WorkerAt(process);
  if (worker.endpoint.get() != endpoint) return false;
  worker.endpoint.reset();
  return true;
}

void QueueHost::State::Count(const queue::Reply& reply) {
  if (reply.has_process) {
    times.wait.Record(reply.wait);
    times.run.Record(reply.run_time);
  }
  times.total.Record(reply.total);
}

bool QueueHost::State::IsPaused(const WorkerIdentity& identity) const {
  const auto rule =
      std::find_if(pause_rules.rbegin(), pause_rules.rend(),
                   [&](const PauseRule& one) { return one.pattern.Matches(identity); });
  return rule != pause_rules.rend() && rule->paused;
}

void QueueHost::State::AddPauseRule(const WorkerPattern& pattern, bool paused) {
  std::erase_if(pause_rules, [&](const PauseRule& rule) { return rule.pattern == pattern; });
  if (pause_rules.size() == kMostPauseRules) pause_rules.erase(pause_rules.begin());
  pause_rules.push_back({pattern, paused});
}

}  // namespace twofold::frontend
