// What fio prints for people. Its numbers have three or four digits.

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lib/suite/text.h"
#include "suites/fio/fio.h"

namespace twofold::suite::fio {
namespace {

struct Unit {
  std::string_view word;
  double factor;
};
constexpr Unit kBytes[] = {{"B/s", 1},
                           {"KiB/s", 1024.0},
                           {"MiB/s", 1048576.0},
                           {"GiB/s", 1073741824.0},
                           {"TiB/s", 1099511627776.0},
                           {"kB/s", 1e3},
                           {"MB/s", 1e6},
                           {"GB/s", 1e9},
                           {"TB/s", 1e12}};
constexpr Unit kSizes[] = {{"B", 1},
                           {"KiB", 1024.0},
                           {"MiB", 1048576.0},
                           {"GiB", 1073741824.0},
                           {"TiB", 1099511627776.0},
                           {"kB", 1e3},
                           {"MB", 1e6},
                           {"GB", 1e9},
                           {"TB", 1e12}};
constexpr Unit kThousands[] = {{"", 1}, {"k", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}};
constexpr Unit kTimes[] = {{"nsec", 1}, {"usec", 1e3}, {"msec", 1e6}, {"sec", 1e9}};

template <typename Units>
std::optional<double> FactorOf(std::string_view word, const Units& units) {
  for (const Unit& unit : units) {
    if (unit.word == word) return unit.factor;
  }
  return std::nullopt;
}

/// The word after `name`, up to a blank, comma or parenthesis: "IOPS=37.6k, BW=..." has "37.6k".
std::string_view WordAfter(std::string_view line, std::string_view name) {
  const std::size_t at = line.find(name);
  if (at == line.npos) return {};
  line = Strip(line.substr(at + name.size()));
  // A comma in a number is one of thousands, or a point: not understood.
  std::size_t end = line.find_first_of(" ,()%");
  while (end < line.size() && line[end] == ',' && end + 1 < line.size() && line[end + 1] != ' ') {
    end = line.find_first_of(" ,()%", end + 1);
  }
  return line.substr(0, end);
}

/// "37.6k" with the units of thousands, "147MiB/s" with those of bytes.
template <typename Units>
std::optional<double> Quantity(std::string_view word, const Units& units) {
  const auto value = TakeNumber(word);
  const auto factor = FactorOf(word, units);
  if (!value || !factor) return std::nullopt;
  return *value * *factor;
}

/// The unit of "clat (usec): min=..." and "lat percentiles (nsec):", in nanoseconds.
std::optional<double> TimeOf(std::string_view line) {
  const std::size_t open = line.find('(');
  const std::size_t close = line.find("):", open == line.npos ? 0 : open);
  if (open == line.npos || close == line.npos) return std::nullopt;
  return FactorOf(line.substr(open + 1, close - open - 1), kTimes);
}

// "4096B-16.0KiB"; empty: it is written in another way.
std::string RangeText(std::string_view range) {
  const std::size_t dash = range.find('-');
  if (dash == range.npos) return {};
  const auto least = Quantity(range.substr(0, dash), kSizes);
  const auto most = Quantity(range.substr(dash + 1), kSizes);
  if (!least || !most) return {};
  if (*least == *most) return SizeText(*least);
  return absl::StrCat(SizeText(*least), "-", SizeText(*most));
}

/// What fio says of a job, or of several that are alike, before it starts them.
struct Header {
  std::string job;
  std::string group;
  Ways ways;
};

// "mix: (g=0): rw=randrw, bs=(R) 4096B-4096B, (W) ..., (T) ..., ioengine=psync, iodepth=1"
Header ReadHeader(std::string_view line) {
  constexpr const char* kLetters[] = {"(R) ", "(W) ", "(T) "};
  Header header{.job = std::string(line.substr(0, line.find(": (g="))),
                .group = std::string(WordAfter(line, ": (g=")),
                .ways = {}};
  for (std::size_t side = 0; side < kSides.size(); ++side) {
    const auto add = [&](const char* dimension, std::string value) {
      if (!value.empty()) header.ways[side].emplace_back(dimension, std::move(value));
    };
    add("pattern", PatternIn(WordAfter(line, "rw=")));
    add("bs", RangeText(WordAfter(line, kLetters[side])));
    add("iodepth", std::string(WordAfter(line, "iodepth=")));
    add("ioengine", std::string(WordAfter(line, "ioengine=")));
  }
  return header;
}

// "mix: (g=0): rw=randrw, ..."
bool IsHeader(std::string_view line) {
  return line.find(": (g=") != line.npos && line.find("rw=") != line.npos;
}

// "fio-3.33"
bool IsVersion(std::string_view line) {
  const auto version = After(line, "fio-");
  return version && ToNumber(version->substr(0, version->find_first_not_of("0123456789.")));
}

constexpr std::string_view kGroupEnds = "Run status group ";

// Whether `next` may be of a later report of the run that `last` is of.
bool GoesOn(const Part& last, const Part& next) {
  if (last.job != next.job || last.group != next.group) return false;
  for (std::size_t i = 0; i < kSides.size(); ++i) {
    const Side& before = last.sides[i];
    const Side& now = next.sides[i];
    if (now.ios < before.ios || now.seconds < before.seconds) return false;
    const bool stands = now.ios == before.ios && now.seconds == before.seconds;
    if (stands && now.iops != before.iops) return false;
  }
  return true;
}

constexpr std::pair<std::string_view, Clock> kClockWords[] = {{"lat", kTotal},
                                                              {"clat", kCompletion}};

class Reader {
 public:
  explicit Reader(const std::string& stage) : stage_(stage) {}

