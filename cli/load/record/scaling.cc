#include "cli/load/record/scaling.h"

#include <absl/strings/str_cat.h>

#include <string>
#include <utility>

#include "lib/stats/comparison.h"

namespace twofold::cli {
namespace {

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
  row["ratio_lower"] = comparison.lower;
  row["ratio_upper"] = comparison.upper;
  row["efficiency"] = comparison.ratio / times;
}

// Why the step is not to be believed as it stands.
std::string NoteOf(const v1::LoadRecord& record) {
  const v1::LoadResult& result = record.result();
  const std::uint64_t failed = result.failed() + record.warm_up().failed();
  std::string note;
  if (failed > 0) note = absl::StrCat(failed, failed == 1 ? " job failed" : " jobs failed");
  if (result.steady() || result.why_not_steady().empty()) return note;
  return absl::StrCat(note, note.empty() ? "" : "; ", "not steady: ", result.why_not_steady());
}

}  // namespace

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
