#include <absl/strings/str_cat.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "lib/common/counted.h"
#include "lib/suite/document.h"
#include "lib/suite/json.h"
#include "lib/suite/plausible.h"
#include "lib/suite/text.h"
#include "suites/fio/fio.h"

namespace twofold::suite::fio {
namespace {

constexpr std::string_view kComplaints[] = {"fio: ", "disconnected", "client: "};
// Others only warn: "fio: this platform does not support process shared mutexes".
constexpr std::string_view kFailures[] = {"err=", "error", "failed", "terminating"};
constexpr std::string_view kTerminated = "fio: terminating on signal";

// "3;fio-3.33;randread;0;0;..."
bool IsTerse(std::string_view line) { return TakeNumber(line) && line.starts_with(';'); }

struct Format {
  bool (*is_line)(std::string_view line);  ///< a line that only this form has
  Result<Report> (*read)(const std::string& stage, std::string_view text);
};
constexpr Format kFormats[] = {
    {[](std::string_view line) { return line.starts_with('{'); }, FromJson},
    {IsTerse, FromTerse},
    {[](std::string_view line) { return line.find("(groupid=") != line.npos; }, FromNormal},
};

// The format that the text has; null: none.
const Format* FormatOf(std::string_view text) {
  const auto* found = std::find_if(std::begin(kFormats), std::end(kFormats),
                                   [&](const Format& each) { return AnyLine(text, each.is_line); });
  return found == std::end(kFormats) ? nullptr : found;
}

// "fio-2.2.10", if that is the first version in the text, and one before 3; else empty.
std::string_view OldVersionIn(std::string_view text) {
  constexpr std::string_view kName = "fio-";
  for (std::size_t at = text.find(kName); at != text.npos; at = text.find(kName, at + 1)) {
    const std::string_view rest = text.substr(at + kName.size());
    const std::string_view digits = rest.substr(0, rest.find_first_not_of("0123456789"));
    const auto major = ToNumber(digits);
    if (!major || !rest.substr(digits.size()).starts_with('.')) continue;
    const std::string_view version = rest.substr(0, rest.find_first_not_of("0123456789."));
    return *major < 3 ? text.substr(at, kName.size() + version.size()) : std::string_view();
  }
  return {};
}

Result<Report> Read(const std::string& stage, std::string_view text) {
  if (const Format* format = FormatOf(text)) {
    auto report = format->read(stage, text);
    const std::string_view old = report.ok() ? std::string_view() : OldVersionIn(text);
    if (old.empty()) return report;
    return Unreadable(stage, std::string(old) + " is not read (3.0 and later are)");
  }
  const auto lines = Lines(text);
  if (lines.empty()) return Unreadable(stage, "no output");
  if (IsEndOfJson(text)) return Unreadable(stage, "the beginning of its JSON is missing");
  return Unreadable(stage, "no result of fio in its output, but: " + Quoted(lines.front()));
}

// "<host> fio: /nonexistent is not a directory", but not "fio: (g=0): rw=..." of a job of that
// name.
bool IsComplaint(std::string_view line) {
  return HasAny(line, kComplaints) && line.find("(g=") == line.npos &&
         line.find("(groupid=") == line.npos;
}

bool IsFailure(std::string_view line) { return IsComplaint(line) && HasAny(line, kFailures); }

// The first line of either for which `is` holds; empty: none.
std::string FirstOf(std::string_view err, std::string_view said, bool (*is)(std::string_view)) {
  for (const std::string_view text : {err, said}) {
    for (const std::string_view line : Lines(text)) {
      if (is(line)) return std::string(line);
    }
  }
  return {};
}

// "fio: pid=1234, got signal=9": fio goes on without that process, and exits with 0.
std::string SignalIn(std::string_view text) {
  constexpr std::string_view kGot[] = {"got signal="};
  return std::string(Strip(LineWith(text, kGot)));
}

Status CheckEnd(const std::string& stage, const StageOutput& output, const Report& report,
                const std::string& complaint) {
  const auto failed = [&](const std::string& reason) {
    return ToolFailed(stage, complaint.empty() ? reason : complaint);
  };
  if (report.parts.empty()) {
    return complaint.empty() ? Unreadable(stage, "no jobs in fio's output") : failed("");
  }
  for (const std::string_view text : {std::string_view(output.err), std::string_view(output.out)}) {
    const std::string killed = SignalIn(text);
    if (!killed.empty()) return ToolFailed(stage, killed);
  }
  if (report.error != 0) return failed("error " + NumberText(report.error));
  if (!report.died.empty()) return failed(report.died);
  // It then prints what it has, and ends with 0.
  if (report.said.find(kTerminated) != report.said.npos ||
      output.err.find(kTerminated) != output.err.npos) {
    return failed("terminated by a signal");
  }
  if (const std::string end = BadEnd(output); !end.empty()) return failed(end);
  return report.early.empty() ? absl::OkStatus() : Unreadable(stage, report.early);
}

// The only job of a worker needs no name; jobs of one name, as of numjobs, get numbers: "mix#0",
// "mix#1".
void NameJobs(std::vector<Part>& parts) {
  using Key = std::pair<std::string, std::string>;
  std::map<std::string, int> of_worker;
  std::map<Key, int> alike;
  for (const Part& part : parts) {
    ++of_worker[part.worker];
    ++alike[{part.worker, part.job}];
  }
  std::map<Key, int> next;
  for (Part& part : parts) {
    const Key key{part.worker, part.job};
    if (of_worker[part.worker] == 1) {
      part.job.clear();
    } else if (alike[key] > 1) {
      part.job = absl::StrCat(part.job, "#", next[key]++);
    }
  }
}

// Adds the parts in the output of one fio.
Status ReadParts(const StageOutput& output, Measurements& result, std::vector<Part>& parts) {
  const std::string stage = absl::StrCat(StageName(output, "fio"), " of worker ", output.rank);
  Result<Report> report = Read(stage, output.out);
  const std::string_view said = report.ok() ? report->said : std::string_view(output.out);
  if (!report.ok()) {
    // Without numbers, what it says is the reason; of broken ones, only if that is a failure.
    const auto is = FormatOf(output.out) == nullptr ? IsComplaint : IsFailure;
    const std::string reason = FirstOf(output.err, said, is);
    return reason.empty() ? report.status() : ToolFailed(stage, reason);
  }
  const std::string complaint = FirstOf(output.err, said, IsComplaint);
  if (Status status = CheckEnd(stage, output, *report, complaint); !status.ok()) return status;
  result.tool = report->tool;
  for (std::string& note : report->notes) result.notes.push_back(std::move(note));
  if (report->endless != nullptr && !output.exit_code && result.notes.empty()) {
    result.notes.push_back(absl::StrCat("fio's ", report->endless,
                                        " form says no end: with --status-interval another report ",
                                        "may have been cut off"));
  }
  NameJobs(report->parts);
  for (Part& part : report->parts) {
    if (part.worker.empty()) part.worker = absl::StrCat(output.rank);
    parts.push_back(std::move(part));
  }
  return absl::OkStatus();
}

constexpr double kMi = 1024.0 * 1024.0;
constexpr double kUs = 1000.0;  // nanoseconds

// The one that most people ask for.
constexpr std::string_view kHeadlinePercentile = "99";

bool HasPercentiles(const std::vector<Part>& parts, Clock clock) {
  return std::all_of(parts.begin(), parts.end(), [&](const Part& part) {
    return std::all_of(part.sides.begin(), part.sides.end(), [&](const Side& side) {
      return side.ios == 0 || !side.latencies[clock].percentiles.empty();
    });
  });
}

// Mean and percentile of a headline are of one clock: the total if fio was asked for percentiles of
// it (lat_percentiles=1, as our jobs ask), else that of completion.
Clock HeadlineClock(const std::vector<Part>& parts) {
  return HasPercentiles(parts, kTotal) ? kTotal : kCompletion;
}

// A rate of a side, and what was counted of it.
struct Rate {
  const char* name;
  double Side::*value;
  double Side::*counted;
  double unit_size;
  const char* unit;
};
constexpr Rate kRates[] = {
    {"bandwidth", &Side::bytes_per_s, &Side::counted_bytes_per_s, kMi, "MiB/s"},
    {"iops", &Side::iops, &Side::counted_iops, 1, "1/s"}};

std::string FaultOf(const Rate& rate, const Side& side) {
  return FaultOfRate(side.*rate.value / rate.unit_size, side.*rate.counted / rate.unit_size,
                     rate.unit);
}

class Writer {
 public:
  explicit Writer(const std::vector<Part>& parts)
      : parts_(parts), headline_clock_(HeadlineClock(parts)) {
    for (const Part& part : parts) groups_.insert(part.group);
  }

