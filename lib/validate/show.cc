#include "lib/validate/show.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "lib/show/table.h"
#include "lib/stats/comparison.h"

namespace twofold::validate {
namespace {

using Maybe = std::optional<double>;

std::string ThreeDecimals(const Maybe& number) {
  return number ? absl::StrFormat("%.3f", *number) : "-";
}

/// A number of each step.
std::vector<Maybe> Column(const std::vector<JudgedStep>& steps, Maybe JudgedStep::*number) {
  std::vector<Maybe> numbers;
  for (const JudgedStep& step : steps) numbers.push_back(step.*number);
  return numbers;
}

/// The cells of a line.
struct Row {
  std::string workers, throughput, ratio, interval, verdict, wait, run, overhead, cores;
};

/// But for the cells that RowsOf fills.
Row RowOf(const JudgedStep& step) {
  Row row;
  row.workers = absl::StrCat(step.workers);
  row.throughput = ThreeDecimals(step.throughput);
  row.ratio = ThreeDecimals(step.ratio);
  row.interval =
      step.lower ? absl::StrCat(ThreeDecimals(step.lower), " .. ", ThreeDecimals(step.upper)) : "-";
  row.verdict = WordOf(step.verdict, step.failures);
  return row;
}

std::vector<Row> RowsOf(const std::vector<JudgedStep>& steps) {
  constexpr int kTimeDigits = 3;
  constexpr std::pair<Maybe JudgedStep::*, std::string Row::*> kAlike[] = {
      {&JudgedStep::wait, &Row::wait},
      {&JudgedStep::run, &Row::run},
      {&JudgedStep::overhead, &Row::overhead},
      {&JudgedStep::cpu, &Row::cores}};
  std::vector<Row> rows;
  for (const JudgedStep& step : steps) rows.push_back(RowOf(step));
  for (const auto& [number, cell] : kAlike) {
    const std::vector<std::string> cells = show::Alike(Column(steps, number), kTimeDigits);
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i].*cell = cells[i];
  }
  return rows;
}

bool HasAny(const std::vector<JudgedStep>& steps, Maybe JudgedStep::*number) {
  return std::any_of(steps.begin(), steps.end(),
                     [&](const JudgedStep& step) { return (step.*number).has_value(); });
}

}  // namespace

std::string Rounded(double number) { return absl::StrFormat("%.4g", number); }

std::string Interval(double lower, double upper) {
  return absl::StrCat(Rounded(lower), "..", Rounded(upper));
}

std::string IntervalSoFar(const Answer& look) {
  for (const auto& [whose, prefix] : {std::pair{"", "ratio"}, std::pair{"these pods: ", "these"}}) {
    const auto lower = look.Number(absl::StrCat(prefix, "_lower"));
    const auto upper = look.Number(absl::StrCat(prefix, "_upper"));
    if (lower && upper && !stats::SaysNothing(*lower, *upper)) {
      return absl::StrCat(whose, Interval(*lower, *upper));
    }
  }
  return "too early for an interval";
}

std::string Expected(const Answer& look) {
  const auto seconds = look.Number("expected_seconds");
  if (!seconds) return {};
  constexpr double kMinute = 60;
  const std::string when = *seconds < 2 * kMinute
                               ? absl::StrFormat("%.0f s", std::ceil(*seconds))
                               : absl::StrFormat("%.0f min", std::ceil(*seconds / kMinute));
  const auto lower = look.Number("expected_lower");
  const auto upper = look.Number("expected_upper");
  return absl::StrCat(", expected in ", when,
                      lower && upper ? ": " + Interval(*lower, *upper) : "");
}

std::string Table(const std::vector<JudgedStep>& steps) {
  const bool has_times = HasAny(steps, &JudgedStep::wait);
  const bool has_cores = HasAny(steps, &JudgedStep::cpu);
  std::string table;
  const auto add = [&](const Row& row) {
    std::string line = absl::StrFormat("%8s %14s %8s   %-20s %-9s", row.workers, row.throughput,
                                       row.ratio, row.interval, row.verdict);
    if (has_times) {
      absl::StrAppend(&line, absl::StrFormat(" %8s %8s %8s", row.wait, row.run, row.overhead));
    }
    if (has_cores) absl::StrAppend(&line, absl::StrFormat(" %7s", row.cores));
    absl::StripTrailingAsciiWhitespace(&line);
    absl::StrAppend(&table, line, "\n");
  };
  add({"workers", "throughput", "ratio", "interval", "verdict", "wait s", "run s", "over. s",
       "cores"});
  for (const Row& row : RowsOf(steps)) add(row);
  return table;
}

std::string Summary(int fails, int undecided) {
  std::string summary;
  if (fails > 0) absl::StrAppend(&summary, fails, fails == 1 ? " FAIL" : " FAILs");
  if (undecided > 0) {
    absl::StrAppend(&summary, summary.empty() ? "" : ", ", undecided, " undecided");
  }
  return summary;
}

}  // namespace twofold::validate
