#include <algorithm>
#include <utility>

#include "lib/suite/mpirun.h"
#include "lib/suite/text.h"
#include "suites/mpi_pingpong/mpi_pingpong.h"

namespace twofold::suite::mpi_pingpong {
namespace {

constexpr std::string_view kImbTitle = "Intel(R) MPI Benchmarks ";

std::string ToolOf(std::string_view text) {
  for (const std::string_view line : Lines(text)) {
    const std::size_t found = line.find(kImbTitle);
    if (found == std::string_view::npos) continue;
    const std::string_view version = line.substr(found + kImbTitle.size());
    return "Intel MPI Benchmarks " + std::string(version.substr(0, version.find(',')));
  }
  return "NetPIPE";
}

// NetPIPE writes its table to stderr.
Result<std::vector<Table>> ReadEither(const std::string& stage, const StageOutput& output) {
  Result<std::vector<Table>> tables = ReadImb(stage, output.out);
  for (const std::string* text : {&output.out, &output.err}) {
    if (tables.ok() && tables->empty()) tables = ReadNetpipe(stage, *text);
  }
  return tables;
}

bool HasSizes(const Table& table) { return table.columns[0].column.name == "size"; }

bool HasBandwidth(const Table& table) {
  return std::any_of(table.columns.begin(), table.columns.end(),
                     [](const TableColumn& each) { return each.column.name == "bandwidth"; });
}

/// The row with the best value in a column; null: there is none that counts. A collective of no
/// bytes does nothing, which is no latency; a message of no bytes is sent.
const std::vector<double>* Best(const Table& table, std::size_t column) {
  const bool higher = table.columns[column].column.better == Better::kHigher;
  const bool counts_empty = HasBandwidth(table);
  const std::vector<double>* best = nullptr;
  for (const auto& row : table.rows) {
    if (row[0] == 0 && !counts_empty) continue;
    const bool is_better =
        best == nullptr || (higher ? row[column] > (*best)[column] : row[column] < (*best)[column]);
    if (is_better) best = &row;
  }
  return best;
}

void AddHeadlines(const Table& table, Measurements& result) {
  // Bandwidth first: it is what most people ask for, and what decides when a sweep is steady.
  for (const Better better : {Better::kHigher, Better::kLower}) {
    for (std::size_t i = 1; i < table.columns.size(); ++i) {
      const auto& [column, primary] = table.columns[i];
      if (!primary || column.better != better) continue;
      const std::vector<double>* best = Best(table, i);
      if (best == nullptr) continue;
      result.measurements.push_back({(better == Better::kHigher ? "peak_" : "min_") + column.name,
                                     (*best)[i],
                                     column.unit,
                                     better,
                                     true,
                                     table.dimensions,
                                     {{"size", NumberText((*best)[0])}}});
    }
  }
}

// Of benchmarks without sizes: their one row.
void AddRow(const Table& table, Measurements& result) {
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const auto& [column, primary] = table.columns[i];
    result.measurements.push_back(
        {column.name, table.rows[0][i], column.unit, column.better, primary, table.dimensions});
  }
}

void AddTable(const Table& table, Measurements& result) {
  if (!HasSizes(table)) return AddRow(table, result);
  AddHeadlines(table, result);
  const bool is_pingpong = table.dimensions.empty();
  Series series{is_pingpong ? "pingpong" : table.benchmark, table.dimensions, {}, table.rows};
  for (const TableColumn& each : table.columns) series.columns.push_back(each.column);
  result.series.push_back(std::move(series));
}

Result<Measurements> ToMeasurements(const std::string& stage, const std::string& tool,
                                    const std::vector<Table>& tables) {
  Measurements result;
  result.tool = tool;
  for (const Table& table : tables) {
    if (table.failure.empty()) {
      AddTable(table, result);
    } else {
      result.failures.push_back({table.benchmark, table.failure});
    }
  }
  if (result.measurements.empty() && !result.failures.empty()) {
    return ToolFailed(stage, result.failures.front().reason);
  }
  if (result.measurements.empty()) return Unreadable(stage, "a table without a message in it");
  return result;
}

// The spec's largest size must have been reached: a run that was stopped has whole rows, too.
Status CheckReached(const std::string& stage, const std::string& json,
                    const std::vector<Table>& tables) {
  if (json.empty()) return absl::OkStatus();
  const auto spec = ReadSpec(json);
  if (!spec.ok()) return spec.status();
  const auto largest = static_cast<double>(std::uint64_t{1} << spec->maxlog());
  const auto reaches = [&](const Table& table) {
    return !table.rows.empty() && table.rows.back()[0] >= largest;
  };
  // NetPIPE stops at the last of its own steps below the size.
  if (spec->tool() == "netpipe" || std::all_of(tables.begin(), tables.end(), reaches)) {
    return absl::OkStatus();
  }
  return Unreadable(stage, "the table ends before size " + NumberText(largest));
}

}  // namespace

Result<Measurements> Parse(const Outputs& outputs) {
  if (outputs.stages.empty()) return Unreadable("pingpong", "no output");
  const StageOutput& output = outputs.stages.front();
  const std::string stage = output.stage.empty() ? "pingpong" : output.stage;
  const auto tables = ReadEither(stage, output);
  const std::string reason = MpiReason(output.out, output.err);
  if (const std::string end = BadEnd(output); !end.empty()) {
    return ToolFailed(stage, reason.empty() ? end : reason);
  }
  if (!tables.ok()) return tables.status();
  if (tables->empty()) {
    if (!reason.empty()) return ToolFailed(stage, reason);
    return Unreadable(stage, "no table of IMB or NetPIPE in it");
  }
  if (Status status = CheckReached(stage, outputs.spec, *tables); !status.ok()) return status;
  return ToMeasurements(stage, ToolOf(output.out), *tables);
}

}  // namespace twofold::suite::mpi_pingpong
