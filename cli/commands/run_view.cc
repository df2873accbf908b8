#include "cli/commands/run_view.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "cli/commands/varied_cells.h"
#include "cli/table.h"
#include "lib/spec/shown.h"

namespace twofold::cli {
namespace {

using run::Driver;
using run::HeadlineSummary;
using run::PermutationSummary;
using run::Progress;

constexpr std::size_t kBarCells = 20;

std::string Bar(const Progress& progress) {
  const std::size_t full = progress.jobs == 0 ? 0 : kBarCells * progress.ended() / progress.jobs;
  return absl::StrCat("[", std::string(full, '#'), std::string(kBarCells - full, '.'), "] ");
}

void AddCount(std::string& text, std::size_t count, const char* what) {
  if (count > 0) absl::StrAppend(&text, ", ", count, " ", what);
}

const char* WordOf(run::Phase phase) {
  constexpr std::array<const char*, 6> kWords = {"planned",   "waiting", "running",
                                                 "succeeded", "failed",  "withdrawn"};
  return kWords.at(static_cast<std::size_t>(phase));
}

const spec::Permutation& PermutationOf(const Driver& driver, std::size_t place) {
  return driver.expansion().permutations[place];
}

/// A headline that some permutation has.
using Column = std::pair<std::string, std::string>;  // name, unit

std::vector<Column> ColumnsOf(const std::vector<PermutationSummary>& summaries) {
  std::vector<Column> columns;
  for (const PermutationSummary& summary : summaries) {
    for (const HeadlineSummary& headline : summary.headlines) {
      const Column column(headline.of.name, headline.of.unit);
      if (std::find(columns.begin(), columns.end(), column) == columns.end()) {
        columns.push_back(column);
      }
    }
  }
  return columns;
}

// "1234.5 +- 0.6 %"; of one value there is no interval.
std::string MeanText(const HeadlineSummary& headline) {
  const std::string mean = absl::StrFormat("%.6g", headline.of.value);
  const double relative = headline.interval.Relative();
  return std::isfinite(relative) ? absl::StrFormat("%s +- %.2g %%", mean, relative * 100) : mean;
}

std::string CellOf(const PermutationSummary& summary, const Column& column) {
  for (const HeadlineSummary& headline : summary.headlines) {
    if (Column(headline.of.name, headline.of.unit) == column) return MeanText(headline);
  }
  return "-";
}

std::string CountsOf(const Driver& driver) {
  const Progress progress = ProgressOf(driver);
  std::string line = absl::StrCat(progress.succeeded, " of ", progress.jobs, " jobs succeeded");
  AddCount(line, progress.failed, "failed");
  AddCount(line, progress.withdrawn, "withdrawn");
  AddCount(line, progress.jobs - progress.ended(), "unfinished");
  return line + "\n";
}

Json HeadlineJson(const HeadlineSummary& headline) {
  const bool known = std::isfinite(headline.interval.half_width);
  return {{"name", headline.of.name},
          {"unit", headline.of.unit},
          {"mean", headline.of.value},
          {"half_width", known ? Json(headline.interval.half_width) : Json()},
          {"values", headline.values}};
}

Json SummaryJson(const Driver& driver, const PermutationSummary& summary) {
  const spec::Permutation& permutation = PermutationOf(driver, summary.permutation);
  Json values = Json::object();
  for (const auto& varied : permutation.values) values[varied.path] = varied.value;
  Json headlines = Json::array();
  for (const HeadlineSummary& headline : summary.headlines) {
    headlines.push_back(HeadlineJson(headline));
  }
  return {{"number", permutation.number},   {"values", values},         {"jobs", summary.jobs},
          {"succeeded", summary.succeeded}, {"failed", summary.failed}, {"headlines", headlines}};
}

Json JobResultJson(const Driver::Job& job) {
  Json json = {{"permutation", job.seen.key.permutation},
               {"repetition", job.seen.key.repetition},
               {"warm_up", job.seen.key.warm_up},
               {"id", job.seen.id == 0 ? "" : IdText(job.seen.id)},
               {"state", WordOf(job.seen.phase)}};
  if (!job.seen.reason.empty()) json["reason"] = job.seen.reason;
  return json;
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

std::string ResultsText(const spec::Sweep& sweep, const Driver& driver) {
  const auto summaries = SummariesOf(driver);
  const std::vector<Column> columns = ColumnsOf(summaries);
  const std::vector<std::string> paths = VariedPaths(driver.expansion());
  std::vector<std::vector<std::string>> rows = {{"PERMUTATION"}};
  rows[0].insert(rows[0].end(), paths.begin(), paths.end());
  rows[0].emplace_back("SUCCEEDED");
  for (const auto& [name, unit] : columns) {
    rows[0].push_back(unit.empty() ? name : absl::StrCat(name, " [", unit, "]"));
  }
  for (const PermutationSummary& summary : summaries) {
    const spec::Permutation& permutation = PermutationOf(driver, summary.permutation);
    std::vector<std::string> row = {absl::StrCat(permutation.number)};
    for (const std::string& path : paths) row.push_back(ValueAt(permutation, path));
    row.push_back(absl::StrCat(summary.succeeded, "/", summary.jobs));
    for (const Column& column : columns) row.push_back(CellOf(summary, column));
    rows.push_back(std::move(row));
  }
  return absl::StrCat(Table(rows), std::string(sweep.kind->name), ": ", CountsOf(driver));
}

Json ResultsJson(const std::string& run, const spec::Sweep& sweep, const Driver& driver) {
  Json json = {{"run", run},
               {"name", sweep.name},
               {"kind", sweep.kind->name},
               {"permutations", Json::array()},
               {"jobs", Json::array()}};
  for (const PermutationSummary& summary : SummariesOf(driver)) {
    json["permutations"].push_back(SummaryJson(driver, summary));
  }
  for (const Driver::Job& job : driver.jobs()) json["jobs"].push_back(JobResultJson(job));
  return json;
}

}  // namespace twofold::cli
