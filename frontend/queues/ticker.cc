#include "frontend/queues/ticker.h"

#include <spdlog/spdlog.h>

#include <algorithm>

namespace twofold::frontend {
namespace {

// Idle workers are looked at so often while their lease lasts.
constexpr int kLooksALease = 20;

// Waking so late, the program has been stopped, or starved: it has not read what callers said.
constexpr Duration kLate = std::chrono::milliseconds(250);
constexpr Duration kListen = std::chrono::seconds(1);

std::uint64_t Finished(const queue::QueueStats& stats, queue::Outcome outcome) {
  return stats.finished[static_cast<std::size_t>(outcome)];
}

}  // namespace

Ticker::Ticker(QueueSet& queues, Alarm& alarm, const Periods& periods)
    : queues_(queues), alarm_(alarm), periods_(periods), thread_([this] { Run(); }) {}

Ticker::~Ticker() {
  alarm_.Stop();
  thread_.join();
}

void Ticker::Run() {
  const auto first = [](Duration period) {
    return period > Duration(0) ? Now() + period : Instant::max();
  };
  const Duration look_period = periods_.idle_lease / kLooksALease;
  Instant next_log = first(periods_.log);
  Instant next_look = first(look_period);
  while (!alarm_.stopped()) {
    alarm_.Clear();
    const Instant now = Now();
    const Instant next_tick = TickAll(now);
    if (now >= next_look) {
      DropSilent();
      next_look = now + look_period;
    }
    if (now >= next_log) {
      LogAll(now);
      next_log = now + periods_.log;
    }
    const Instant due = alarm_.Wait(std::min({next_tick, next_look, next_log}));
    if (Now() - due > kLate) alarm_.Sleep(Now() + kListen);
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

void Ticker::DropSilent() {
  for (const auto& host : queues_.all()) {
    std::size_t from = 0;
    do {
      from = QueueHost::Turn(*host, Now()).DropSilent(periods_.idle_lease, from);
    } while (from != 0);
  }
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