  std::vector<Measurement> measurements;
  std::vector<Failure> failures;

  // Groups may have run one after the other (stonewall), so each has a total of its own.
  void WriteSide(std::size_t side) {
    side_ = side;
    for (const std::string& group : groups_) {
      group_ = group;
      if (Sum(&Side::ios) > 0) WriteTotal();
    }
    for (const Part& part : parts_) {
      if (part.sides[side].ios > 0) WritePart(part, part.sides[side]);
    }
  }

  void WriteCpu() {
    for (const Part& part : parts_) {
      Dimensions dimensions = Names(part);
      std::vector<const Side*> sides;
      for (const Side& side : part.sides) sides.push_back(&side);
      AddHow(sides, dimensions);
      Add({"cpu_user", part.usr_cpu, "%", Better::kNone, false, dimensions});
      Add({"cpu_system", part.sys_cpu, "%", Better::kNone, false, dimensions});
    }
  }

 private:
  void Add(Measurement one) { measurements.push_back(std::move(one)); }

  void AddTime(std::size_t clock, std::string_view what, double ns, bool headline,
               const Dimensions& dimensions) {
    Add({absl::StrCat(kClockNames[clock], "_", std::string(what)), ns / kUs, "us", Better::kLower,
         headline && clock == headline_clock_, dimensions});
  }

