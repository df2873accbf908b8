#include "cli/load/record/summary.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "cli/load/record/limits.h"
#include "lib/common/counted.h"
#include "lib/common/printable.h"
#include "lib/show/quantity.h"
#include "lib/stats/comparison.h"
#include "lib/stats/quantile.h"
#include "lib/suite/latencies.h"
#include "lib/words/one_load.h"

namespace twofold::cli {
namespace {

using show::Cell;
using show::Quantity;

constexpr int kMostErrors = 5;
constexpr double kDrainWorthAWord = 0.5;  // seconds
constexpr std::size_t kMostOfText = 200;

// ---- times

struct Row {
  const char* name;
  const v1::LoadTime& (v1::LoadResult::*time)() const;
};
constexpr std::array<Row, 6> kTimes = {{{"latency", &v1::LoadResult::from_plan},
                                        {"from send", &v1::LoadResult::from_send},
                                        {"wait", &v1::LoadResult::wait},
                                        {"run", &v1::LoadResult::run},
                                        {"overhead", &v1::LoadResult::overhead},
                                        {"late", &v1::LoadResult::late}}};

// `share`: how many jobs take no longer than that, as far as the time needs to be known.
Cell TimeCell(const v1::LoadTime& time, bool has, double seconds, double share) {
  if (!has) return "-";
  const Quantity quantity{seconds, "s"};
  const bool at_least = time.has_known() && share > time.known();
  return at_least ? Cell(">= ") + quantity : quantity;
}

std::vector<Cell> TimeCells(const char* name, const v1::LoadTime& time) {
  return {name,
          std::to_string(time.count() + time.open()),
          TimeCell(time, time.has_mean(), time.mean(), 1),
          TimeCell(time, time.has_min(), time.min(), 0),
          TimeCell(time, time.has_p50(), time.p50(), 0.5),
          TimeCell(time, time.has_p90(), time.p90(), 0.9),
          TimeCell(time, time.has_p99(), time.p99(), 0.99),
          TimeCell(time, time.has_p99_9(), time.p99_9(), 0.999),
          TimeCell(time, time.has_max(), time.max(), 1)};
}

// What says no more than the row above it is left out: in a closed loop each job is sent when it is
// due.
bool IsShown(const Row& row, const v1::LoadResult& result) {
  const v1::LoadTime& time = (result.*row.time)();
  if (time.count() + time.open() == 0) return false;
  const bool is_closed = result.late().count() == 0;
  const bool is_open_only =
      row.time == &v1::LoadResult::from_send || row.time == &v1::LoadResult::late;
  return !(is_closed && is_open_only);
}

std::string Times(const v1::LoadResult& result) {
  show::Cells rows = {{"", "N", "MEAN", "MIN", "P50", "P90", "P99", "P99.9", "MAX"}};
  for (const Row& row : kTimes) {
    if (IsShown(row, result)) rows.push_back(TimeCells(row.name, (result.*row.time)()));
  }
  return rows.size() > 1 ? show::Table(Written(rows)) : "";
}

/// "p99.9"
std::string NameOf(const v1::LoadPercentile& percentile) {
  return absl::StrCat("p", 100.0 * percentile.share());
}

/// "p99 105 ms to 130 ms"; empty: there are too few jobs.
std::string IntervalText(const v1::LoadPercentile& percentile) {
  if (!percentile.has_lower() || !percentile.has_upper()) return "";
  return absl::StrCat(NameOf(percentile), " ", TimeText(percentile.lower()), " to ",
                      TimeText(percentile.upper()));
}

/// The intervals of the latency's percentiles, and which ones have none.
std::string Percentiles(const v1::LoadTime& time) {
  std::string known;
  std::string lines;
  const std::uint64_t jobs = time.count() + time.open();
  for (const v1::LoadPercentile& percentile : time.percentiles()) {
    const std::string text = IntervalText(percentile);
    if (!text.empty()) absl::StrAppend(&known, known.empty() ? "" : ", ", text);
    const std::string too_few = stats::TooFewText(jobs, percentile.share());
    if (!too_few.empty()) absl::StrAppend(&lines, too_few, "\n");
  }
  return absl::StrCat(known.empty() ? "" : "latency (95 %): " + known + "\n", lines);
}

// ---- lines

std::string Head(const v1::LoadRecord& record) {
  std::string line = absl::StrCat(record.queue(), ": ", TimeText(record.result().seconds()));
  if (record.warm_up_seconds() > 0) {
    absl::StrAppend(&line, " after a warm-up of ", TimeText(record.warm_up_seconds()));
  }
  if (!record.warm_up_rule().empty()) absl::StrAppend(&line, " (", record.warm_up_rule(), ")");
  absl::StrAppend(&line, ", ended because of ", record.ended_because());
  if (record.drain_seconds() >= kDrainWorthAWord) {
    absl::StrAppend(&line, ", then ", TimeText(record.drain_seconds()), " for the last jobs");
  }
  return line + "\n";
}

std::string Throughput(const v1::LoadResult& result) {
  if (!result.has_throughput()) return "throughput: not known, as no job has succeeded\n";
  std::string line = absl::StrCat("throughput: ", RateText(result.throughput()));
  if (result.has_lower() && result.has_upper()) {
    absl::StrAppend(&line, " (95 %: ", Text(Quantity{result.lower()}), " to ",
                    Text(Quantity{result.upper()}), ")");
  }
  if (!result.steady()) {
    absl::StrAppend(&line, ", not steady: ", Printable(result.why_not_steady(), kMostOfText));
  }
  return line + "\n";
}

/// What the interval of the throughput does not tell; empty: there is none.
std::string NotSeen(const v1::LoadResult& result) {
  const bool has_interval = result.has_throughput() && result.has_lower() && result.has_upper();
  return has_interval ? absl::StrCat(kMeasuredInOneLoad, "\n") : "";
}

// Every job that was planned is in one of these numbers.
std::string JobsText(const v1::LoadJobs& jobs) {
  std::string text = absl::StrCat(jobs.sent(), " sent, ", jobs.succeeded(), " succeeded, ",
                                  jobs.failed(), " failed, ", jobs.rejected(), " rejected");
  const std::pair<std::uint64_t, const char*> parts[] = {{jobs.timed_out(), "timed out"},
                                                         {jobs.cancelled(), "were cancelled"},
                                                         {jobs.lost(), "were lost"},
                                                         {jobs.unanswered(), "had no answer"}};
  std::string of_these;
  for (const auto& [count, what] : parts) {
    if (count == 0) continue;
    absl::StrAppend(&of_these, of_these.empty() ? "" : ", ", count, " ", what);
  }
  if (!of_these.empty()) absl::StrAppend(&text, "; of those that failed ", of_these);
  if (const std::uint64_t left = jobs.planned() - jobs.sent(); left > 0) {
    absl::StrAppend(&text, "; ", left, " more were due and never sent");
  }
  return text;
}

std::string Counts(const v1::LoadRecord& record) {
  std::string text = "jobs: " + JobsText(record.result().jobs());
  if (const std::uint64_t refused = record.result().refused(); refused > 0) {
    absl::StrAppend(&text, "; ", refused, " answers refused jobs that were sent again");
  }
  text += "\n";
  // What went wrong in the warm-up is in no other number.
  const v1::LoadJobs& warm_up = record.warm_up();
  if (warm_up.planned() == warm_up.succeeded()) return text;
  return absl::StrCat(text, "jobs of the warm-up: ", JobsText(warm_up), "\n");
}

std::string Errors(const v1::LoadRecord& record) {
  std::string lines;
  const int shown = std::min(record.errors_size(), kMostErrors);
  for (int i = 0; i < shown; ++i) {
    const v1::LoadError& error = record.errors(i);
    absl::StrAppend(&lines, "error: ", error.count(), " x ", Printable(error.text(), kMostOfText),
                    "\n");
  }
  if (record.errors_size() > shown) {
    absl::StrAppend(&lines, "error: ", record.errors_size() - shown, " other texts\n");
  }
  return lines;
}

std::string Spoils(const v1::LoadRecord& record) {
  std::string lines;
  for (const v1::LoadSpoil& spoil : record.spoiled()) {
    absl::StrAppend(&lines, "spoiled from ", TimeText(spoil.from()), " to ", TimeText(spoil.to()),
                    ": ", Printable(spoil.reason(), kMostOfText), "\n");
  }
  return lines;
}

std::string Limits(const v1::LoadRecord& record) {
  std::string lines;
  for (const v1::LoadLimit& limit : record.limits()) {
    absl::StrAppend(&lines,
                    limit.met()         ? "kept"
                    : limit.undecided() ? "UNDECIDED"
                                        : "NOT KEPT",
                    ": ", WhyNotMet(limit), "\n");
  }
  return lines;
}

// ---- slices

const show::Columns& SliceColumns() {
  static const show::Columns columns = {
      {"", "second"},     {"", "planned"},  {"", "sent"},    {"", "succeeded"}, {"", "failed"},
      {"", "unanswered"}, {"", "rejected"}, {"", "seconds"}, {"", "parallel"},  {"", "outstanding"},
      {"", "p50"},        {"", "p90"},      {"", "p99"},     {"", "max"}};
  return columns;
}

show::Json SliceRow(double second, const v1::LoadSlice& slice) {
  show::Json row = {{"second", second},
                    {"sent", slice.sent()},
                    {"succeeded", slice.succeeded()},
                    {"failed", slice.failed()},
                    {"unanswered", slice.unanswered()},
                    {"rejected", slice.rejected()},
                    {"seconds", slice.seconds()},
                    {"outstanding", slice.outstanding()}};
  if (slice.has_planned()) row["planned"] = slice.planned();
  if (slice.has_parallel()) row["parallel"] = slice.parallel();
  const auto times = suite::FromMessage(slice.from_plan());
  if (!times.ok() || times->Count() == 0) return row;
  for (const auto& [name, share] : {std::pair{"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}}) {
    row[name] = ToSeconds(*times->Quantile(share));
  }
  row["max"] = ToSeconds(*times->Max());
  return row;
}

// ---- loads beside each other

stats::Rate RateOf(const v1::LoadResult& result) {
  if (!result.has_throughput() || !result.has_log_error()) return {};
  return {.throughput = result.throughput(),
          .log_error = result.log_error(),
          .degrees = result.degrees(),
          .seconds = result.seconds()};
}

void AddRatio(const LoadStep& first, const LoadStep& step, show::Json& row) {
  const stats::Rate base = RateOf(first.record.result());
  const stats::Rate now = RateOf(step.record.result());
  if (!stats::IsKnown(base) || !stats::IsKnown(now)) return;
  const double times = static_cast<double>(step.slots) / first.slots;
  const stats::Comparison comparison = stats::Compare(base, now, times);
  row["ratio"] = comparison.ratio;
  if (std::isfinite(comparison.upper)) {
    row["ratio_lower"] = comparison.lower;
    row["ratio_upper"] = comparison.upper;
  }
  row["efficiency"] = comparison.ratio / times;
}

// Why the step is not to be believed as it stands.
std::string NoteOf(const v1::LoadRecord& record) {
  const v1::LoadResult& result = record.result();
  const std::uint64_t failed = result.failed() + record.warm_up().failed();
  std::string note;
  if (failed > 0) note = absl::StrCat(Counted(failed, "job"), " failed");
  if (result.steady() || result.why_not_steady().empty()) return note;
  return absl::StrCat(note, note.empty() ? "" : "; ", "not steady: ", result.why_not_steady());
}

}  // namespace

std::string TimeText(double seconds) { return Text(Quantity{seconds, "s"}); }

std::string RateText(double per_second) { return Text(Quantity{per_second, "/s"}); }

std::string Summary(const v1::LoadRecord& record) {
  return absl::StrCat(Head(record), Throughput(record.result()), NotSeen(record.result()),
                      Counts(record), Errors(record), Times(record.result()),
                      Percentiles(record.result().from_plan()), Spoils(record), Limits(record));
}

std::string SlicesCsv(const v1::LoadRecord& record) {
  show::Json rows = show::Json::array();
  for (int i = 0; i < record.slices_size(); ++i) {
    rows.push_back(SliceRow(i * record.slice_seconds(), record.slices(i)));
  }
  return show::CsvHeading(SliceColumns()) + show::CsvLines(SliceColumns(), rows);
}

show::Json ScalingRows(const std::vector<LoadStep>& steps) {
  show::Json rows = show::Json::array();
  for (const LoadStep& step : steps) {
    const v1::LoadResult& result = step.record.result();
    show::Json row = {{"slots", step.slots}};
    if (result.has_throughput()) row["throughput"] = result.throughput();
    const v1::LoadTime& time = result.from_plan();
    const bool hidden = time.has_known() && time.known() < 0.99;
    if (time.has_p99() && !hidden) row["p99_seconds"] = time.p99();
    if (std::string note = NoteOf(step.record); !note.empty()) row["note"] = std::move(note);
    if (&step != &steps.front()) AddRatio(steps.front(), step, row);
    rows.push_back(std::move(row));
  }
  return rows;
}

const show::Columns& ScalingColumns() {
  static const show::Columns columns = {
      {"SLOTS", "slots"},
      {"THROUGHPUT /s", "throughput", -1, 5},
      {"RATIO", "ratio", 3},
      {"FROM", "ratio_lower", 3},
      {"TO", "ratio_upper", 3},
      {.heading = "EFFICIENCY %", .path = "efficiency", .decimals = 1, .scale = 100},
      {.heading = "P99 ms", .path = "p99_seconds", .digits = 4, .scale = 1000},
      {"NOTE", "note"}};
  return columns;
}

}  // namespace twofold::cli
