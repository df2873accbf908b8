// Jobs, leases and results of a World.

#include <algorithm>
#include <cmath>
#include <utility>

#include "bench/cluster/world.h"

namespace twofold::scale {

// ---- What queues decide

void World::Do(const queue::Assign& assign) {
  const WorkerNumber number =
      places_[stepping_].by_process.at(static_cast<std::size_t>(assign.process));
  Worker& worker = workers_[number];
  worker.job = {assign.job, assign.attempt};
  worker.has_ended = false;
  if (assign.attempt > 1) ++ledger_.second_tries;
  const Duration run = worker.jobs == 0 ? RestOfRun() : WholeRun();
  time_.At(now() + run, [this, number, jobs = ++worker.jobs] { JobEnds(number, jobs); });
}

Duration World::WholeRun() { return Random(options_.run_time / 2, options_.run_time * 3 / 2); }

/// Of a job that one meets while it runs: long ones are met more often, each anywhere in its run.
Duration World::RestOfRun() {
  const double least = ToSeconds(options_.run_time / 2);
  const double most = 3 * least;
  std::uniform_real_distribution<double> square(least * least, most * most);
  const double whole = std::sqrt(square(random_));
  return FromSeconds(std::uniform_real_distribution<double>(0, whole)(random_));
}

void World::Do(const queue::CancelOnWorker& cancel) {
  ++ledger_.cancelled;
  const WorkerNumber number =
      places_[stepping_].by_process.at(static_cast<std::size_t>(cancel.process));
  const queue::Held attempt{cancel.job, cancel.attempt};
  time_.At(now(), [this, number, attempt] { Drop(number, attempt); });
}

void World::Do(const queue::Requeued& /*requeued*/) { ++ledger_.given_up; }

void World::Do(const queue::Reply& reply) {
  if (reply.outcome != queue::Outcome::kSucceeded) ++ledger_.lost;
}

/// The worker stops what no longer counts.
void World::Drop(WorkerNumber number, const queue::Held& attempt) {
  Worker& worker = workers_[number];
  if (worker.job != attempt || !IsServed(number)) return;
  worker.job.reset();
  worker.has_ended = false;
  ++worker.jobs;
  queue::Completion answer{.job = attempt.job, .attempt = attempt.attempt};
  answer.outcome = queue::Outcome::kCancelled;
  CoreOf(QueueOf(number)).Step(now(), queue::input::Completed{worker.process, answer}, *this);
}

// ---- Results

void World::JobEnds(WorkerNumber number, std::uint32_t jobs) {
  Worker& worker = workers_[number];
  if (worker.jobs != jobs) return;
  worker.has_ended = true;
  Deliver(number);
}

/// A worker keeps its result until the database has it.
void World::Deliver(WorkerNumber number) {
  if (!IsServed(number)) return;
  const PartitionNumber partition = QueueOf(number);
  const bool may_commit =
      frontends_.database_is_up() && frontends_.IsStrict(places_[partition].frontend, partition);
  if (!may_commit) return Keep(number);
  const Instant stored = database_.Serve(now(), TimeOf(Cost::kLife)) + TimeOf(Cost::kDatabaseTrip);
  time_.At(stored, [this, number, turn = workers_[number].turn] { Complete(number, turn); });
}

void World::Keep(WorkerNumber number) {
  PlaceOf(number).results.push_back(number);
  ++ledger_.results_waiting;
  ledger_.most_results_waiting = std::max(ledger_.most_results_waiting, ledger_.results_waiting);
}

void World::DeliverAll(PartitionNumber partition) {
  std::vector<WorkerNumber> results = std::exchange(places_[partition].results, {});
  if (results.empty()) return;
  ledger_.results_waiting -= results.size();
  for (const WorkerNumber number : results) Deliver(number);
  if (places_[partition].results.empty()) {
    ledger_.last_result =
        std::max(ledger_.last_result, database_.free_at() + TimeOf(Cost::kDatabaseTrip));
  }
}

/// The result is stored. The submitter sends the next job, and the worker gets one that waits.
void World::Complete(WorkerNumber number, std::uint32_t turn) {
  Worker& worker = workers_[number];
  if (worker.turn != turn || !IsServed(number) || !worker.has_ended) return;
  if (!frontends_.database_is_up()) return Keep(number);
  const PartitionNumber partition = QueueOf(number);
  Place& place = places_[partition];
  hosts_[place.frontend].cpu.Serve(now(), TimeOf(Cost::kJob));
  stepping_ = partition;
  place.queue.Submit(now(), *this);
  const queue::Held held = *std::exchange(worker.job, std::nullopt);
  worker.has_ended = false;
  ++ledger_.ended;
  CoreOf(partition).Step(
      now(), queue::input::Completed{worker.process, {.job = held.job, .attempt = held.attempt}},
      *this);
}

// ---- Leases

/// All workers of a queue send their heartbeats together, three in a lease.
void World::Renew(PartitionNumber partition) {
  time_.At(now() + queue::QueueOptions{}.lease / 3, [this, partition] { Renew(partition); });
  if (!places_[partition].queue.is_served()) return;
  queue::Queue& core = CoreOf(partition);
  std::size_t heard = 0;
  VisitWorkers(partition, [&](WorkerNumber number) {
    if (!IsServed(number)) return;
    ++heard;
    core.Step(now(), queue::input::Renewed{workers_[number].process}, *this);
    Settle(number);
  });
  ledger_.heartbeats += heard;
  hosts_[places_[partition].frontend].cpu.Serve(now(), TimeOf(Cost::kMessage, heard));
}

void World::Tick(PartitionNumber partition) {
  time_.At(now() + std::chrono::milliseconds(100), [this, partition] { Tick(partition); });
  if (!places_[partition].queue.is_served()) return;
  queue::Queue& core = CoreOf(partition);
  if (core.NextDeadline() <= now()) core.Step(now(), queue::input::Tick{}, *this);
}

}  // namespace twofold::scale
