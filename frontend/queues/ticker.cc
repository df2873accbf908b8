#include "frontend/queues/ticker.h"

#include <spdlog/spdlog.h>

#include <algorithm>

namespace twofold::frontend {
namespace {

std::uint64_t Finished(const queue::QueueStats& stats, queue::Outcome outcome) {
  return stats.finished[static_cast<std::size_t>(outcome)];
}

}  // namespace

Ticker::Ticker(QueueSet& queues, Alarm& alarm, Duration log_interval)
    : queues_(queues), alarm_(alarm), log_interval_(log_interval), thread_([this] { Run(); }) {}

Ticker::~Ticker() {
  alarm_.Stop();
  thread_.join();
}

void Ticker::Run() {
  Instant next_log = log_interval_ > Duration(0) ? Now() + log_interval_ : Instant::max();
  while (!alarm_.stopped()) {
    alarm_.Clear();
    const Instant now = Now();
    const Instant next_tick = TickAll(now);
    if (now >= next_log) {
      LogAll(now);
      next_log = now + log_interval_;
    }
    alarm_.Wait(std::min(next_tick, next_log));
  }
}

Instant Ticker::TickAll(Instant now) {
  Instant next = Instant::max();
  for (const auto& host : queues_.all()) {
    QueueHost::Turn turn(*host, now);
    turn.Tick();
    if (const auto deadline = turn.core().NextDeadline()) next = std::min(next, *deadline);
  }
  return next;
}

void Ticker::LogAll(Instant now) {
  for (const auto& host : queues_.all()) {
    const QueueHost::Snapshot snapshot = host->Look(now);
    if (!snapshot.served) continue;
    const queue::QueueStats& stats = snapshot.stats;
    spdlog::info(
        "queue {}: waiting {} (oldest {:.1f}s) running {} workers {} idle {} busy {} draining, "
        "succeeded {} failed {} timed_out {} lost {} abandoned {} rejected {}",
        host->name(), stats.waiting, ToSeconds(snapshot.oldest_waiting), stats.running,
        stats.workers_idle, stats.workers_busy, stats.workers_draining,
        Finished(stats, queue::Outcome::kSucceeded), Finished(stats, queue::Outcome::kFailed),
        Finished(stats, queue::Outcome::kTimedOut), Finished(stats, queue::Outcome::kLost),
        Finished(stats, queue::Outcome::kAbandoned), Finished(stats, queue::Outcome::kRejected));
  }
}

}  // namespace twofold::frontend
