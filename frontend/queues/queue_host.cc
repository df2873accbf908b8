#include "frontend/queues/queue_host.h"

#include <absl/strings/str_cat.h>
#include <spdlog/spdlog.h>

#include <string>
#include <utility>

#include "frontend/queues/queue_state.h"
#include "frontend/queues/records.h"
#include "lib/common/shard_name.h"

namespace twofold::frontend {
namespace {

// What may wait for the disk before jobs are refused: some seconds' work of a slow disk.
constexpr std::size_t kMostPendingBytes = 256 << 20;

}  // namespace

QueueHost::QueueHost(std::string name, const queue::QueueOptions& options, bool durable,
                     const Surroundings& surroundings)
    : name_(std::move(name)),
      queue_(QueueOfShard(name_)),
      shard_(ParseShardName(name_).value_or(QueueShard{}).number),
      options_(options),
      durable_(durable),
      surroundings_(surroundings),
      state_(std::make_unique<State>(*this, options_)) {}

QueueHost::~QueueHost() = default;

Status CanWrite(const results::Journal* journal) {
  if (journal == nullptr) {
    return absl::FailedPreconditionError(
        "durable: this frontend keeps no jobs; start it with --store sqlite:PATH");
  }
  if (!journal->writable()) {
    return absl::UnavailableError(
        absl::StrCat("durable jobs cannot be stored now: ", journal->trouble()));
  }
  return absl::OkStatus();
}

Status CanStore(const results::Journal* journal) {
  if (Status status = CanWrite(journal); !status.ok()) return status;
  if (journal->is_full()) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the store has ", journal->most_bytes() >> 20,
                     " MiB, as much as it may (twofold-frontend --store-limit): delete runs, or "
                     "keep fewer finished jobs"));
  }
  if (journal->pending_bytes() > kMostPendingBytes) {
    return absl::ResourceExhaustedError("the store lags behind, try again later");
  }
  return absl::OkStatus();
}

Status QueueHost::CanStore() { return Turn(*this, Now()).CanStore(); }

std::string StoreTrouble(const QueueHost::Snapshot& snapshot) {
  if (snapshot.suspended) return "the database does not show that the queue is still served here";
  return snapshot.journal == nullptr ? "" : snapshot.journal->trouble();
}

QueueHost::Snapshot QueueHost::Look(Instant now) {
  const MutexLock lock(mutex_);
  Snapshot snapshot{state_->core.core().Stats(), state_->served, state_->tenure.epoch,
                    state_->suspended, state_->tenure.journal};
  if (snapshot.stats.oldest_waiting) snapshot.oldest_waiting = now - *snapshot.stats.oldest_waiting;
  return snapshot;
}

QueueTimes QueueHost::Times() {
  const MutexLock lock(mutex_);
  return state_->times;
}

WorkerUsage QueueHost::Usage() {
  const MutexLock lock(mutex_);
  return state_->usage;
}

// ---- Turns

// A turn is a lock with methods: clang's analysis cannot follow it from the caller.
QueueHost::Turn::Turn(QueueHost& host, Instant now) ABSL_NO_THREAD_SAFETY_ANALYSIS
    : host_(host),
      state_(host.LockState()),
      now_(now) {
  for (const queue::ProcessId process : state_.FollowStore(now_)) SendIfFree(process);
}

/// Open changes the state: which one it is shows under the lock.
QueueHost::State& QueueHost::LockState() ABSL_NO_THREAD_SAFETY_ANALYSIS {
  mutex_.Lock();
  return *state_;
}

QueueHost::Turn::~Turn() ABSL_NO_THREAD_SAFETY_ANALYSIS {
  GiveBackReturned();
  state_.core.Step(now_, queue::input::EndTurn{}, state_);
  state_.submitters.TellStanding(state_.core.core());
  if (!state_.changed.empty()) state_.TellWatchers(now_);
  // Under the lock, so that the journal has the order of the decisions.
  if (!state_.commit.empty()) state_.KeepDecisions();
  const FlushList to_flush = std::exchange(state_.to_flush, {});
  const auto deadline = state_.core.core().NextDeadline();
  host_.mutex_.Unlock();
  if (deadline && host_.surroundings_.alarm != nullptr) host_.surroundings_.alarm->Ring(*deadline);
  if (host_.surroundings_.changes != nullptr) host_.surroundings_.changes->Ring(now_);
  to_flush.Flush();
}

void QueueHost::Turn::Then(std::function<void()> action) {
  state_.to_flush.Then(std::move(action));
}

// ---- Submitters

void QueueHost::Turn::AddSubmitter(queue::SubmitterId id,
                                   const std::shared_ptr<Submitter>& submitter,
                                   std::uint64_t load_key) {
  state_.submitters.Add(id, submitter, load_key);
}

void QueueHost::Turn::RemoveSubmitter(queue::SubmitterId id) {
  state_.core.Step(now_, queue::input::SubmitterGone{id}, state_);
  state_.submitters.Remove(id);
}

