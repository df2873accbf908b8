// Queues that come and go: how a host begins and ends to serve its queue, where several frontends
// share the queues.

#include <absl/strings/str_cat.h>

#include <map>
#include <random>
#include <utility>
#include <vector>

#include "frontend/queues/convert.h"
#include "frontend/queues/moved_jobs.h"
#include "frontend/queues/queue_host.h"
#include "frontend/queues/queue_state.h"

namespace twofold::frontend {

void QueueHost::Open(const Tenure& tenure, Instant now) {
  std::vector<Running> running;
  {
    Turn turn(*this, now);
    turn.Close();
    turn.SendWatchersAway();
    running = turn.KeepRunning();
    turn.GiveBack(true);
    for (State::Worker& worker : turn.state_.workers) {
      if (worker.endpoint) turn.state_.Tell(worker.endpoint, [&](auto& to) { to.OnMoved(name_); });
    }
  }
  queue::QueueOptions options = options_;
  options.first_sequence = tenure.first_sequence;
  options.first_generation = std::random_device{}();  // ids of volatile jobs are new ones
  auto state = std::make_unique<State>(*this, options);
  state->tenure = tenure;
  state->served = false;
  state->halted = tenure.halted;
  {
    const MutexLock lock(mutex_);
    state_.swap(state);
  }
  Turn turn(*this, now);
  for (const Running& job : running) turn.GoOn(job);
  turn.HaltAsAsked();
}

std::uint64_t QueueHost::NextEpoch() {
  const MutexLock lock(mutex_);
  return next_epoch_;
}

Status QueueHost::CheckServed() { return Turn(*this, Now()).CheckServed(); }

Status QueueHost::Turn::CheckServed() const {
  if (state_.served) return absl::OkStatus();
  return absl::UnavailableError(
      absl::StrCat("queue ", host_.name_, " is served by another frontend now; try again"));
}

bool QueueHost::Turn::served() const { return state_.served; }

bool QueueHost::Turn::EndsHere(queue::JobId job) const {
  return (state_.served || !IsDurable(job)) && core().Find(now_, job).has_value();
}

std::uint64_t QueueHost::Turn::epoch() const { return state_.tenure.epoch; }

void QueueHost::Turn::SetJournal(std::shared_ptr<results::Journal> journal) {
  state_.tenure.journal = std::move(journal);
}

void QueueHost::Turn::Serve() { state_.served = true; }

void QueueHost::Turn::Suspend(bool suspended) {
  if (std::exchange(state_.suspended, suspended) == suspended || !state_.tenure.strict) return;
  if (suspended) return state_.core.Step(now_, queue::input::Pause{}, state_);
  state_.core.Step(now_, queue::input::Resume{}, state_);
  HaltAsAsked();
}

void QueueHost::Turn::HandOutNoMore() { state_.core.Step(now_, queue::input::Pause{}, state_); }

bool QueueHost::Turn::RunsVolatile() const {
  bool found = false;
  std::uint32_t from = 0;
  do {
    from = state_.core.core().List(
        now_, {.from = from, .waiting = false},
        [&](const queue::JobView& view) { found = found || !view.options->durable; });
  } while (from != 0 && !found);
  return found;
}

void QueueHost::Turn::Pause() {
  state_.halted.paused = true;
  RecordHalt();
  HaltAsAsked();
}

void QueueHost::Turn::Drain() {
  state_.halted.drains = true;
  RecordHalt();
  HaltAsAsked();
}

void QueueHost::Turn::HaltAsAsked() {
  if (state_.halted.paused) state_.core.Step(now_, queue::input::Pause{}, state_);
  if (state_.halted.drains) state_.core.Step(now_, queue::input::Drain{}, state_);
}

/// For other frontends, if there are any.
void QueueHost::Turn::RecordHalt() {
  if (state_.tenure.epoch != 0) state_.commit.Record(state_.halted);
}

/// A strict queue that stands still goes on by itself.
void QueueHost::Turn::Resume() {
  state_.halted = {};
  RecordHalt();
  state_.core.Step(now_, queue::input::Resume{}, state_);
  if (!state_.suspended || !state_.tenure.strict) return;
  state_.core.Step(now_, queue::input::Pause{}, state_);
}

Status QueueHost::Turn::CanTake(bool durable) const {
  if (durable) return CanStore();
  if (!state_.suspended || !state_.tenure.strict) return absl::OkStatus();
  return absl::UnavailableError(
      "the queue is strict and stands still: this frontend cannot tell whether it is still its "
      "own, as the database does not answer");
}

Status QueueHost::Turn::CanStore() const {
  if (!state_.suspended) return frontend::CanStore(state_.tenure.journal.get());
  return absl::UnavailableError(
      "durable jobs wait: this frontend cannot tell whether the queue is still its own, as the "
      "database does not answer");
}

std::shared_ptr<results::Journal> QueueHost::Turn::Close() ABSL_NO_THREAD_SAFETY_ANALYSIS {
  if (!std::exchange(state_.served, false)) return nullptr;
  host_.next_epoch_ = state_.tenure.epoch + 1;
  state_.core.Step(now_, queue::input::Pause{}, state_);
  if (state_.tenure.journal != nullptr) LeaveWaiting();
  GiveBack(false);
  state_.going_on.clear();
  if (!state_.commit.empty()) state_.KeepDecisions();
  // Who waits for a record is answered by it, or when it is dropped: nothing else may hold that up.
  state_.to_flush.Then([unstored = std::exchange(state_.unstored, {})] {});
  auto journal = std::exchange(state_.tenure.journal, nullptr);
  AwaitElsewhere();
  SendWatchersAway();
  SendAway();
  return journal;
}

/// Calls visit(view) for the volatile jobs that no stream owns.
template <typename Visit>
void QueueHost::Turn::VisitDetached(bool running, const Visit& visit) const {
  std::uint32_t from = 0;
  do {
    from = core().List(now_, {.from = from, .waiting = !running, .running = running},
                       [&](const queue::JobView& view) {
                         if (view.options->durable || view.submitter != queue::kDetached) return;
                         visit(view);
                       });
  } while (from != 0);
}

/// Nobody else would bring these jobs to the frontend that serves the queue next.
void QueueHost::Turn::LeaveWaiting() {
  VisitDetached(false, [this](const auto& view) { state_.Leave(*core().Save(view.job), now_); });
  // The next frontend takes them out of the store, which must not look like a loss: so the version
  // counts them, as it does with this record.
  if (!state_.going_on.empty()) RecordHalt();
}

/// Those that run, where the queue that has gone is back: their workers come back, too.
std::vector<QueueHost::Running> QueueHost::Turn::KeepRunning() {
  std::vector<Running> kept;
  VisitDetached(true, [&](const auto& view) {
    kept.push_back({*core().Save(view.job), *Identity(view.process)});
    state_.going_on.emplace(view.job, nullptr);
  });
  return kept;
}

void QueueHost::Turn::GoOn(const Running& running) {
  state_.core.Step(now_, queue::input::Restore{running.job}, state_);
  for (const auto& member : running.job.members) {
    state_.WorkerAt(core().IdFor(member.process)) = {
        member.process, running.worker, nullptr, false, {}};
  }
}

/// Durable jobs go on where the queue is served now.
void QueueHost::Turn::AwaitElsewhere() {
  std::map<queue::SubmitterId, std::vector<TaggedJob>> unfinished;
  std::uint32_t from = 0;
  do {
    from = state_.core.core().List(now_, {.from = from}, [&](const queue::JobView& view) {
      if (!view.options->durable || !state_.submitters.Find(view.submitter)) return;
      unfinished[view.submitter].push_back({view.job, view.tag});
    });
  } while (from != 0);
  for (const auto& [id, entry] : state_.submitters.all()) {
    const std::shared_ptr<Submitter>& submitter = entry.endpoint;
    std::vector<TaggedJob>& jobs = unfinished[id];
    if (host_.surroundings_.moved == nullptr) jobs.clear();
    submitter->OnDurableMoved(host_.number(), jobs);
    if (!jobs.empty()) host_.surroundings_.moved->Await(submitter, host_.name_, jobs);
    state_.to_flush.Add(submitter);
  }
}

/// Volatile jobs that wait, or all.
void QueueHost::Turn::GiveBack(bool running) {
  std::uint32_t from = 0;
  do {
    std::vector<queue::JobId> jobs;
    from = state_.core.core().List(now_, {.from = from, .running = running},
                                   [&](const queue::JobView& view) {
                                     if (!view.options->durable) jobs.push_back(view.job);
                                   });
    GiveBack(jobs);
  } while (from != 0);
}

void QueueHost::Turn::GiveBack(std::span<const queue::JobId> jobs) {
  const bool before = std::exchange(state_.gives_back, true);
  for (const queue::JobId job : jobs) Cancel(job);
  state_.gives_back = before;
}

/// Jobs of a queue that is not served any more, whose workers have not run them to their ends.
void QueueHost::Turn::GiveBackReturned() {
  if (!state_.returned.empty()) GiveBack(std::exchange(state_.returned, {}));
}

void QueueHost::Turn::SendWatchersAway() {
  state_.watchers = {};
  for (const auto& [key, resident] : std::exchange(state_.residents, {})) {
    state_.Tell(resident, [](Resident& to) { to.OnMoved(); });
  }
}

/// Who runs volatile jobs stays until they have ended. What is durable goes with its worker.
void QueueHost::Turn::SendAway() {
  std::uint32_t from = 0;
  do {
    from = state_.core.core().List(now_, {.from = from, .waiting = false},
                                   [&](const queue::JobView& view) {
                                     if (view.options->durable) return;
                                     if (view.options->gang.size <= 1)
                                       state_.leaving.emplace(view.process, view.job);
                                     for (const queue::Member& member : view.members)
                                       state_.leaving.emplace(member.process, member.job);
                                   });
  } while (from != 0);
  for (std::size_t i = 0; i < state_.workers.size(); ++i) {
    const auto process = static_cast<queue::ProcessId>(i);
    if (!state_.IsLeaving(process)) Dismiss(process);
  }
}

void QueueHost::Turn::Dismiss(queue::ProcessId process) {
  const auto& endpoint = state_.WorkerAt(process).endpoint;
  if (endpoint) state_.Tell(endpoint, [&](WorkerEndpoint& to) { to.OnMoved(host_.name_); });
}

/// An attempt of a queue that is not served any more has ended.
void QueueHost::Turn::AttemptOver(queue::ProcessId process, queue::JobId job) {
  const bool was_last = state_.leaving.erase({process, job}) > 0 && !state_.IsLeaving(process);
  if (was_last) Dismiss(process);
}

}  // namespace twofold::frontend
