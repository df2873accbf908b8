#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/suite/document.h"
#include "lib/suite/mpirun.h"
#include "suites/mpi_pingpong/mpi_pingpong.h"

namespace twofold::suite::mpi_pingpong {
namespace {

constexpr double kBitsInAByte = 8;
constexpr double kMegaOfImb = 1e6;  // since 2018
constexpr double kMegaOfNetpipe3 = 1048576;

bool IsNetpipeRow(const std::vector<std::string_view>& words) {
  return words.size() >= 4 && words[2] == "bytes" && words[0].ends_with(':');
}

// Whether a line is the row that is due, or the beginning of it: "28:     189 by", "2". NetPIPE
// also says the host of each rank: "1: worker-1".
bool IsDue(const std::vector<std::string_view>& words, const std::string& due) {
  if (words.size() == 1) return due.starts_with(words[0]);
  return words.size() > 1 && words[0] == due && ToNumber(words[1]);
}

// NetPIPE writes a row in two pieces, and `mpirun --tag-output` a "[1,0]<stderr>:" before each.
std::vector<std::string_view> WithoutTags(std::vector<std::string_view> words) {
  std::erase_if(words, [](std::string_view word) {
    return word.starts_with('[') && word.ends_with(">:") && word.find("]<std") != word.npos;
  });
  return words;
}

// "  7:      13 bytes 124757 times -->    345.84 Mbps in       0.29 usec"
std::optional<std::vector<double>> ReadRow(const std::vector<std::string_view>& words) {
  if (words.size() != 11 || words[7] != "Mbps" || words[10] != "usec") return std::nullopt;
  const auto bytes = ToNumber(words[1]);
  const auto bandwidth = ToCell(words[6]);
  const auto time = ToCell(words[9]);
  if (!bytes || !bandwidth || !time) return std::nullopt;
  return std::vector<double>{*bytes, *time, *bandwidth / kBitsInAByte};
}

// As ReadImb. Lines between rows are of MPI and others.
Result<Tables> ReadNetpipe(const std::string& stage, std::string_view text) {
  Tables tables;
  Skipped skipped;
  Table table{"PingPong",
              {},
              {{{{"size", "B"}},
                {{"latency", "us", Better::kLower}, true},
                {{"bandwidth", "MB/s", Better::kHigher}, true}},
               {}}};
  for (const std::string_view line : Lines(text)) {
    const auto words = WithoutTags(Words(line));
    const std::string due = absl::StrCat(table.data.rows.size(), ":");
    if (!IsNetpipeRow(words) && !IsDue(words, due)) {
      if (!table.data.rows.empty() && !words.empty()) skipped.Add(line);
      continue;
    }
    // The largest sizes take so long that a run that was stopped ends in half a line.
    auto row = ReadRow(words);
    if (!row) return Unreadable(stage, "a row that is cut off: " + std::string(Strip(line)));
    if (words[0] != due) {
      return Unreadable(stage, absl::StrCat("its row ", due, " is missing, before ", Quoted(line)));
    }
    table.data.rows.push_back(*std::move(row));
  }
  if (table.data.rows.empty()) return tables;
  if (SettleUnit(kMegaOfNetpipe3, table) == 2) table.dimensions = {{"direction", "both"}};
  tables.all.push_back(std::move(table));
  skipped.SayIn(tables.notes);
  return tables;
}

// "Intel MPI Benchmarks 4.0 Update 1".
std::string ImbVersion(std::string_view text) {
  std::string_view title;
  for (const std::string_view line : Lines(text)) {
    if (IsImbTitle(line)) title = line;
  }
  title = title.substr(0, title.rfind(','));
  const std::size_t digit = title.find_first_of("0123456789");
  if (digit == std::string_view::npos) return "Intel MPI Benchmarks";
  return "Intel MPI Benchmarks " + std::string(title.substr(digit));
}

// Of any table: size, repetitions, and what was measured.
bool IsImbRow(const std::vector<std::string_view>& words) {
  constexpr std::size_t kLeastColumns = 3;
  return words.size() >= kLeastColumns &&
         std::all_of(words.begin(), words.end(),
                     [](std::string_view word) { return ToCell(word).has_value(); });
}

struct Reading {
  std::string tool;
  Tables tables;
};

// NetPIPE writes its table to stderr.
Result<Reading> ReadEither(const std::string& stage, const StageOutput& output) {
  Result<Tables> tables = ReadImb(stage, output.out);
  if (!tables.ok()) return tables.status();
  for (Table& table : tables->all) SettleUnit(kMegaOfImb, table);
  if (!tables->all.empty()) return Reading{ImbVersion(output.out), *std::move(tables)};
  for (const std::string* text : {&output.out, &output.err}) {
    tables = ReadNetpipe(stage, *text);
    if (!tables.ok()) return tables.status();
    if (!tables->all.empty()) break;
  }
  return Reading{"NetPIPE", *std::move(tables)};
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

Result<Measurements> ToMeasurements(const std::string& stage, const Reading& reading) {
  Measurements result;
  result.tool = reading.tool;
  result.notes = reading.tables.notes;
  for (const Table& table : reading.tables.all) {
    for (const std::string& reason : table.bad_rows) {
      result.failures.push_back({table.benchmark, reason});
    }
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

// Of the sizes that IMB goes through, 0 and the powers of two, the first that has no row.
std::optional<double> MissingSize(const Table& table, std::uint32_t maxlog) {
  std::vector<double> sizes = {0};
  for (std::uint32_t i = 0; i <= maxlog; ++i) {
    sizes.push_back(static_cast<double>(std::uint64_t{1} << i));
  }
  for (const double size : sizes) {
    const bool has = std::any_of(table.data.rows.begin(), table.data.rows.end(),
                                 [&](const std::vector<double>& row) { return row[0] == size; });
    if (!has) return size;
  }
  return std::nullopt;
}

// Whether it is what the spec asked for, up to its largest size: a run that was stopped has whole
// rows, too. Tables that say a failure say why they are short.
Status CheckAsked(const std::string& stage, const std::string& json, const Reading& reading) {
  if (json.empty()) return absl::OkStatus();
  const auto spec = ReadSpec(json);
  if (!spec.ok()) return spec.status();
  const bool is_netpipe = reading.tool == "NetPIPE";
  if (is_netpipe != (spec->tool() == "netpipe")) {
    return Unreadable(stage, "output of " + reading.tool + ", not of " + spec->tool());
  }
  const auto largest = static_cast<double>(std::uint64_t{1} << spec->maxlog());
  for (const Table& table : reading.tables.all) {
    if (!table.failure.empty() || !table.bad_rows.empty()) continue;
    if (table.data.rows.empty()) return Unreadable(stage, "a table without rows");
    const double last = table.data.rows.back()[0];
    // NetPIPE stops at the last of its own steps below the size, of which it has two in a doubling.
    if (last < (is_netpipe ? largest / 2 : largest)) {
      return Unreadable(stage, "the table ends before size " + NumberText(largest));
    }
    const auto missing = is_netpipe ? std::nullopt : MissingSize(table, spec->maxlog());
    if (missing) return Unreadable(stage, "no row of size " + NumberText(*missing));
  }
  return absl::OkStatus();
}

// Where nobody knows up to which size it was to go, whole rows may be the first of more.
void NoteEnd(const Reading& reading, Measurements& result) {
  const double last = reading.tables.all[0].data.rows.back()[0];
  result.notes.push_back(
      absl::StrCat("NetPIPE says no end: its table may be cut off after size ", NumberText(last)));
}

}  // namespace

std::vector<std::size_t> Runs(std::string_view text) {
  return RunsBy(SignsOfLines(text, [](std::string_view line) {
    const auto words = Words(line);
    if (IsImbTitle(line)) return Sign::kBegins;
    if (IsNetpipeRow(words)) return words[0] == "0:" ? Sign::kBegins : Sign::kResult;
    if (line.starts_with(kImbEnds)) return Sign::kEnds;
    const bool is_of_table = IsImbRow(words) || line.starts_with("# Benchmarking ");
    return is_of_table ? Sign::kResult : Sign::kNone;
  }));
}

Result<Measurements> Parse(const Outputs& outputs) {
  if (outputs.stages.empty()) return Unreadable("pingpong", "no output");
  const StageOutput& output = outputs.stages.front();
  const std::string stage = StageName(output, "pingpong");
  if (outputs.stages.size() > 1) {
    return Unreadable(stage, absl::StrCat("outputs of ", outputs.stages.size(), " runs, not of 1"));
  }
  const auto reading = ReadEither(stage, output);
  // Whatever rows there are: mpirun says so when it or one of the processes has failed.
  if (std::string reason = MpiReason(output.out, output.err); !reason.empty()) {
    return ToolFailed(stage, reason);
  }
  if (const std::string end = BadEnd(output); !end.empty()) return ToolFailed(stage, end);
  if (!reading.ok()) return reading.status();
  if (reading->tables.all.empty()) return Unreadable(stage, "no table of IMB or NetPIPE in it");
  if (Status status = CheckAsked(stage, outputs.spec, *reading); !status.ok()) return status;
  auto result = ToMeasurements(stage, *reading);
  if (result.ok() && outputs.spec.empty() && reading->tool == "NetPIPE") NoteEnd(*reading, *result);
  return result;
}

}  // namespace twofold::suite::mpi_pingpong
