#include "bench/peers/measure.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "bench/peers/fail.h"
#include "bench/peers/process_stats.h"

namespace twofold::bench {
namespace {

using Loads = std::vector<std::unique_ptr<ClientLoad>>;

constexpr Duration kLostAfter = std::chrono::seconds(5);  ///< without any result
constexpr Duration kDrainLimit = std::chrono::seconds(30);

double ServerCpu(pid_t server) {
  const std::optional<double> seconds = CpuSeconds(server);
  if (!seconds) Fail("the server has ended");
  return *seconds;
}

double ServerBytes(pid_t server) { return ResidentBytes(server).value_or(0); }

/// Time and CPU used since it was made.
class Meter {
 public:
  explicit Meter(pid_t server) : server_(server) {}

  [[nodiscard]] double seconds() const { return ToSeconds(Now() - start_); }
  [[nodiscard]] double server() const { return ServerCpu(server_) - server_before_; }
  [[nodiscard]] double own() const { return *CpuSeconds(getpid()) - own_before_; }
  [[nodiscard]] double foreign() const {
    return std::max(0.0, MachineBusySeconds() - busy_before_ - server() - own());
  }

  void Fill(double jobs, Figures& figures) const {
    figures.jobs_per_s = jobs / seconds();
    figures.server_cpu = server() / jobs * 1e6;
    figures.generator_cpu = own() / jobs * 1e6;
    figures.foreign_cpus = foreign() / seconds();
  }

 private:
  const pid_t server_;
  const Instant start_ = Now();
  const double server_before_ = ServerCpu(server_);
  const double own_before_ = *CpuSeconds(getpid());
  const double busy_before_ = MachineBusySeconds();
};

std::uint64_t InFlight(const Loads& loads) {
  std::uint64_t jobs = 0;
  for (const auto& load : loads) jobs += load->in_flight();
  return jobs;
}

// Every job that was sent must come back. It is lost when nothing else comes back either.
void Drain(const Loads& loads, Duration longest_run) {
  const Instant end = Now() + kDrainLimit;
  std::uint64_t left = InFlight(loads);
  for (Instant progress = Now(); left > 0;) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const std::uint64_t now_left = InFlight(loads);
    if (now_left < left) progress = Now();
    left = now_left;
    if (Now() > progress + kLostAfter + longest_run) Fail(fmt::format("{} jobs are lost", left));
    if (Now() > end) Fail(fmt::format("cannot keep up: {} jobs are not back yet", left));
  }
}

void AddTimes(const Loads& loads, Figures& figures) {
  stats::Histogram times;
  std::uint64_t sends = 0, late = 0, wrong = 0, replies = 0;
  for (const auto& load : loads) {
    times.Merge(load->times());
    sends += load->sends();
    late += load->late();
    wrong += load->wrong();
    replies += load->replies();
  }
  if (wrong > 0) Fail(fmt::format("{} results are doubled, or not what was sent", wrong));
  if (times.Count() == 0) Fail("no result has come while measuring");
  const auto micros = [&](double q) { return ToSeconds(*times.Quantile(q)) * 1e6; };
  figures.p50_us = micros(0.5);
  figures.p99_us = micros(0.99);
  figures.p999_us = micros(0.999);
  if (replies > 0) {
    figures.reply_jobs = static_cast<double>(times.Count()) / static_cast<double>(replies);
  }
  if (sends > 0) figures.late_share = static_cast<double>(late) / static_cast<double>(sends);
}

std::uint64_t Measured(const Loads& loads) {
  std::uint64_t jobs = 0;
  for (const auto& load : loads) jobs += load->times().Count();
  return jobs;
}

Figures MeasureTrips(Peer& peer, const Task& task, pid_t server, const MeasureTimes& times) {
  // The peer's threads go on using them to the end of the process.
  auto& phase = *new std::atomic<Phase>(Phase::kWarmUp);
  Loads& loads = *new Loads;
  for (int i = 0; i < task.cell.connections; ++i) {
    if (task.cell.test == TestKind::kRoundTrips &&
        ShareOf(task.cell.outstanding, task.cell.connections, i) == 0) {
      break;  // more connections than jobs
    }
    loads.push_back(std::make_unique<ClientLoad>(task.cell, i, Now() + times.warm_up / 2, phase));
  }
  peer.Start(task, loads);
  std::this_thread::sleep_for(times.warm_up);
  phase = Phase::kMeasure;
  const Meter meter(server);
  std::this_thread::sleep_for(times.measured);
  phase = Phase::kDrain;
  Figures figures;
  meter.Fill(1, figures);  // per job, until it is known how many there were
  Drain(loads, FromSeconds(20 * task.cell.run_seconds));
  AddTimes(loads, figures);
  const auto jobs = static_cast<double>(Measured(loads));
  figures.jobs_per_s *= jobs;
  figures.server_cpu /= jobs;
  figures.generator_cpu /= jobs;
  return figures;
}

Figures MeasureEnqueue(Peer& peer, const Task& task, pid_t server, const MeasureTimes& times) {
  const std::string payload(static_cast<std::size_t>(task.cell.payload), 'x');
  const double before = ServerBytes(server);
  const Meter meter(server);
  peer.Enqueue(task, payload);
  Figures figures;
  meter.Fill(task.cell.count, figures);
  std::this_thread::sleep_for(times.settle);
  figures.job_bytes = (ServerBytes(server) - before) / task.cell.count;
  return figures;
}

Figures MeasureIdle(Peer& peer, const Task& task, pid_t server, const MeasureTimes& times) {
  const double before = ServerBytes(server);
  peer.Idle(task);
  std::this_thread::sleep_for(times.settle);
  Figures figures;
  figures.worker_kib = (ServerBytes(server) - before) / 1024 / task.cell.count;
  const Meter meter(server);
  std::this_thread::sleep_for(times.idle);
  figures.idle_cpu = meter.server() / meter.seconds();
  figures.foreign_cpus = meter.foreign() / meter.seconds();
  return figures;
}

}  // namespace

void Peer::Enqueue(const Task& task, const std::string&) {
  Fail(task.cell.peer + " keeps no jobs without a worker");
}

void Peer::Idle(const Task& task) { Fail(task.cell.peer + " has no idle workers to offer"); }

Figures Measure(Peer& peer, const Task& task, pid_t server, const MeasureTimes& times) {
  using Way = Figures (*)(Peer&, const Task&, pid_t, const MeasureTimes&);
  constexpr Way kWays[] = {MeasureTrips, MeasureTrips, MeasureEnqueue, MeasureIdle};  // by TestKind
  return kWays[static_cast<int>(task.cell.test)](peer, task, server, times);
}

}  // namespace twofold::bench