  [[nodiscard]] double Sum(double Side::*field) const {
    double sum = 0;
    for (const Part& part : parts_) {
      if (part.group == group_) sum += part.sides[side_].*field;
    }
    return sum;
  }

  [[nodiscard]] Dimensions Names(const Part& part) const {
    Dimensions names = {{"worker", part.worker}};
    if (groups_.size() > 1) names.emplace_back("group", part.group);
    if (!part.job.empty()) names.emplace_back("job", part.job);
    return names;
  }

  // How those were run that did anything.
  static void AddHow(const std::vector<const Side*>& sides, Dimensions& dimensions) {
    std::vector<const Dimensions*> ways;
    for (const Side* side : sides) {
      if (side->ios > 0) ways.push_back(&side->how);
    }
    for (Dimension& each : Common(ways)) dimensions.push_back(std::move(each));
  }

  [[nodiscard]] Dimension Direction() const { return {"rw", kSides[side_]}; }

  // What was counted is the judge of a rate; a total with such a rate in it is none.
  void AddRate(const Rate& rate, const Side& side, bool headline, const Dimensions& dimensions) {
    const std::string fault = headline ? FaultOfAPart(rate) : FaultOf(rate, side);
    if (fault.empty()) {
      Add({rate.name, side.*rate.value / rate.unit_size, rate.unit, Better::kHigher, headline,
           dimensions});
    } else {
      failures.push_back({rate.name, LeftOut(dimensions, fault)});
    }
  }

  [[nodiscard]] std::string FaultOfAPart(const Rate& rate) const {
    for (const Part& part : parts_) {
      if (part.group != group_ || part.sides[side_].ios == 0) continue;
      if (!FaultOf(rate, part.sides[side_]).empty()) return "one of its parts is left out";
    }
    return {};
  }

  void AddRates(const Side& side, bool headline, const Dimensions& dimensions) {
    for (const Rate& rate : kRates) AddRate(rate, side, headline, dimensions);
    for (std::size_t clock = 0; clock < kClocks; ++clock) {
      const auto& moments = side.latencies[clock].moments;
      if (!moments) continue;
      AddTime(clock, "mean", moments->mean_ns, headline, dimensions);
      AddTime(clock, "min", moments->min_ns, false, dimensions);
      AddTime(clock, "max", moments->max_ns, false, dimensions);
    }
  }

  // Rates of workers that ran at the same time add up, and means of requests can be weighed by
  // their number. Percentiles cannot be made of percentiles: there are none of the total.
  void WriteTotal() {
    Side total{.bytes_per_s = Sum(&Side::bytes_per_s),
               .iops = Sum(&Side::iops),
               .ios = Sum(&Side::ios),
               .latencies = {}};
    for (std::size_t clock = 0; clock < kClocks; ++clock) {
      total.latencies[clock].moments = Together(clock, total.ios);
    }
    Dimensions dimensions = {Direction(), {"worker", "all"}};
    if (groups_.size() > 1) dimensions.emplace_back("group", group_);
    std::vector<const Side*> sides;
    std::set<std::string> workers;
    for (const Part& part : parts_) {
      if (part.group != group_) continue;
      sides.push_back(&part.sides[side_]);
      workers.insert(part.worker);
    }
    AddHow(sides, dimensions);
    if (workers.size() > 1) dimensions.emplace_back("numWorkers", absl::StrCat(workers.size()));
    AddRates(total, true, dimensions);
  }

