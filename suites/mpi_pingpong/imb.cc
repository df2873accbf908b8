#include <absl/strings/str_cat.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "lib/suite/document.h"
#include "suites/mpi_pingpong/mpi_pingpong.h"

namespace twofold::suite::mpi_pingpong {
namespace {

using enum Better;

// The words of IMB's headings. Which megabytes they are, rows prove: SettleUnit.
constexpr Heading kHeadings[] = {
    {"#bytes", "size", "B", kNone, false},
    {"#repetitions", "repetitions", "", kNone, false},
    {"Group", "group", "", kNone, false},
    {"t[usec]", "latency", "us", kLower, true},
    {"t_avg[usec]", "latency", "us", kLower, true},
    {"t_min[usec]", "latency_min", "us", kLower, false},
    {"t_max[usec]", "latency_max", "us", kLower, false},
    {"t_ovrl[usec]", "overall", "us", kLower, true},
    {"t_pure[usec]", "communication", "us", kLower, false},
    {"t_CPU[usec]", "compute", "us", kNone, false},
    {"overlap[%]", "overlap", "%", kHigher, false},
    {"Mbytes/sec", "bandwidth", "MB/s", kHigher, true},
    {"Msg/sec", "message_rate", "1/s", kHigher, true},
    {"defects", "defects", "", kLower, false},
};

// Columns that say how a row came about; they are in no table.
constexpr std::string_view kAside[] = {"repetitions", "group", "defects"};

/// All columns of a heading; nullopt: the line is none.
std::optional<std::vector<TableColumn>> ReadHeading(std::string_view line) {
  std::vector<TableColumn> columns;
  for (const std::string_view word : Words(line)) {
    const auto* known = std::find_if(std::begin(kHeadings), std::end(kHeadings),
                                     [&](const Heading& each) { return each.text == word; });
    if (known == std::end(kHeadings)) return std::nullopt;
    columns.push_back(known->ToColumn());
  }
  const bool measures = std::any_of(columns.begin(), columns.end(),
                                    [](const TableColumn& each) { return each.primary; });
  if (!measures) return std::nullopt;
  return columns;
}

class Reader {
 public:
  explicit Reader(const std::string& stage) : stage_(stage) {}

  Result<Tables> Read(std::string_view text) {
    for (const std::string_view line : Lines(text)) {
      Status status = ReadLine(line);
      if (!status.ok()) return status;
    }
    // A log may also be cut off between two tables.
    if (!heading_.empty() || (!tables_.empty() && !ended_))
      return Unreadable(stage_, "the output of IMB is cut off");
    Tables tables{std::move(tables_), {}};
    skipped_.SayIn(tables.notes);
    HoldAgainstHeader(tables);
    if (!tables.all.empty() && !titled_) {
      tables.notes.emplace_back("IMB's title is missing: tables before the first may be cut off");
    }
    return tables;
  }

 private:
  Status ReadLine(std::string_view line) {
    if (IsImbTitle(line)) titled_ = true;
    if (line.starts_with(kImbEnds)) ended_ = true;
    if (auto heading = ReadHeading(line)) {
      if (benchmark_.empty()) {
        return Unreadable(stage_,
                          "the name of its first benchmark is missing: its beginning is cut off");
      }
      heading_ = *std::move(heading);
      first_ = tables_.size();
      if (!Has("group")) OpenTable("");
      return absl::OkStatus();
    }
    if (line.starts_with('#')) return ReadComment(Strip(line.substr(1)));
    if (heading_.empty() || Strip(line).empty()) return absl::OkStatus();
    return ReadRow(line);
  }

  // A comment ends a table, and says what the next one is about.
  Status ReadComment(std::string_view comment) {
    if (!std::exchange(heading_, {}).empty() && tables_.size() > first_ &&
        tables_.back().data.rows.empty() && tables_.back().failure.empty()) {
      return Unreadable(stage_, "a table without rows: it was stopped");
    }
    const auto words = Words(comment);
    if (const auto name = After(comment, "Benchmarking ")) {
      benchmark_ = std::string(Strip(*name));
      ranks_ = groups_ = mode_ = "";
      ended_ = false;
    } else if (const auto ranks = After(comment, "#processes = ")) {
      ranks_ = std::string(Strip(*ranks));
    } else if (words.size() > 4 && words[0] == "(" && words[2] == "groups") {
      groups_ = std::string(words[1]);  // "( 2 groups of 2 processes each running simultaneous )"
      ranks_ = std::string(words[4]);
    } else if (const auto mode = After(comment, "MODE: ")) {
      mode_ = std::string(Strip(*mode));
    } else if (const auto least = After(comment, "Minimum message length in bytes:")) {
      least_ = ToNumber(Strip(*least));
    } else if (const auto most = After(comment, "Maximum message length in bytes:")) {
      most_ = ToNumber(Strip(*most));
    }
    return absl::OkStatus();
  }

  [[nodiscard]] bool Has(std::string_view name) const {
    return std::any_of(heading_.begin(), heading_.end(),
                       [&](const TableColumn& each) { return each.column.name == name; });
  }

