#include <absl/strings/str_cat.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "suites/osu/osu.h"

namespace twofold::suite::osu {
namespace {

using enum Better;

// Columns of OSU tables by what their headings say: positions differ between tests, options and
// versions.
constexpr const char* kValidation = "validation";

constexpr Heading kHeadings[] = {
    {"Size", "size", "B", kNone, false},
    {"Avg Latency(us)", "latency", "us", kLower, true},
    {"Latency (us)", "latency", "us", kLower, true},
    {"Latency(us)", "latency", "us", kLower, true},
    {"Min Latency(us)", "latency_min", "us", kLower, false},
    {"Max Latency(us)", "latency_max", "us", kLower, false},
    {"Iterations", "iterations", "", kNone, false},
    {"Bandwidth (MB/s)", "bandwidth", "MB/s", kHigher, true},
    {"Bandwidth(MB/s)", "bandwidth", "MB/s", kHigher, true},
    {"MB/s", "bandwidth", "MB/s", kHigher, true},
    {"Messages/s", "message_rate", "1/s", kHigher, true},
    {"Overall(us)", "overall", "us", kLower, true},
    {"Compute(us)", "compute", "us", kNone, false},
    {"Coll. Init(us)", "init", "us", kLower, false},
    {"MPI_Test(us)", "test", "us", kLower, false},
    {"MPI_Wait(us)", "wait", "us", kLower, false},
    {"Pure Comm.(us)", "communication", "us", kLower, false},
    {"Min Comm.(us)", "communication_min", "us", kLower, false},
    {"Max Comm.(us)", "communication_max", "us", kLower, false},
    {"Overlap(%)", "overlap", "%", kHigher, false},
    {"Transmit Size", "transmitted", "B", kNone, false},  // of derived datatypes
    {"Validation", kValidation, "", kNone, false},        // Pass or Fail
};

// ---- What the header says of the run

// A line of the header that tells apart tests which have the same name otherwise.
struct Fact {
  std::string_view start;
  const char* dimension;
};
constexpr Fact kFacts[] = {{"Window creation: ", "window_creation"},
                           {"Synchronization: ", "synchronization"},
                           {"Number of Sender threads: ", "sender_threads"},
                           {"Number of Receiver threads: ", "receiver_threads"},
                           {"Number of forked processes in sender: ", "sender_processes"},
                           {"Number of forked processes in receiver: ", "receiver_processes"},
                           {"Dimensions size = ", "graph_dimensions"},
                           {"Set Derived DataTypes ", "layout"}};

// "D to H" of "Send Buffer on DEVICE (D) and Receive Buffer on HOST (H)", and of tests of one side
// "Rank 0 Memory on DEVICE (D) and Rank 1 Memory on HOST (H)". Empty: it is another line.
std::string BuffersIn(std::string_view comment) {
  if (!comment.starts_with("Send Buffer on ") && !comment.starts_with("Rank 0 Memory on ")) {
    return {};
  }
  std::vector<std::string> letters;
  for (const std::string_view word : Words(comment)) {
    if (word.starts_with('(') && word.ends_with(')')) {
      letters.emplace_back(word.substr(1, word.size() - 2));
    }
  }
  return letters.size() == 2 ? absl::StrCat(letters[0], " to ", letters[1]) : std::string();
}

void AddFact(const char* dimension, std::string_view value, Dimensions& facts) {
  const bool known = std::any_of(facts.begin(), facts.end(),
                                 [&](const Dimension& each) { return each.first == dimension; });
  if (!known && !Strip(value).empty()) facts.emplace_back(dimension, Strip(value));
}

// "2" of "[ pairs: 2 ] [ window size: 64 ]".
void AddInBrackets(std::string_view comment, std::string_view name, const char* dimension,
                   Dimensions& facts) {
  const std::size_t at = comment.find(absl::StrCat("[ ", std::string(name), ": "));
  if (at == comment.npos) return;
  const std::string_view value = comment.substr(at + name.size() + 4);
  // Of windows that vary each table says its own.
  if (!value.starts_with("varied")) AddFact(dimension, value.substr(0, value.find(']')), facts);
}

void ReadFacts(std::string_view comment, Dimensions& facts) {
  for (const Fact& fact : kFacts) {
    if (const auto value = After(comment, fact.start)) AddFact(fact.dimension, *value, facts);
  }
  AddFact("buffers", BuffersIn(comment), facts);
  AddInBrackets(comment, "pairs", "pairs", facts);
  AddInBrackets(comment, "window size", "window", facts);
}

// ---- Columns

// "P99 Tail Lat(us)", "P99 Tail BW(MB/s)".
std::optional<TableColumn> TakePercentile(std::string_view& text) {
  std::string_view rest = text;
  if (!rest.starts_with('P')) return std::nullopt;
  rest.remove_prefix(1);
  const auto percent = TakeNumber(rest);
  if (!percent) return std::nullopt;
  const std::string suffix = absl::StrCat("_p", NumberText(*percent));
  for (const auto& [heading, name, unit, better] :
       {std::tuple{" Tail Lat(us)", "latency", "us", kLower},
        std::tuple{" Tail BW(MB/s)", "bandwidth", "MB/s", kHigher}}) {
    if (const auto after = After(rest, heading)) {
      text = *after;
      return TableColumn{{name + suffix, unit, better}};
    }
  }
  return std::nullopt;
}

std::optional<TableColumn> Take(std::string_view& text) {
  for (const Heading& heading : kHeadings) {
    if (const auto after = After(text, heading.text)) {
      text = *after;
      return heading.ToColumn();
    }
  }
  return TakePercentile(text);
}

// The columns of a heading, without its '#'; nullopt: it is none.
std::optional<std::vector<TableColumn>> ReadHeading(std::string_view text) {
  std::vector<TableColumn> columns;
  for (text = Strip(text); !text.empty(); text = Strip(text)) {
    auto column = Take(text);
    if (!column) return std::nullopt;
    columns.push_back(*std::move(column));
  }
  if (columns.empty()) return std::nullopt;
  return columns;
}

bool IsValidation(const TableColumn& column) { return column.column.name == kValidation; }

// The numbers of a heading that has nothing else: window sizes of osu_mbw_mr -V.
std::vector<std::string_view> WindowsOf(std::string_view comment) {
  auto words = Words(comment);
  const bool numbers = std::all_of(
      words.begin(), words.end(), [](std::string_view word) { return ToNumber(word).has_value(); });
  if (!numbers) words.clear();
  return words;
}

TableColumn Bandwidth() { return {{"bandwidth", "MB/s", kHigher}, true}; }

class Reader {
 public:
  explicit Reader(const Section& section) : section_(section) {}