queue::Submitted QueueHost::Turn::Submit(queue::SubmitterId submitter, std::uint64_t tag,
                                         const std::shared_ptr<const queue::JobOptions>& options,
                                         std::string_view spec, Stored stored,
                                         const v1::RunPlace& place) {
  CommitBatch& commit = state_.commit;
  const CommitBatch::Mark before = commit.mark();
  queue::input::Submit submit{submitter, tag, options, spec};
  const bool is_long = options->durable && spec.size() > results::kLongSpec;
  if (is_long) {
    submit.spec_elsewhere = static_cast<std::uint32_t>(spec.size());
    submit.spec = {};
  }
  const queue::Submitted submitted = state_.core.Step(now_, std::move(submit), state_);
  if (submitted.admission != queue::Admission::kAccepted) return submitted;
  if (!options->durable) {
    if (stored.then) Then(std::move(stored.then));
    return submitted;
  }
  // The job may have been handed out already; that it was accepted comes first.
  if (!submitted.duplicate) {
    commit.RecordAt(before, Accepted(host_.name_, submitted.job, *options, place, spec));
    commit.Record(state_.LastId());
  }
  // One that others may have joined by its key is theirs, too.
  const bool may_refuse = stored.refuse && !submitted.duplicate && options->dedup_key.empty();
  State::Unstored job{submitted.job, std::move(stored.refuse)};
  commit.ThenAt(before,
                [endpoint = state_.submitters.Find(submitter), tag, job = submitted.job,
                 then = std::move(stored.then), settled = job.settled](FlushList& to_flush) {
                  if (settled->exchange(true)) return;
                  if (then) then();
                  if (!endpoint) return;
                  endpoint->OnAccepted(tag, job);
                  to_flush.Add(endpoint);
                });
  if (may_refuse) state_.AwaitStored(std::move(job));
  return submitted;
}

bool QueueHost::Turn::Cancel(queue::JobId job) {
  return state_.core.Step(now_, queue::input::Cancel{job}, state_);
}

void QueueHost::Turn::WhenStored(queue::JobId job, std::function<void()> then) {
  if (!IsDurable(job)) return Then(std::move(then));
  state_.commit.Then([then = std::move(then)](FlushList&) { then(); });
}

void QueueHost::Turn::RecordRequeue(queue::JobId from, queue::JobId to) {
  state_.commit.Record(
      results::JobRequeued{static_cast<std::uint64_t>(from), static_cast<std::uint64_t>(to)});
}

// ---- What running jobs tell

void QueueHost::Turn::Progress(const queue::Held& attempt, JobProgress progress) {
  const auto role = state_.core.core().RoleOf(attempt);
  if (!role || role->rank != 0) return;  // late, or of a member that does not speak for its gang
  state_.watchers.SetProgress(role->job, std::move(progress));
  state_.Changed(role->job);
}

void QueueHost::Turn::Output(const queue::Held& attempt, std::string_view data,
                             std::uint64_t missed) {
  const auto role = state_.core.core().RoleOf(attempt);
  if (!role) return;
  for (const auto& watcher : state_.watchers.Of(role->job)) {
    if (!watcher->wants_output()) continue;
    watcher->OnOutput(role->rank, data, missed);
    state_.to_flush.Add(watcher);
  }
}

// ---- Those who stay, and those who watch a job

void QueueHost::Turn::Stay(std::shared_ptr<Resident> resident) {
  const Resident* const key = resident.get();
  state_.residents.emplace(key, std::move(resident));
}

void QueueHost::Turn::Leave(const Resident* resident) { state_.residents.erase(resident); }

void QueueHost::Turn::Watch(queue::JobId job, const std::shared_ptr<Watcher>& watcher) {
  const bool followed = state_.watchers.WantsOutput(job);
  Stay(watcher);
  state_.watchers.Add(job, watcher);
  state_.Changed(job);
  if (!followed && watcher->wants_output()) Follow(job, true);
}

void QueueHost::Turn::Unwatch(queue::JobId job, const Watcher* watcher) {
  const bool followed = state_.watchers.WantsOutput(job);
  state_.watchers.Remove(job, watcher);
  Leave(watcher);
  if (followed && !state_.watchers.WantsOutput(job)) Follow(job, false);
}

const JobProgress* QueueHost::Turn::ProgressOf(queue::JobId job) const {
  return state_.watchers.Progress(job);
}

/// Tells who runs the job whether somebody looks.
void QueueHost::Turn::Follow(queue::JobId job, bool follow) {
  const auto view = state_.core.core().Find(now_, job);
  if (!view || !view->running) return;
  std::vector<queue::Member> members = view->members;
  if (view->options->gang.size == 1) members = {{view->process, job}};
  for (const queue::Member& member : members) {
    state_.Send(member.job, state_.WorkerAt(member.process).endpoint,
                [attempt = queue::Held{member.job, view->attempt}, follow](WorkerEndpoint& to) {
                  to.OnFollow(attempt, follow);
                });
  }
}

// ---- Admin and time

void QueueHost::Turn::Tick() { state_.core.Step(now_, queue::input::Tick{}, state_); }

void QueueHost::Turn::Restore(const results::StoredJob& job) {
  const auto restored = ToRestored(job, now_, UnixNowNs());
  if (!restored.ok()) {
    return spdlog::error("queue {}: {}; it stays in the store", host_.name_,
                         std::string(restored.status().message()));
  }
  state_.core.Step(now_, queue::input::Restore{*restored}, state_);
  if (!restored->options->durable) state_.commit.Record(results::JobTaken{job.accepted.id});
  const auto* started = std::get_if<results::AttemptStarted>(&job.state);
  if (started == nullptr) return;
  for (const results::Member& member : started->members) {
    const queue::ProcessKey key{member.process_key};
    state_.WorkerAt(state_.core.core().IdFor(key)) = {
        key, {member.node, member.pod, member.device, {}, {}}, nullptr, false, {}};
  }
}

const queue::Queue& QueueHost::Turn::core() const { return state_.core.core(); }

}  // namespace twofold::frontend
