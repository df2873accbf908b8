#include "cli/runs/run_view.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cmath>

#include "cli/runs/varied_cells.h"
#include "lib/spec/shown.h"

namespace twofold::cli {
namespace {

using run::Driver;
using run::Progress;

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

std::string TimeText(Duration time) {
  const auto seconds = static_cast<std::int64_t>(std::ceil(ToSeconds(time)));
  if (seconds < 60) return absl::StrCat(seconds, " s");
  if (seconds < 3600) return absl::StrCat((seconds + 59) / 60, " min");
  return absl::StrCat(seconds / 3600, " h ", seconds % 3600 / 60, " min");
}

std::string ProgressText(const Driver& driver, const Progress& progress) {
  std::string text = absl::StrCat(progress.ended(), "/", progress.jobs, " done");
  AddCount(text, progress.running, "running");
  AddCount(text, progress.failed, "failed");
  AddCount(text, progress.withdrawn, "withdrawn");
  if (progress.left && progress.ended() < progress.jobs) {
    absl::StrAppend(&text, ", ", TimeText(*progress.left), " left");
  }
  if (!progress.current) return text;
  const auto& permutation = PermutationOf(driver, driver.jobs()[*progress.current].permutation);
  return absl::StrCat(text, ", ", permutation.number, ": ", ValuesText(permutation));
}

std::string ProgressLine(const Driver& driver, const Progress& progress, std::size_t columns) {
  constexpr std::size_t kDots = 3;  // that say that something was cut off
  return spec::Shown(Bar(progress) + ProgressText(driver, progress),
                     std::max(columns, kDots) - kDots);
}

std::string JobText(const Driver& driver, const Driver::Job& job) {
  const auto& key = job.seen.key;
  const std::string values = ValuesText(PermutationOf(driver, job.permutation));
  return absl::StrCat("permutation ", key.permutation, key.warm_up ? " warm-up " : " repetition ",
                      key.repetition, values.empty() ? "" : absl::StrCat(" (", values, ")"));
}

std::string CountsText(const spec::Sweep& sweep, const Driver& driver) {
  const Progress progress = ProgressOf(driver);
  std::string line = absl::StrCat(std::string(sweep.kind->name), ": ", progress.succeeded, " of ",
                                  progress.jobs, " jobs succeeded");
  AddCount(line, progress.failed, "failed");
  AddCount(line, progress.withdrawn, "withdrawn");
  AddCount(line, progress.jobs - progress.ended(), "unfinished");
  return line + "\n";
}

}  // namespace twofold::cli
