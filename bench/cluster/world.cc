#include "bench/cluster/world.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace twofold::scale {
namespace {

constexpr Duration kTickEvery = std::chrono::milliseconds(100);
// The process ends when its last streams have been sent on.
constexpr Duration kLastWords = std::chrono::milliseconds(100);

}  // namespace

World::World(const WorldOptions& options)
    : options_(options),
      random_(options.seed),
      frontends_(options.frontends, options.queues, time_, *this),
      hosts_(options.frontends),
      workers_(options.workers),
      ledger_(options.frontends) {
  for (std::size_t i = 0; i < options_.queues; ++i) {
    places_.push_back({.queue = {static_cast<std::uint8_t>(i), options_.grace}});
  }
  StartAll();
  FillQueues();
  Observe();
}

/// A queue that nobody has had is left for a TTL, and for two to others than its heir.
void World::StartAll() {
  for (std::size_t i = 0; i < options_.frontends; ++i) {
    time_.At(Instant(Random({}, frontends_.times().Period())), [this, i] { frontends_.Start(i); });
  }
  Run(4 * frontends_.times().ttl);
}

void World::FillQueues() {
  for (std::size_t i = 0; i < options_.queues; ++i) {
    const auto partition = static_cast<PartitionNumber>(i);
    if (!places_[i].queue.is_served()) continue;  // Complaint says so
    std::size_t workers = 0;
    VisitWorkers(partition, [&](WorkerNumber number) {
      Join(number);
      ++workers;
    });
    stepping_ = partition;
    for (std::size_t job = 0; job < 2 * workers; ++job) places_[i].queue.Submit(now(), *this);
    const Duration phase = Random({}, kTickEvery);
    time_.At(now() + phase, [this, partition] { Tick(partition); });
    time_.At(now() + phase * 50, [this, partition] { Renew(partition); });
  }
}

Duration World::Random(Duration least, Duration most) {
  std::uniform_int_distribution<Duration::rep> between(least.count(), most.count());
  return Duration(between(random_));
}

// ---- What ownership wants

void World::Open(std::size_t frontend, PartitionNumber partition) {
  Place& place = places_[partition];
  place.frontend = frontend;
  place.is_open = true;
  if (hosts_[frontend].parked.erase(partition) > 0) Unpark(frontend, partition);
  if (place.closed) ledger_.owned.push_back(now() - *place.closed);
  const std::size_t jobs = place.queue.unfinished();
  const Duration cpu = TimeOf(Cost::kRowCpu, jobs);
  ledger_.load_cpu[frontend] += cpu;
  const Instant read = now() + TimeOf(Cost::kFirstRow) + TimeOf(Cost::kRow, jobs);
  const Instant ready = std::max(read, hosts_[frontend].cpu.Serve(now(), cpu));
  time_.At(ready, [this, partition, opening = ++place.openings] {
    const Place& opened = places_[partition];
    if (opened.is_open && opened.openings == opening) Serve(partition);
  });
}

/// It has the queue again, so nobody is sent on.
void World::Unpark(std::size_t frontend, PartitionNumber partition) {
  VisitWorkers(partition, [&](WorkerNumber number) {
    Worker& worker = workers_[number];
    if (worker.stream != Stream::kParked || worker.frontend != frontend) return;
    worker.stream = Stream::kHeld;
    places_[partition].held.push_back(number);
  });
}

/// The queue has been read.
void World::Serve(PartitionNumber partition) {
  Place& place = places_[partition];
  stepping_ = partition;
  place.queue.Load(now(), *this);
  place.by_process.clear();
  if (place.closed) ledger_.served.push_back(now() - *place.closed);
  place.closed.reset();
  for (const WorkerNumber number : std::exchange(place.held, {})) Join(number);
}

void World::Resume(std::size_t /*frontend*/, PartitionNumber partition) {
  ledger_.resumed.push_back(now());
  DeliverAll(partition);
}

void World::Suspend(std::size_t /*frontend*/, PartitionNumber /*partition*/) {
  ledger_.suspended.push_back(now());
}

/// Its streams wait until this frontend knows who has the queue next.
void World::Close(std::size_t frontend, PartitionNumber partition) {
  VisitWorkers(partition, [&](WorkerNumber number) {
    const Worker& worker = workers_[number];
    const bool is_here = IsServed(number) || worker.stream == Stream::kHeld;
    if (is_here && worker.frontend == frontend) Park(number);
  });
  EndQueue(partition);
  hosts_[frontend].parked.insert(partition);
}

void World::EndQueue(PartitionNumber partition) {
  Place& place = places_[partition];
  place.is_open = false;
  place.held.clear();
  ledger_.results_waiting -= place.results.size();
  place.results.clear();
  place.queue.Drop(now());
  if (!place.closed) place.closed = now();
}

void World::Drained(std::size_t frontend) {
  time_.At(now() + kLastWords, [this, frontend] { EndProcess(frontend); });
}

void World::Saw(std::size_t frontend) {
  std::set<PartitionNumber>& parked = hosts_[frontend].parked;
  for (auto at = parked.begin(); at != parked.end();) {
    const cluster::Partition* row = frontends_.Find(frontend, *at);
    const bool is_elsewhere =
        row != nullptr && !row->owner.empty() && row->owner != frontends_.name(frontend);
    if (is_elsewhere) SendOn(frontend, *at);
    at = is_elsewhere ? parked.erase(at) : std::next(at);
  }
}

// ---- What may happen

void World::Kill(std::size_t frontend) { EndProcess(frontend); }

void World::Start(std::size_t frontend) {
  hosts_[frontend].in_service = true;
  frontends_.Start(frontend);
}

void World::SetDatabaseUp(bool up) {
  frontends_.SetDatabaseUp(up);
  if (!up) return;
  for (std::size_t i = 0; i < places_.size(); ++i) DeliverAll(static_cast<PartitionNumber>(i));
}

// ---- Questions

std::size_t World::QueuesOf(std::size_t frontend) const {
  return static_cast<std::size_t>(std::count_if(
      places_.begin(), places_.end(),
      [&](const Place& place) { return place.is_open && place.frontend == frontend; }));
}

std::size_t World::WorkersOf(std::size_t frontend) const {
  return static_cast<std::size_t>(
      std::count_if(workers_.begin(), workers_.end(),
                    [&](const Worker& worker) { return worker.frontend == frontend; }));
}

std::size_t World::UnfinishedOf(std::size_t frontend) const {
  std::size_t jobs = 0;
  for (const Place& place : places_) {
    if (place.is_open && place.frontend == frontend) jobs += place.queue.unfinished();
  }
  return jobs;
}

std::size_t World::WorkersAway() const {
  std::size_t away = 0;
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    if (!IsServed(static_cast<WorkerNumber>(i))) ++away;
  }
  return away;
}

std::string World::Complaint() const {
  if (std::string wrong = frontends_.Complaint(); !wrong.empty()) return wrong;
  std::size_t jobs = 0;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (!places_[i].queue.is_served()) return absl::StrCat("queue ", i, " is served by nobody");
    jobs += places_[i].queue.unfinished();
  }
  if (jobs != 2 * workers_.size()) {
    return absl::StrCat(jobs, " jobs are there, and ", 2 * workers_.size(), " should be");
  }
  if (const std::size_t away = WorkersAway(); away > 0) {
    return absl::StrCat(away, " workers are served by nobody");
  }
  const bool all_work = std::all_of(workers_.begin(), workers_.end(),
                                    [](const Worker& worker) { return worker.job.has_value(); });
  return all_work ? "" : "a worker has no job, though jobs wait";
}

}  // namespace twofold::scale