  Result<Report> Read(std::string_view text) {
    text = text.substr(0, text.rfind('\n') + 1);  // a line without end may be half a number
    for (const std::string_view line : Lines(text)) {
      ReadLine(Strip(line));
      if (!status_.ok()) return status_;
    }
    CheckPart();
    if (status_.ok() && groups_.size() != ended_) {
      status_ = Unreadable(stage_, "it ends before 'Run status group'");
    }
    if (!status_.ok()) return status_;
    for (Part& part : report_.parts) AddWays(part);
    report_.early = WhyEarly();
    if (seconds_.size() == 1) report_.endless = "normal";
    report_.said = text;
    return std::move(report_);
  }

 private:
  // As of a log whose beginning is cut off (`kubectl logs --tail`).
  void LostFirstLine() {
    status_.Update(Unreadable(stage_, "the first line of a job, with its name, is missing"));
  }

  void ReadLine(std::string_view line) {
    if (line.starts_with("fio-") && report_.tool.empty()) report_.tool = std::string(line);
    if (line.starts_with(kGroupEnds)) {
      CheckPart();
      in_part_ = false;
      ++ended_;
    } else if (line.find(": (groupid=") != line.npos) {
      OpenPart(line);
    } else if (IsHeader(line)) {
      headers_.push_back(ReadHeader(line));
    } else if (in_part_) {
      ReadInPart(line);
    } else if (!of_all_ && CountsIn(line)) {
      LostFirstLine();
    }
  }

  // "randrw: (groupid=0, jobs=2): err= 0: pid=29696: ..."
  void OpenPart(std::string_view line) {
    CheckPart();
    of_all_ = line.starts_with("All clients: ");
    in_part_ = !of_all_;
    if (!in_part_) return;
    side_ = nullptr;
    opened_.clear();
    has_cpu_ = has_count_ = false;
    const std::string group(WordAfter(line, "(groupid="));
    // With --status-interval one report follows another, and the last one counts.
    if (ended_ > 0 && ended_ == groups_.size()) {
      last_ = std::move(report_.parts);
      last_processes_ = std::exchange(processes_, {});
      report_.parts.clear();
      groups_.clear();
      ended_ = 0;
      seconds_.emplace_back();
    }
    groups_.insert(group);
    processes_.emplace_back(WordAfter(line, ": pid="));
    std::string_view error = WordAfter(line, ": err=");
    const double number = Known(TakeNumber(error), line);
    if (report_.error == 0) report_.error = number;
    report_.parts.push_back({.job = std::string(line.substr(0, line.find(": (groupid="))),
                             .group = group,
                             .jobs = ToNumber(WordAfter(line, "jobs=")).value_or(0)});
  }

  // A part of several jobs (group_reporting) is of all jobs of its group, whatever it is called.
  void AddWays(Part& part) {
    std::vector<const Header*> of_part;
    for (const Header& header : headers_) {
      const bool is_of = header.group == part.group && (part.jobs > 1 || header.job == part.job);
      if (is_of) of_part.push_back(&header);
    }
    const auto alike = std::count_if(
        report_.parts.begin(), report_.parts.end(),
        [&](const Part& each) { return each.group == part.group && each.job == part.job; });
    const double jobs = part.jobs > 1 ? part.jobs : static_cast<double>(alike);
    for (std::size_t i = 0; i < kSides.size(); ++i) {
      std::vector<const Dimensions*> ways;
      for (const Header* header : of_part) ways.push_back(&header->ways[i]);
      Dimensions& how = part.sides[i].how;
      how = Common(ways);
      if (of_part.size() == 1) how.emplace_back("numJobs", NumberText(jobs));
    }
  }