  // nullopt: some of them do not say.
  [[nodiscard]] std::optional<Latency::Moments> Together(std::size_t clock, double ios) const {
    Latency::Moments all{.min_ns = std::numeric_limits<double>::max()};
    for (const Part& part : parts_) {
      const Side& side = part.sides[side_];
      if (side.ios == 0 || part.group != group_) continue;
      const auto& moments = side.latencies[clock].moments;
      if (!moments) return std::nullopt;
      all.mean_ns += moments->mean_ns * side.ios / ios;
      all.min_ns = std::min(all.min_ns, moments->min_ns);
      all.max_ns = std::max(all.max_ns, moments->max_ns);
    }
    return all;
  }

  void WritePart(const Part& part, const Side& side) {
    Dimensions dimensions = {Direction()};
    for (Dimension& name : Names(part)) dimensions.push_back(std::move(name));
    dimensions.insert(dimensions.end(), side.how.begin(), side.how.end());
    AddRates(side, false, dimensions);
    for (std::size_t clock = 0; clock < kClocks; ++clock) {
      const Latency& latency = side.latencies[clock];
      if (latency.moments) AddTime(clock, "stddev", latency.moments->stddev_ns, false, dimensions);
      for (const auto& [percent, ns] : latency.percentiles) {
        AddTime(clock, "p" + percent, ns, percent == kHeadlinePercentile, dimensions);
      }
    }
  }

  const std::vector<Part>& parts_;
  const Clock headline_clock_;
  std::set<std::string> groups_;
  std::size_t side_ = 0;
  std::string group_;
};

bool DidNothing(const std::vector<Part>& parts) {
  return std::all_of(parts.begin(), parts.end(), [](const Part& part) {
    return std::all_of(part.sides.begin(), part.sides.end(),
                       [](const Side& side) { return side.ios == 0; });
  });
}

Status CheckAsked(const std::string& json, std::size_t workers, const std::vector<Part>& parts) {
  if (json.empty()) return absl::OkStatus();
  const auto spec = ReadSpec(json);
  if (!spec.ok()) return spec.status();
  if (workers != spec->num_workers()) {
    return Unreadable("fio", absl::StrCat("outputs of ", Counted(workers, "worker"), ", not of ",
                                          spec->num_workers()));
  }
  for (const Part& part : parts) {
    const std::string otherwise = Otherwise(*spec, part);
    if (otherwise.empty()) continue;
    return Unreadable("fio", absl::StrCat("worker ", part.worker, ": ", otherwise));
  }
  return absl::OkStatus();
}

}  // namespace

std::vector<std::size_t> Runs(std::string_view output) {
  const bool is_json = AnyLine(output, kFormats[0].is_line);
  const bool is_normal = AnyLine(output, kFormats[2].is_line);
  auto starts = is_json ? RunsInJson(output) : std::vector<std::size_t>();
  // With --output-format=normal,json a run has both.
  if (is_json && (!is_normal || IsSaidInJson(output))) return starts;
  std::vector<SignAt> signs = SignsOfNormal(output);
  for (const std::size_t start : starts) signs.push_back({start, Sign::kBegins});
  return RunsBy(std::move(signs));
}

Result<Measurements> Parse(const Outputs& outputs) {
  Measurements result;
  std::vector<Part> parts;
  std::size_t workers = 0;
  for (const StageOutput& output : outputs.stages) {
    if (output.stage == "layout" && BadEnd(output).empty()) continue;
    Status status = ReadParts(output, result, parts);
    if (!status.ok()) return status;
    ++workers;
  }
  if (DidNothing(parts) && !parts.empty()) return ToolFailed("fio", "it did no I/O at all");
  if (Status status = CheckAsked(outputs.spec, workers, parts); !status.ok()) return status;
  if (parts.empty()) return Unreadable("fio", "no output");
  Writer writer(parts);
  for (std::size_t side = 0; side < kSides.size(); ++side) writer.WriteSide(side);
  writer.WriteCpu();
  result.measurements = std::move(writer.measurements);
  result.failures = std::move(writer.failures);
  return result;
}

}  // namespace twofold::suite::fio