  [[nodiscard]] Dimensions DimensionsOf(const std::string& group) const {
    if (benchmark_ == "PingPong" && mode_.empty()) return {};
    Dimensions dimensions = {{"benchmark", benchmark_}};
    for (const auto& [name, value] : {std::pair<const char*, const std::string&>{"ranks", ranks_},
                                      {"groups", groups_},
                                      {"group", group},
                                      {"mode", mode_}}) {
      if (!value.empty()) dimensions.emplace_back(name, value);
    }
    return dimensions;
  }

  Table& OpenTable(const std::string& group) {
    Table& table = tables_.emplace_back();
    table.benchmark = benchmark_;
    table.dimensions = DimensionsOf(group);
    for (const TableColumn& column : heading_) {
      if (!IsOneOf(column.column.name, kAside)) table.data.columns.push_back(column);
    }
    return table;
  }

  // The table of the group that a row is of; the only one, if there are no groups.
  Table& TableOf(const std::string& group) {
    for (std::size_t i = first_; i < tables_.size(); ++i) {
      const Dimensions& dimensions = tables_[i].dimensions;
      if (group.empty() || dimensions == DimensionsOf(group)) return tables_[i];
    }
    return OpenTable(group);
  }

  // A log that lost lines has whole tables, too. An atomic operation has one size alone.
  void HoldAgainstHeader(Tables& tables) const {
    for (Table& table : tables.all) {
      const auto& rows = table.data.rows;
      const bool is_atomic = rows.size() == 1 && rows[0][0] > 0;
      if (rows.empty() || is_atomic || !table.failure.empty()) continue;
      if (table.data.columns[0].column.name != "size") continue;
      if (most_ && rows.back()[0] < *most_) {
        table.failure = absl::StrCat("its table ends at ", NumberText(rows.back()[0]),
                                     " B, and its header says ", NumberText(*most_), " B");
      } else if (least_ && rows.front()[0] > *least_) {
        tables.notes.push_back(absl::StrCat(table.benchmark, ": its table begins at ",
                                            NumberText(rows.front()[0]), " B, and its header says ",
                                            NumberText(*least_), " B"));
      }
    }
  }

  // What stands behind a word, wherever that is.
  static std::optional<std::string_view> AfterWord(std::string_view line, std::string_view word) {
    const std::size_t at = line.find(word);
    if (at == std::string_view::npos) return std::nullopt;
    return line.substr(at + word.size());
  }

  Status ReadRow(std::string_view line) {
    const auto words = Words(line);
    // "  2 time-out.; Time limit (secs_per_sample * msg_sizes_list_len) is over; ..."
    for (const char* why : {"time-out", "out-of-mem", "int-overflow"}) {
      const auto rest = AfterWord(line, absl::StrCat(" ", why, ".;"));
      if (!rest) continue;
      TableOf("").failure = absl::StrCat(why, ": ", Quoted(Strip(*rest)));
      return absl::OkStatus();
    }
    // A warning that came in between begins with no number, as a row that is cut off does.
    if (!ToNumber(words[0])) {
      skipped_.Add(line);
      return absl::OkStatus();
    }
    if (words.size() != heading_.size()) return NoRow(line);
    std::vector<double> row;
    std::string group;
    std::string failure;
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::string& name = heading_[i].column.name;
      const auto value = ToCell(words[i]);
      if (!value) return NoRow(line);
      if (name == "group") group = std::string(words[i]);
      if (name == "defects" && *value != 0) failure = "defects in: " + Quoted(Strip(line));
      if (!IsOneOf(name, kAside)) row.push_back(*value);
    }
    Table& table = TableOf(group);
    if (table.failure.empty()) table.failure = std::move(failure);
    table.data.rows.push_back(std::move(row));
    return absl::OkStatus();
  }

  [[nodiscard]] Status NoRow(std::string_view line) const {
    return Unreadable(stage_, "a row that is none: " + Quoted(line));
  }

  const std::string& stage_;
  std::vector<Table> tables_;
  Skipped skipped_;
  std::vector<TableColumn> heading_;  // empty: not in a table
  std::size_t first_ = 0;             // of the tables under this heading
  std::string benchmark_;
  std::string ranks_;
  std::string groups_;
  std::string mode_;
  std::optional<double> least_;  // sizes of its header
  std::optional<double> most_;
  bool titled_ = false;
  bool ended_ = false;  // it has said that it is about to end
};

}  // namespace

bool IsImbTitle(std::string_view line) {
  // "#    Intel(R) MPI Benchmarks 2021.11, MPI-1 part", "#    Intel (R) MPI Benchmark Suite V3.2,
  // MPI-1 part"
  return line.starts_with('#') && line.find("MPI Benchmark") != std::string_view::npos &&
         line.find("Intel") != std::string_view::npos && Strip(line).ends_with(" part");
}

Result<Tables> ReadImb(const std::string& stage, std::string_view text) {
  return Reader(stage).Read(text);
}

}  // namespace twofold::suite::mpi_pingpong