  Result<Report> Read() {
    for (const std::string_view line : section_.lines) {
      Status status = ReadLine(line);
      if (!status.ok()) return status;
    }
    if (row_last_ && !section_.whole) return absl::DataLossError("its last row is cut off");
    SkipBetween();
    return std::move(report_);
  }

 private:
  Status ReadLine(std::string_view line) {
    if (const auto comment = After(line, "#")) {
      row_last_ = false;
      between_.clear();
      ReadComment(line, Strip(*comment));
      return absl::OkStatus();
    }
    const auto words = Words(line);
    if (words.empty()) return absl::OkStatus();
    if (!ToNumber(words[0])) {
      ReadText(line);
      return absl::OkStatus();
    }
    row_last_ = true;
    SkipBetween();
    if (!windows_.empty()) return AddWindowRow(line, words);
    if (heading_.empty()) return absl::DataLossError("a row without a heading: " + Quoted(line));
    return AddRow(line, words);
  }

  void SkipBetween() {
    for (const std::string_view between : std::exchange(between_, {})) report_.skipped.Add(between);
  }

  void ReadComment(std::string_view line, std::string_view comment) {
    ReadFacts(comment, report_.facts);
    if (const auto title = TitleOf(line)) {
      bandwidth_ = title->find("Bandwidth") != std::string_view::npos;
      const std::size_t version = line.rfind(" v");
      if (version != std::string_view::npos) report_.version = Strip(line.substr(version + 2));
    } else if (const auto datatype = After(comment, "Datatype: ")) {
      datatype_ = datatype->substr(0, datatype->find('.'));
      // Version 7.2 says it below the heading.
      const bool is_below = !report_.tables.empty() && report_.tables.back().data.rows.empty();
      if (is_below) report_.tables.back().datatype = datatype_;
    } else if (auto heading = ReadHeading(comment)) {
      OpenTable(*std::move(heading));
    } else if (const auto windows = WindowsOf(comment); !windows.empty()) {
      OpenWindows(windows);
    } else {
      rates_ = comment.starts_with("Message Rate");
    }
  }

