#include "suites/osu/table_reader.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <utility>

#include "lib/suite/text.h"

namespace twofold::suite::osu {
namespace {

bool IsSize(const OsuColumn& column) { return column.column.name == "size"; }

// The numbers of a heading that has nothing else: window sizes of osu_mbw_mr -V.
std::vector<std::string_view> WindowsOf(std::string_view comment) {
  auto words = Words(comment);
  const bool numbers = std::all_of(
      words.begin(), words.end(), [](std::string_view word) { return ToNumber(word).has_value(); });
  if (!numbers) words.clear();
  return words;
}

class Reader {
 public:
  explicit Reader(const Section& section) : section_(section) {}

  Result<Report> Read() {
    for (const std::string_view line : section_.lines) {
      Status status = ReadLine(line);
      if (!status.ok()) return status;
    }
    if (row_last_ && !section_.whole) return absl::DataLossError("its last row is cut off");
    return std::move(report_);
  }

 private:
  Status ReadLine(std::string_view line) {
    if (const auto comment = After(line, "#")) {
      row_last_ = false;
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
    if (!windows_.empty()) return AddWindowRow(line, words);
    if (heading_.empty()) return absl::DataLossError("a row without a heading: " + Quoted(line));
    return AddRow(line, words);
  }

  void ReadComment(std::string_view line, std::string_view comment) {
    if (const auto title = TitleOf(line)) {
      bandwidth_ = title->find("Bandwidth") != std::string_view::npos;
      const std::size_t version = line.rfind(" v");
      if (version != std::string_view::npos) report_.version = Strip(line.substr(version + 2));
    } else if (const auto datatype = After(comment, "Datatype: ")) {
      datatype_ = datatype->substr(0, datatype->find('.'));
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
  }

  void OpenTable(std::vector<OsuColumn> heading) {
    heading_ = std::move(heading);
    windows_.clear();
    Table table{datatype_, "", {}, {}};
    for (OsuColumn& column : heading_) {
      // The fan tests of 7.4 head their bandwidths as latencies.
      if (bandwidth_ && column.column.name == "latency") {
        column = {{"bandwidth", "MB/s", Better::kHigher}, true};
      }
      if (!column.validation) table.columns.push_back(column);
    }
    report_.tables.push_back(std::move(table));
  }

  void OpenWindows(const std::vector<std::string_view>& windows) {
    heading_.clear();
    windows_ = windows;
    const OsuColumn value = rates_ ? OsuColumn{{"message_rate", "1/s", Better::kHigher}, true}
                                   : OsuColumn{{"bandwidth", "MB/s", Better::kHigher}, true};
    for (const std::string_view window : windows) {
      report_.tables.push_back({datatype_, std::string(window), {{{"size", "B"}}, value}, {}});
    }
  }

  Status AddRow(std::string_view line, const std::vector<std::string_view>& words) {
    Table& table = report_.tables.back();
    if (words.size() != heading_.size()) return CutOff(line);
    std::vector<double> row;
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (heading_[i].validation) {
        Validate(words);
        continue;
      }
      const auto value = ToNumber(words[i]);
      if (!value) return CutOff(line);
      row.push_back(*value);
    }
    if (!table.rows.empty() && !IsSize(table.columns[0])) return CutOff(line);
    table.rows.push_back(std::move(row));
    return absl::OkStatus();
  }

  Status AddWindowRow(std::string_view line, const std::vector<std::string_view>& words) {
    if (words.size() != windows_.size() + 1) return CutOff(line);
    const std::size_t first = report_.tables.size() - windows_.size();
    for (std::size_t i = 0; i < windows_.size(); ++i) {
      const auto value = ToNumber(words[i + 1]);
      if (!value) return CutOff(line);
      report_.tables[first + i].rows.push_back({*ToNumber(words[0]), *value});
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
      report_.single.push_back({absl::StrCat("init_", std::string(key)),
                                *value,
                                "ms",
                                Better::kLower,
                                key == "avg",
                                {}});
    }
    if (report_.single.size() != 3) report_.single.clear();
  }

  static Status CutOff(std::string_view line) {
    return absl::DataLossError("a row that is cut off or not understood: " + Quoted(line));
  }

  const Section& section_;
  Report report_;
  std::string datatype_;
  std::vector<OsuColumn> heading_;
  std::vector<std::string_view> windows_;
  bool bandwidth_ = false;  // the title says that this is what it measures
  bool rates_ = false;      // the comment before says that message rates follow
  bool row_last_ = false;
};

}  // namespace

Result<Report> ReadReport(const Section& section) { return Reader(section).Read(); }

}  // namespace twofold::suite::osu
