#include "cli/runs/run_view.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <vector>

#include "cli/runs/benchmark.h"
#include "lib/common/counted.h"
#include "lib/common/time_left.h"
#include "lib/yaml/node.h"

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

constexpr std::size_t kBarCells = 20;

std::string Bar(const Progress& progress) {
  const std::size_t full = progress.jobs == 0 ? 0 : kBarCells * progress.ended() / progress.jobs;
  return absl::StrCat("[", std::string(full, '#'), std::string(kBarCells - full, '.'), "] ");
}

void AddCount(std::string& text, std::size_t count, const char* what) {
  if (count > 0) absl::StrAppend(&text, ", ", count, " ", what);
}

const spec::Permutation& PermutationOf(const Driver& driver, std::size_t place) {
  return driver.expansion().permutations[place];
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

std::string ProgressText(const Driver& driver, const Progress& progress) {
  std::string text = absl::StrCat(progress.ended(), "/", progress.jobs, " done");
  AddCount(text, progress.running, "running");
  AddCount(text, progress.failed, "failed");
  AddCount(text, progress.withdrawn, "withdrawn");
  if (progress.left && progress.ended() < progress.jobs) {
    absl::StrAppend(&text, ", ", TimeLeftText(*progress.left), " left");
  }
  if (!progress.current) return text;
  const auto& permutation = PermutationOf(driver, driver.jobs()[*progress.current].permutation);
  const std::string values = cli::ValuesText(permutation);
  return values.empty() ? text : absl::StrCat(text, ", ", permutation.number, ": ", values);
}

std::string ProgressLine(const Driver& driver, const Progress& progress, std::size_t columns) {
  constexpr std::size_t kDots = 3;  // that say that something was cut off
  return yaml::Shown(Bar(progress) + ProgressText(driver, progress),
                     std::max(columns, kDots) - kDots);
}

std::string JobText(const Driver& driver, const Driver::Job& job) {
  const auto& key = job.seen.key;
  const std::string values = cli::ValuesText(PermutationOf(driver, job.permutation));
  return absl::StrCat("permutation ", key.permutation, key.warm_up ? " warm-up " : " repetition ",
                      key.repetition, values.empty() ? "" : absl::StrCat(" (", values, ")"));
}

std::string ShortfallText(const Driver& driver) {
  const Progress progress = ProgressOf(driver);
  std::string counts;
  AddCount(counts, progress.failed, "failed");
  AddCount(counts, progress.withdrawn, "withdrawn");
  AddCount(counts, progress.jobs - progress.ended(), "unfinished");
  if (counts.empty()) return {};
  const auto first =
      std::find_if(driver.jobs().begin(), driver.jobs().end(),
                   [](const Driver::Job& job) { return job.seen.phase == Phase::kFailed; });
  std::string text = absl::StrCat(counts.substr(2), " of ", Counted(progress.jobs, "job"));
  if (first == driver.jobs().end()) return text;
  return absl::StrCat(text, "; the first that failed: ", JobText(driver, *first),
                      first->seen.reason.empty() ? "" : ": ", first->seen.reason);
}

std::string CountsText(const spec::Sweep& sweep, const Driver& driver) {
  const Progress progress = ProgressOf(driver);
  std::string line = absl::StrCat(std::string(sweep.kind->name), ": ", progress.succeeded, " of ",
                                  Counted(progress.jobs, "job"), " succeeded");
  AddCount(line, progress.failed, "failed");
  AddCount(line, progress.withdrawn, "withdrawn");
  AddCount(line, progress.jobs - progress.ended(), "unfinished");
  return line + "\n";
}

}  // namespace twofold::run
