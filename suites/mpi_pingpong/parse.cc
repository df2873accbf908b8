#include <algorithm>
#include <optional>
#include <utility>

#include "lib/suite/mpirun.h"
#include "suites/mpi_pingpong/mpi_pingpong.h"

namespace twofold::suite::mpi_pingpong {
namespace {

// Bytes a second in a Mbps of NetPIPE 3, whose mega is 2^20.
constexpr double kMbit = 1048576.0 / 8;

// "  7:      13 bytes 124757 times -->    345.84 Mbps in       0.29 usec"
std::optional<std::vector<double>> ReadRow(const std::vector<std::string_view>& words) {
  if (words.size() != 11 || words[7] != "Mbps" || words[10] != "usec") return std::nullopt;
  const auto bytes = ToNumber(words[1]);
  const auto bandwidth = ToNumber(words[6]);
  const auto time = ToNumber(words[9]);
  if (!bytes || !bandwidth || !time) return std::nullopt;
  return std::vector<double>{*bytes, *time, *bandwidth * kMbit / 1e6};
}

// As ReadImb.
Result<std::vector<Table>> ReadNetpipe(const std::string& stage, std::string_view text) {
  Table table{"PingPong",
              {},
              {{{{"size", "B"}},
                {{"latency", "us", Better::kLower}, true},
                {{"bandwidth", "MB/s", Better::kHigher}, true}},
               {}}};
  for (const std::string_view line : Lines(text)) {
    const auto words = Words(line);
    if (words.size() < 4 || words[2] != "bytes" || !words[0].ends_with(':')) continue;
    // The largest sizes take so long that a run that was stopped ends in half a line.
    auto row = ReadRow(words);
    if (!row) return Unreadable(stage, "a row that is cut off: " + std::string(line));
    table.data.rows.push_back(*std::move(row));
  }
  if (table.data.rows.empty()) return std::vector<Table>();
  return std::vector<Table>{std::move(table)};
}

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

// A collective of no bytes does nothing, which is no latency; a message of no bytes is sent.
void AddOne(const Table& table, Measurements& result) {
  const auto& columns = table.data.columns;
  const bool sends = std::any_of(columns.begin(), columns.end(), [](const TableColumn& each) {
    return each.column.name == "bandwidth";
  });
  AddTable(table.dimensions.empty() ? "pingpong" : table.benchmark, table.data, table.dimensions,
           sends ? Empty::kCounts : Empty::kDoesNotCount, result);
}

Result<Measurements> ToMeasurements(const std::string& stage, const std::string& tool,
                                    const std::vector<Table>& tables) {
  Measurements result;
  result.tool = tool;
  for (const Table& table : tables) {
    if (table.failure.empty()) {
      AddOne(table, result);
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
    return !table.data.rows.empty() && table.data.rows.back()[0] >= largest;
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
  const std::string stage = StageName(output, "pingpong");
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