  // Version 5 prints the heading of osu_ibarrier without '#'.
  void ReadText(std::string_view line) {
    if (auto heading = ReadHeading(line)) return OpenTable(*std::move(heading));
    if (line.starts_with("nprocs:")) return ReadInit(line);
    if (line.starts_with("This is a test with ")) report_.hello = true;
    ReadFacts(line, report_.facts);
    if (row_last_) between_.push_back(line);
  }

  void OpenTable(std::vector<TableColumn> heading) {
    heading_ = std::move(heading);
    windows_.clear();
    Table table{datatype_, "", {}};
    for (TableColumn& column : heading_) {
      // The fan tests of 7.4 head their bandwidths as latencies.
      if (bandwidth_ && column.column.name == "latency") column = Bandwidth();
      if (!IsValidation(column)) table.data.columns.push_back(column);
    }
    report_.tables.push_back(std::move(table));
  }

  void OpenWindows(const std::vector<std::string_view>& windows) {
    heading_.clear();
    windows_ = windows;
    const TableColumn value =
        rates_ ? TableColumn{{"message_rate", "1/s", kHigher}, true} : Bandwidth();
    for (const std::string_view window : windows) {
      report_.tables.push_back({datatype_, std::string(window), {{{{"size", "B"}}, value}, {}}});
    }
  }

  Status AddRow(std::string_view line, const std::vector<std::string_view>& words) {
    SizeTable& table = report_.tables.back().data;
    if (words.size() != heading_.size()) return CutOff(line);
    std::vector<double> row;
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (IsValidation(heading_[i])) {
        Validate(words);
        continue;
      }
      const auto value = ToCell(words[i]);
      if (!value) return CutOff(line);
      row.push_back(*value);
    }
    if (!table.rows.empty() && table.columns[0].column.name != "size") return CutOff(line);
    table.rows.push_back(std::move(row));
    return absl::OkStatus();
  }

  Status AddWindowRow(std::string_view line, const std::vector<std::string_view>& words) {
    if (words.size() != windows_.size() + 1) return CutOff(line);
    const std::size_t first = report_.tables.size() - windows_.size();
    for (std::size_t i = 0; i < windows_.size(); ++i) {
      const auto value = ToCell(words[i + 1]);
      if (!value) return CutOff(line);
      report_.tables[first + i].data.rows.push_back({*ToNumber(words[0]), *value});
    }
    return absl::OkStatus();
  }

  void Validate(const std::vector<std::string_view>& words) {
    if (words.back() == "Pass" || !report_.failure.empty()) return;
    report_.failure = absl::StrCat("validation failed at size ", std::string(words.front()));
  }

  // "nprocs: 4, min: 364 ms, max: 374 ms, avg: 369 ms"; version 5.3 leaves out the unit.
  void ReadInit(std::string_view line) {
    const auto words = Words(line);
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
      std::string_view number = words[i + 1];
      const auto value = TakeNumber(number);
      const std::string_view key = words[i].substr(0, words[i].find(':'));
      if (!value || (key != "min" && key != "max" && key != "avg")) continue;
      report_.single.push_back(
          {absl::StrCat("init_", std::string(key)), *value, "ms", kLower, key == "avg", {}});
    }
    if (report_.single.size() != 3) report_.single.clear();
  }

  static Status CutOff(std::string_view line) {
    return absl::DataLossError("a row that is cut off or not understood: " + Quoted(line));
  }

  const Section& section_;
  Report report_;
  std::string datatype_;
  std::vector<TableColumn> heading_;
  std::vector<std::string_view> windows_;
  std::vector<std::string_view> between_;  // text since the last row, and behind all
  bool bandwidth_ = false;                 // the title says that this is what it measures
  bool rates_ = false;                     // the comment before says that message rates follow
  bool row_last_ = false;
};

}  // namespace

Result<Report> ReadReport(const Section& section) { return Reader(section).Read(); }

}  // namespace twofold::suite::osu