  void ReadInPart(std::string_view line) {
    Part& part = report_.parts.back();
    for (std::size_t side = 0; side < kSides.size(); ++side) {
      if (line.starts_with(absl::StrCat(kSides[side], ": IOPS="))) return OpenSide(side, line);
    }
    if (line.starts_with("mixed: IOPS=")) side_ = nullptr;  // beside the sides, or instead of them
    if (line.starts_with("cpu ")) {
      part.usr_cpu = Known(ToNumber(WordAfter(line, "usr=")), line);
      part.sys_cpu = Known(ToNumber(WordAfter(line, "sys=")), line);
      has_cpu_ = true;
    } else if (CountsIn(line)) {
      if (has_count_) return LostFirstLine();
      ReadCounts(line);
    } else if (side_ != nullptr) {
      ReadLatency(line);
    }
  }

  // "read: IOPS=37.6k, BW=147MiB/s (154MB/s)(441MiB/3001msec)"
  void OpenSide(std::size_t side, std::string_view line) {
    side_ = &report_.parts.back().sides[side];
    opened_.insert(side);
    side_->iops = Known(Quantity(WordAfter(line, "IOPS="), kThousands), line);
    side_->bytes_per_s = Known(Quantity(WordAfter(line, "BW="), kBytes), line);
    ReadCounted(line);
    percentiles_ = nullptr;
  }

  // "(441MiB/3001msec)" at the end of that line.
  void ReadCounted(std::string_view line) {
    const std::size_t open = line.rfind('(');
    const std::size_t slash = line.find('/', open == line.npos ? line.size() : open);
    if (slash == line.npos) return;
    const auto bytes = Quantity(line.substr(open + 1, slash - open - 1), kSizes);
    std::string_view time = line.substr(slash + 1);
    const auto number = TakeNumber(time);
    const auto ns = FactorOf(time.substr(0, time.find(')')), kTimes);
    if (!bytes || !number || !ns || *number <= 0) return;
    side_->seconds = *number * *ns / kTimes[3].factor;
    side_->counted_bytes_per_s = *bytes / side_->seconds;
    double& longest = seconds_.back()[report_.parts.back().group];
    longest = std::max(longest, side_->seconds);
  }

  // "issued rwts: total=112804,48465,0,0 short=..."
  void ReadCounts(std::string_view line) {
    std::string_view counts = CountsIn(line).value_or("");
    for (Side& side : report_.parts.back().sides) {
      side.ios = Known(TakeNumber(counts), line);
      if (side.seconds > 0) side.counted_iops = side.ios / side.seconds;
      if (counts.starts_with(',')) counts.remove_prefix(1);
    }
    has_count_ = true;
  }

  void ReadLatency(std::string_view line) {
    if (line.starts_with('|')) return ReadPercentiles(line);
    percentiles_ = nullptr;
    for (const auto& [word, clock] : kClockWords) {
      auto rest = After(line, word);
      if (!rest || !rest->starts_with(' ')) continue;
      const auto unit = TimeOf(*rest);
      rest = Strip(*rest);
      // "clat prio 1/0 (nsec): ..." is of some requests.
      if (!rest->starts_with('(') && !rest->starts_with("percentiles (")) return;
      if (unit && rest->starts_with("percentiles (")) {
        percentiles_ = &side_->latencies[clock].percentiles;
        unit_ns_ = *unit;
      } else if (unit && rest->find(" min=") != line.npos) {
        side_->latencies[clock].moments = ReadMoments(*rest, *unit);
      }
    }
  }

  // "(nsec): min=570, max=7504.5k, avg=126857.40, stdev=86582.44"
  Latency::Moments ReadMoments(std::string_view line, double unit_ns) {
    const auto get = [&](std::string_view name) {
      return Known(Quantity(WordAfter(line, name), kThousands), line) * unit_ns;
    };
    return {.min_ns = get("min="),
            .max_ns = get("max="),
            .mean_ns = get("avg="),
            .stddev_ns = get("stdev=")};
  }

