#include "suites/osu/report.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <string>
#include <utility>

#include "lib/suite/mpirun.h"
#include "lib/suite/text.h"
#include "suites/osu/table_reader.h"
#include "suites/osu/tests.h"

namespace twofold::suite::osu {
namespace {

// "-np 4" of the command, if it says so.
Dimensions DimensionsOf(const Section& section) {
  Dimensions dimensions = {{"test", section.test}};
  const auto words = Words(section.command);
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    const bool count = words[i] == "-np" || words[i] == "-n" || words[i] == "--np";
    if (!count || !ToNumber(words[i + 1])) continue;
    dimensions.emplace_back("ranks", std::string(words[i + 1]));
    break;
  }
  if (!section.accelerator.empty()) dimensions.emplace_back("accelerator", section.accelerator);
  return dimensions;
}

// The row with the best value in this column.
const std::vector<double>& Best(const Table& table, std::size_t column) {
  const bool higher = table.columns[column].column.better == Better::kHigher;
  return *std::max_element(table.rows.begin(), table.rows.end(), [&](const auto& a, const auto& b) {
    return higher ? a[column] < b[column] : a[column] > b[column];
  });
}

void AddHeadlines(const Table& table, const Dimensions& dimensions, Measurements& result) {
  for (std::size_t i = 1; i < table.columns.size(); ++i) {
    const OsuColumn& column = table.columns[i];
    if (!column.primary) continue;
    const auto& row = Best(table, i);
    Measurement best{column.column.name,   row[i], column.column.unit,
                     column.column.better, true,   dimensions};
    best.name.insert(0, best.better == Better::kHigher ? "peak_" : "min_");
    best.at = {{"size", NumberText(row[0])}};
    result.measurements.push_back(std::move(best));
  }
}

void AddSeries(const std::string& test, const Table& table, const Dimensions& dimensions,
               Measurements& result) {
  Series series{test, dimensions, {}, table.rows};
  for (const OsuColumn& column : table.columns) series.columns.push_back(column.column);
  result.series.push_back(std::move(series));
}

// Of tests without sizes: their one row.
void AddRow(const Table& table, const Dimensions& dimensions, Measurements& result) {
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const auto& [column, primary, validation] = table.columns[i];
    result.measurements.push_back(
        {column.name, table.rows[0][i], column.unit, column.better, primary, dimensions});
  }
}

void AddTable(const std::string& test, const Table& table, Dimensions dimensions,
              Measurements& result) {
  // Most tests send MPI_CHAR, and old versions do not say so.
  if (!table.datatype.empty() && table.datatype != "MPI_CHAR") {
    dimensions.emplace_back("datatype", table.datatype);
  }
  if (!table.window.empty()) dimensions.emplace_back("window", table.window);
  if (table.columns[0].column.name != "size") return AddRow(table, dimensions, result);
  AddHeadlines(table, dimensions, result);
  AddSeries(test, table, dimensions, result);
}

bool ReachesLargest(const Section& section, const Report& report, std::uint64_t largest) {
  const Test* test = FindTest(section.test);
  if (largest == 0 && test != nullptr) largest = test->largest;
  return largest > 0 && !report.tables.empty() && !report.tables.back().rows.empty() &&
         report.tables.back().rows.back()[0] * 2 > static_cast<double>(largest);
}

// osu_latency_mt leaves without MPI_Finalize, for which mpirun blames it: its table decides.
bool IsForgiven(const Section& section, const Report& report, std::uint64_t largest) {
  return section.test == "osu_latency_mt" && section.stage->exit_code == 1 &&
         ReachesLargest(section, report, largest);
}

// osu_hello of old versions prints nothing at all.
bool MayBeSilent(const Section& section) {
  return section.test == "osu_hello" &&
         (section.stage->exit_code == 0 || (!section.alone && section.wall_s));
}

Status CheckEnd(const Section& section, const Report& report, std::uint64_t largest) {
  std::string text;
  for (const std::string_view line : section.lines) absl::StrAppend(&text, std::string(line), "\n");
  const std::string reason = MpiReason(text, section.alone ? section.stage->err : "");
  const std::string end = section.alone ? BadEnd(*section.stage) : "";
  if (!end.empty() && !IsForgiven(section, report, largest)) {
    return absl::AbortedError(reason.empty() ? end : reason);
  }
  if (!reason.empty()) return absl::AbortedError(reason);
  if (!report.failure.empty()) return absl::AbortedError(report.failure);
  return absl::OkStatus();
}

Status CheckTables(const Section& section, const Report& report) {
  if (report.tables.empty() && report.single.empty() && !report.hello && !MayBeSilent(section)) {
    const bool silent = section.lines.empty();
    return absl::DataLossError(
        silent ? "no output" : "no table of an OSU test, but: " + Quoted(section.lines.back()));
  }
  for (const Table& table : report.tables) {
    if (table.rows.empty()) return absl::DataLossError("a table without rows: it was stopped");
  }
  return absl::OkStatus();
}

}  // namespace

Status ReadTest(const Section& section, std::uint64_t largest, Measurements& result) {
  Result<Report> report = ReadReport(section);
  // A reason in words says more than a table that is cut off.
  Status status = CheckEnd(section, report.ok() ? *report : Report(), largest);
  if (status.ok()) status = report.status();
  if (status.ok()) status = CheckTables(section, *report);
  if (!status.ok()) return status;
  const Dimensions dimensions = DimensionsOf(section);
  for (const Table& table : report->tables) AddTable(section.test, table, dimensions, result);
  for (Measurement& one : report->single) {
    one.dimensions = dimensions;
    result.measurements.push_back(std::move(one));
  }
  if (result.tool.empty() && !report->version.empty()) {
    result.tool = "OSU Micro-Benchmarks " + report->version;
  }
  if (section.wall_s) {
    const bool only = report->tables.empty() && report->single.empty();
    result.measurements.push_back(
        {"wall_time", *section.wall_s, "s", Better::kLower, only, dimensions});
  }
  return absl::OkStatus();
}

}  // namespace twofold::suite::osu
