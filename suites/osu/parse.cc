#include <absl/strings/str_cat.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

#include "lib/suite/mpirun.h"
#include "suites/osu/osu.h"

namespace twofold::suite::osu {
namespace {

// The end of "MIN:MAX" or "MAX" of a spec that was checked; 0: the tests' own.
Result<std::uint64_t> Largest(const std::string& json) {
  if (json.empty()) return 0;
  const auto spec = ReadSpec(json);
  if (!spec.ok()) return spec.status();
  const std::string& sizes = spec->sizes();
  const std::string_view most = std::string_view(sizes).substr(sizes.find(':') + 1);
  std::uint64_t bytes = 0;
  std::from_chars(most.data(), most.data() + most.size(), bytes);
  return bytes;
}

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

const std::string* ValueOf(const Dimensions& dimensions, std::string_view name) {
  const auto found = std::find_if(dimensions.begin(), dimensions.end(),
                                  [&](const Dimension& each) { return each.first == name; });
  return found == dimensions.end() ? nullptr : &found->second;
}

// Adds what the header says. Pairs of all ranks are said by `ranks` already, by which people scale.
void AddFacts(const Dimensions& facts, Dimensions& dimensions) {
  const std::string* ranks = ValueOf(dimensions, "ranks");
  const double of_pairs = ranks == nullptr ? 0 : ToNumber(*ranks).value_or(0) / 2;
  for (const Dimension& fact : facts) {
    const bool is_known = fact.first == "pairs" && ToNumber(fact.second) == of_pairs;
    if (!is_known) dimensions.push_back(fact);
  }
}

void AddOne(const std::string& test, const Table& table, Dimensions dimensions,
            Measurements& result) {
  // Most tests send MPI_CHAR, and old versions do not say so.
  if (!table.datatype.empty() && table.datatype != "MPI_CHAR") {
    dimensions.emplace_back("datatype", table.datatype);
  }
  if (!table.window.empty()) dimensions.emplace_back("window", table.window);
  AddTable(test, table.data, dimensions, Empty::kCounts, result);
}

bool ReachesLargest(const Section& section, const Report& report, std::uint64_t largest) {
  const Test* test = FindTest(section.test);
  if (largest == 0 && test != nullptr) largest = test->largest;
  return largest > 0 && !report.tables.empty() && !report.tables.back().data.rows.empty() &&
         report.tables.back().data.rows.back()[0] * 2 > static_cast<double>(largest);
}

// osu_latency_mt leaves without MPI_Finalize and with 1, for which mpirun blames it: its table
// decides. `reason`: what is said of its end.
bool IsForgiven(const Section& section, const Report& report, std::uint64_t largest,
                const std::string& reason) {
  const bool of_exit_code = reason.empty() || reason.find("non-zero exit code") != reason.npos;
  return section.test == "osu_latency_mt" && section.stage->signal == 0 &&
         section.stage->exit_code.value_or(1) == 1 && of_exit_code &&
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
  if (!IsForgiven(section, report, largest, reason)) {
    if (!reason.empty()) return absl::AbortedError(reason);
    if (!end.empty()) return absl::AbortedError(end);
  }
  if (!report.failure.empty()) return absl::AbortedError(report.failure);
  return absl::OkStatus();
}

// A test says so if its memory limit keeps it from larger messages.
bool IsLimited(const Section& section) {
  return std::any_of(section.lines.begin(), section.lines.end(), [](std::string_view line) {
    return line.find("Limiting max message size") != std::string_view::npos;
  });
}

Status CheckLargest(const Section& section, const Table& table, std::uint64_t largest) {
  if (largest == 0 || table.data.columns[0].column.name != "size" || IsLimited(section)) {
    return absl::OkStatus();
  }
  const double last = table.data.rows.back()[0];
  if (last * 2 > static_cast<double>(largest)) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat("its table ends at ", NumberText(last), " B, not at the ",
                                          largest, " B that were asked for: it was stopped"));
}

// Without a spec nobody knows up to which size the test was to go; on its own it goes on to this.
void NoteEarlyEnd(const Section& section, const Table& table, Measurements& result) {
  const Test* test = FindTest(section.test);
  const auto& rows = table.data.rows;
  if (test == nullptr || table.data.columns[0].column.name != "size" || IsLimited(section)) return;
  if (rows.back()[0] * 2 > static_cast<double>(test->largest)) return;
  result.notes.push_back(absl::StrCat(section.test, ": its table ends at ",
                                      NumberText(rows.back()[0]), " B, where the test by itself ",
                                      "goes to ", test->largest,
                                      " B: it was asked for less, or it is cut off"));
}

Status CheckTables(const Section& section, const Report& report, std::uint64_t largest) {
  if (report.tables.empty() && report.single.empty() && !report.hello && !MayBeSilent(section)) {
    const bool silent = section.lines.empty();
    return absl::DataLossError(
        silent ? "no output" : "no table of an OSU test, but: " + Quoted(section.lines.back()));
  }
  for (const Table& table : report.tables) {
    if (table.data.rows.empty()) return absl::DataLossError("a table without rows: it was stopped");
    if (Status status = CheckLargest(section, table, largest); !status.ok()) return status;
  }
  return absl::OkStatus();
}

// By itself a test begins with one of its items.
void NoteLateBeginning(const Section& section, const Table& table, Measurements& result) {
  constexpr std::pair<std::string_view, double> kItems[] = {
      {"MPI_CHAR", 1}, {"MPI_INT", 4}, {"MPI_FLOAT", 4}};
  const double first = table.data.rows.front()[0];
  for (const auto& [datatype, bytes] : kItems) {
    if (table.datatype != datatype || table.data.columns[0].column.name != "size") continue;
    if (first <= bytes) continue;
    result.notes.push_back(absl::StrCat(section.test, ": its table begins at ", NumberText(first),
                                        " B, where the test by itself begins at ", bytes,
                                        " B: it was asked for less, or lines are lost"));
  }
}

// Adds the numbers of one test; nothing if it is an error. `largest` is the message size up to
// which the spec lets it go, in bytes; 0: not known.
Status ReadTest(const Section& section, std::uint64_t largest, Measurements& result) {
  Result<Report> report = ReadReport(section);
  // A reason in words says more than a table that is cut off.
  Status status = CheckEnd(section, report.ok() ? *report : Report(), largest);
  if (status.ok()) status = report.status();
  if (status.ok()) status = CheckTables(section, *report, largest);
  if (!status.ok()) return status;
  report->skipped.SayIn(result.notes);
  Dimensions dimensions = DimensionsOf(section);
  AddFacts(report->facts, dimensions);
  for (const Table& table : report->tables) {
    if (largest == 0) NoteLateBeginning(section, table, result);
    if (largest == 0) NoteEarlyEnd(section, table, result);
    AddOne(section.test, table, dimensions, result);
  }
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

void ReadStage(const StageOutput& stage, std::uint64_t largest, Measurements& result) {
  for (const Section& section : ReadSections(stage)) {
    const Status status = ReadTest(section, largest, result);
    if (status.ok()) continue;
    const std::string name = section.test.empty() ? stage.stage : section.test;
    result.failures.push_back({name.empty() ? "osu" : name, std::string(status.message())});
  }
  if (IsCutOff(stage.out)) {
    result.failures.push_back({"log", "it ends before METRICS OPERATOR COLLECTION END"});
  }
}

}  // namespace

Result<Measurements> Parse(const Outputs& outputs) {
  const auto largest = Largest(outputs.spec);
  if (!largest.ok()) return largest.status();
  Measurements result;
  for (const StageOutput& stage : outputs.stages) ReadStage(stage, *largest, result);
  if (!result.measurements.empty()) return result;
  if (result.failures.empty())
    return Unreadable("osu", "nothing to measure: no output, or osu_hello without its wall time");
  return ToolFailed(result.failures.front().stage, result.failures.front().reason);
}

}  // namespace twofold::suite::osu