  // "|  1.00th=[   23],  5.00th=[   52], ..."
  void ReadPercentiles(std::string_view line) {
    if (percentiles_ == nullptr) return;  // of a clock that is not kept
    std::string_view rest = Strip(line.substr(1));
    while (!rest.empty()) {
      const auto percent = TakeNumber(rest);
      const std::size_t close = rest.find(']');
      const auto inside = After(rest.substr(0, close), "th=[");
      const auto value = inside ? ToNumber(Strip(*inside)) : std::nullopt;
      if (!percent || close == rest.npos || !value) return NotUnderstood(line);
      percentiles_->emplace_back(NumberText(*percent), *value * unit_ns_);
      rest.remove_prefix(close + 1);
      if (rest.starts_with(',')) rest.remove_prefix(1);
      rest = Strip(rest);
    }
  }

  // The part that was read last must be whole.
  void CheckPart() {
    if (!in_part_) return;
    if (!has_cpu_ || !has_count_) {
      status_.Update(Unreadable(stage_, "a job that is cut off"));
      return;
    }
    const std::size_t i = report_.parts.size() - 1;
    const bool is_later = i < last_.size();
    if (is_later && (processes_[i] != last_processes_[i] || !GoesOn(last_[i], report_.parts[i]))) {
      status_.Update(Unreadable(
          stage_, absl::StrCat("two runs in one document: the last report of job ",
                               report_.parts[i].job, " does not go on from the one before")));
    }
    for (std::size_t side = 0; side < kSides.size(); ++side) {
      if (report_.parts.back().sides[side].ios == 0 || opened_.contains(side)) continue;
      status_.Update(
          Unreadable(stage_, absl::StrCat("it has no rates of ", kSides[side],
                                          "s: mixed ones (unified_rw_reporting) are not read")));
    }
  }

  // Why the last of several reports is one of --status-interval, and not that of the end. Those
  // come at the same distance; the run ends at any moment after one of them.
  [[nodiscard]] std::string WhyEarly() const {
    constexpr double kNearly = 0.97;
    std::vector<double> at;  // seconds of all groups
    for (const auto& groups : seconds_) {
      at.push_back(0);
      for (const auto& [group, seconds] : groups) at.back() += seconds;
    }
    if (at.size() < 2) return {};
    const double last = at.back() - at[at.size() - 2];
    double interval = at[0];  // or less: the clock of reports begins before the jobs
    for (std::size_t i = 1; i + 1 < at.size(); ++i)
      interval = std::max(interval, at[i] - at[i - 1]);
    if (last < kNearly * interval) return {};
    return absl::StrCat("it ends before its last report: that after ", NumberText(at.back()),
                        " s came a whole interval after the one before");
  }

  double Known(std::optional<double> value, std::string_view line) {
    if (!value) NotUnderstood(line);
    return value.value_or(0);
  }

  void NotUnderstood(std::string_view line) {
    status_.Update(Unreadable(stage_, "a line that is not understood: " + Quoted(line)));
  }

  const std::string& stage_;
  Report report_;
  Status status_;
  std::vector<Header> headers_;
  std::vector<std::string> processes_;  // of the parts
  std::vector<Part> last_;              // of the report before
  std::vector<std::string> last_processes_;
  std::set<std::string> groups_;
  std::size_t ended_ = 0;  // groups whose summary has come
  // Of each report, how long its groups have run.
  std::vector<std::map<std::string, double>> seconds_ = {{}};
  bool in_part_ = false;
  bool of_all_ = false;  // what comes is of all clients together, which is not read
  bool has_cpu_ = false;
  bool has_count_ = false;
  Side* side_ = nullptr;          // of the last part
  std::set<std::size_t> opened_;  // sides of the last part that have rates
  std::vector<std::pair<std::string, double>>* percentiles_ = nullptr;
  double unit_ns_ = 1;
};

}  // namespace

std::optional<std::string_view> CountsIn(std::string_view line) {
  const std::size_t at = line.find("total=");
  if (!line.starts_with("issued rwt") || at == line.npos) return std::nullopt;
  return line.substr(at + 6, line.find(' ', at) - at - 6);
}

std::vector<SignAt> SignsOfNormal(std::string_view output) {
  bool in_header = false;  // up to the version
  return SignsOfLines(output, [&](std::string_view line) {
    line = Strip(line);
    if (IsHeader(line)) return std::exchange(in_header, true) ? Sign::kNone : Sign::kBegins;
    if (IsVersion(line)) return std::exchange(in_header, false) ? Sign::kNone : Sign::kBegins;
    const bool is_of_report =
        line.find(": (groupid=") != line.npos || CountsIn(line) || line.starts_with(kGroupEnds);
    if (!is_of_report) return Sign::kNone;
    in_header = false;
    return Sign::kResult;
  });
}

Result<Report> FromNormal(const std::string& stage, std::string_view text) {
  return Reader(stage).Read(text);
}

}  // namespace twofold::suite::fio
