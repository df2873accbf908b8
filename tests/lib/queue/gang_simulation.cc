#include "tests/lib/queue/gang_simulation.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <sstream>

namespace twofold::queue {

GangSimulation::GangSimulation(const GangScenario& scenario)
    : scenario_(scenario), random_(scenario.seed), queue_({.lease = std::chrono::hours(24)}) {
  for (std::uint64_t key = 1; key <= scenario_.workers; ++key) {
    processes_.push_back(queue_.Step(now(), input::WorkerJoined{.key = ProcessKey{key}}, *this));
  }
}

GangFigures GangSimulation::Run() {
  SmallArrives();
  time_.At(now() + scenario_.gang_every, [this] { GangArrives(); });
  while (now() < Instant(scenario_.length)) {
    Instant next = *time_.next();
    if (const auto due = queue_.NextDeadline()) next = std::min(next, *due);
    Observe(next - now());
    time_.MoveTo(next);
    queue_.Step(now(), input::Tick{}, *this);
    while (time_.RunNext(now())) {
    }
  }
  return std::move(figures_);
}

/// Of a small job: how long it runs, and when it was accepted.
std::string GangSimulation::SpecOf(Duration run) const {
  return std::to_string(run.count()) + ' ' + std::to_string(now().time_since_epoch().count());
}

/// Runs are log-uniform: mostly short ones, and a few as long as may be.
Duration GangSimulation::RandomRun() {
  const double share = std::uniform_real_distribution<double>()(random_);
  const double ratio = static_cast<double>(scenario_.longest_run.count()) /
                       static_cast<double>(scenario_.shortest_run.count());
  const double run = static_cast<double>(scenario_.shortest_run.count()) * std::pow(ratio, share);
  return Duration(static_cast<Duration::rep>(run));
}

void GangSimulation::SmallArrives() {
  static const auto kSmall = std::make_shared<const JobOptions>();
  queue_.Step(now(), input::Submit{kDetached, 0, kSmall, SpecOf(RandomRun())}, *this);
  ++figures_.small_jobs;
  const double mean =
      ToSeconds(scenario_.longest_run - scenario_.shortest_run) /
      std::log(ToSeconds(scenario_.longest_run) / ToSeconds(scenario_.shortest_run));
  // Nobody submits into a backlog of more than ten jobs a worker: the load does not grow for ever.
  const bool full = queue_.waiting() > 10 * std::uint64_t{scenario_.workers};
  const double rate = (full ? 0.5 : scenario_.load) * scenario_.workers / mean;
  const double gap = std::exponential_distribution<double>(rate)(random_);
  time_.At(now() + std::chrono::duration_cast<Duration>(std::chrono::duration<double>(gap)),
           [this] { SmallArrives(); });
}

void GangSimulation::GangArrives() {
  JobOptions options;
  options.gang = {.size = scenario_.gang_size, .timeout = scenario_.gang_timeout};
  gang_accepted_ = now();
  gathering_ = holding_ = Duration{0};
  queue_.Step(now(), input::Submit{kDetached, 0, std::make_shared<const JobOptions>(options), ""},
              *this);
  ++figures_.gangs;
  time_.At(now() + scenario_.gang_every, [this] { GangArrives(); });
}

void GangSimulation::Do(const Assign& assign) {
  Duration run = scenario_.gang_run;
  if (assign.seat == nullptr) {
    std::istringstream spec{std::string(assign.spec)};
    Duration::rep run_for = 0;
    Duration::rep accepted = 0;
    spec >> run_for >> accepted;
    run = Duration(run_for);
    figures_.longest_small_wait =
        std::max(figures_.longest_small_wait, now() - Instant(Duration(accepted)));
    ++small_running_;
    if (gang_waits_) ++figures_.small_passed;
  } else if (assign.seat->rank == 0) {
    ++figures_.gangs_started;
    const Duration passed = gathering_ - holding_;
    figures_.longest_gather = std::max(figures_.longest_gather, gathering_);
    figures_.longest_gang_wait = std::max(figures_.longest_gang_wait, now() - gang_accepted_);
    figures_.most_held_over_passed = std::max(figures_.most_held_over_passed, holding_ - passed);
  }
  // All members run equally long; rank 0 ends last.
  const bool leads = assign.seat != nullptr && assign.seat->rank == 0;
  const bool small = assign.seat == nullptr;
  time_.At(now() + run + Duration(leads ? 1 : 0),
           [this, small, process = assign.process, job = assign.job, attempt = assign.attempt] {
             if (small) --small_running_;
             queue_.Step(now(), input::Completed{process, {.job = job, .attempt = attempt}}, *this);
           });
}

/// All stays as it is for so long.
void GangSimulation::Observe(Duration passed) {
  const QueueStats stats = queue_.Stats();
  gang_waits_ = stats.gangs_waiting > 0;
  if (gang_waits_) gathering_ += passed;
  if (stats.workers_reserved > 0) holding_ += passed;
  figures_.held += passed * static_cast<Duration::rep>(stats.workers_reserved);
  if (scenario_.each_worker) ObserveEach(passed, stats);
}

void GangSimulation::ObserveEach(Duration passed, const QueueStats& stats) {
  const bool small_waits = stats.waiting > stats.gangs_waiting;
  for (const ProcessId id : processes_) {
    const Process& process = *queue_.FindProcess(id);
    const bool idle = process.busy() == 0;
    Duration& idle_for = idle_for_[id];
    idle_for = idle && small_waits ? idle_for + passed : Duration{0};
    figures_.longest_idle = std::max(figures_.longest_idle, idle_for);
  }
  figures_.samples.push_back({.at = now(),
                              .small = small_running_,
                              .gang = stats.workers_busy - small_running_,
                              .reserved = stats.workers_reserved,
                              .idle = stats.workers_idle - stats.workers_reserved,
                              .waiting = stats.waiting});
}

}  // namespace twofold::queue
