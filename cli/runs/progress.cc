#include "cli/runs/progress.h"

#include <algorithm>
#include <vector>

namespace twofold::run {
namespace {

/// Run times that were seen.
struct Times {
  double seconds = 0;
  std::size_t jobs = 0;

  void Add(Duration time) {
    seconds += ToSeconds(time);
    ++jobs;
  }
};

// Withdrawn jobs did not run, or not to their end.
bool HasRun(const Seen& seen) {
  return seen.phase == Phase::kSucceeded || seen.phase == Phase::kFailed;
}

std::optional<Duration> TimeLeft(const Driver& driver, std::size_t running) {
  Times all;
  std::vector<Times> by_permutation(driver.expansion().permutations.size());
  for (const auto& job : driver.jobs()) {
    if (!HasRun(job.seen)) continue;
    all.Add(job.seen.run_time);
    by_permutation[job.permutation].Add(job.seen.run_time);
  }
  if (all.jobs == 0) return std::nullopt;
  double left = 0;
  for (const auto& job : driver.jobs()) {
    if (HasEnded(job.seen.phase)) continue;
    const Times& own = by_permutation[job.permutation];
    const Times& known = own.jobs > 0 ? own : all;
    const double expected = known.seconds / static_cast<double>(known.jobs);
    const bool runs = job.seen.phase == Phase::kRunning;
    left += std::max(0.0, expected - (runs ? ToSeconds(job.seen.run_time) : 0.0));
  }
  return FromSeconds(left / static_cast<double>(std::max<std::size_t>(1, running)));
}

void CountPhase(Phase phase, Progress& progress) {
  progress.running += phase == Phase::kRunning ? 1 : 0;
  progress.succeeded += phase == Phase::kSucceeded ? 1 : 0;
  progress.failed += phase == Phase::kFailed ? 1 : 0;
  progress.withdrawn += phase == Phase::kWithdrawn ? 1 : 0;
}

}  // namespace

Progress ProgressOf(const Driver& driver) {
  Progress progress;
  progress.jobs = driver.jobs().size();
  std::optional<std::size_t> waiting;
  for (std::size_t i = 0; i < driver.jobs().size(); ++i) {
    const Phase phase = driver.jobs()[i].seen.phase;
    CountPhase(phase, progress);
    if (phase == Phase::kRunning && !progress.current) progress.current = i;
    if (phase == Phase::kWaiting && !waiting) waiting = i;
  }
  if (!progress.current) progress.current = waiting;
  progress.left = TimeLeft(driver, progress.running);
  return progress;
}

}  // namespace twofold::run
