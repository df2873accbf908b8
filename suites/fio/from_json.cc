#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lib/suite/json.h"
#include "lib/suite/text.h"
#include "suites/fio/fio.h"

namespace twofold::suite::fio {
namespace {

// Of all clients together: fio adds up what we add up, and mixes percentiles.
constexpr const char* kTotalOfClients = "All clients";

// Options that a job may have twice: fio prints all that was given.
constexpr std::string_view kRepeated[] = {"filename"};

constexpr std::pair<Clock, const char*> kFields[] = {{kTotal, "lat_ns"}, {kCompletion, "clat_ns"}};

// Of a clock that is switched off (disable_lat, disable_clat) all is 0.
Latency ReadLatency(const Json& json, std::string_view field, JsonNumbers& numbers) {
  Latency latency;
  const Json* counted = Find(json, {field, "N"});
  if (counted != nullptr && *counted == 0) return latency;
  latency.moments = {.min_ns = numbers.Get(json, {field, "min"}),
                     .max_ns = numbers.Get(json, {field, "max"}),
                     .mean_ns = numbers.Get(json, {field, "mean"}),
                     .stddev_ns = numbers.Get(json, {field, "stddev"})};
  const Json* percentiles = Find(json, {field, "percentile"});
  if (percentiles == nullptr) return latency;
  for (const auto& [key, value] : percentiles->items()) {
    const auto percent = ToNumber(key);  // "99.900000"
    if (percent) latency.percentiles.emplace_back(NumberText(*percent), numbers.Get(value, {}));
  }
  return latency;
}

std::optional<double> NumberAt(const Json& json, std::initializer_list<std::string_view> path) {
  const Json* value = Find(json, path);
  if (value == nullptr || !value->is_number()) return std::nullopt;
  return value->get<double>();
}

Side ReadSide(const Json& json, JsonNumbers& numbers) {
  Side side{.bytes_per_s = numbers.Get(json, {"bw_bytes"}),
            .iops = numbers.Get(json, {"iops"}),
            .ios = numbers.Get(json, {"total_ios"}),
            .seconds = NumberAt(json, {"runtime"}).value_or(0) / 1000,
            .latencies = {}};
  if (side.ios == 0) return side;
  if (side.seconds > 0) {
    side.counted_bytes_per_s = NumberAt(json, {"io_bytes"}).value_or(0) / side.seconds;
    side.counted_iops = side.ios / side.seconds;
  }
  for (const auto& [clock, field] : kFields) {
    side.latencies[clock] = ReadLatency(json, field, numbers);
  }
  return side;
}

// The run time of an entry is that of all its jobs, one after the other; 0: it does not say.
double JobsOf(const Json& entry, const Part& part) {
  double longest = 0;
  for (const Side& side : part.sides) longest = std::max(longest, side.seconds);
  return longest > 0 ? NumberAt(entry, {"job_runtime"}).value_or(0) / 1000 / longest : 0;
}

Part ReadPart(const Json& entry, JsonNumbers& numbers) {
  Part part{.job = TextAt(entry, {"jobname"}),
            .usr_cpu = numbers.Get(entry, {"usr_cpu"}),
            .sys_cpu = numbers.Get(entry, {"sys_cpu"})};
  if (const Json* group = Find(entry, {"groupid"})) part.group = group->dump();
  if (const std::string host = TextAt(entry, {"hostname"}); !host.empty()) {
    const Json* port = Find(entry, {"port"});
    part.worker = port != nullptr ? absl::StrCat(host, ":", port->dump()) : host;
  }
  for (std::size_t side = 0; side < kSides.size(); ++side) {
    const Json* json = Find(entry, {kSides[side]});
    part.sides[side] = ReadSide(json != nullptr ? *json : Json(), numbers);
  }
  part.jobs = JobsOf(entry, part);
  return part;
}

// fio itself exits with 0 when one of its processes was killed: what the process counted is lost.
std::string HowItDied(const Json& entry, const Part& part) {
  const Json* runtime = Find(entry, {"job_runtime"});
  const bool idle = std::all_of(part.sides.begin(), part.sides.end(),
                                [](const Side& side) { return side.ios == 0; });
  if (idle && runtime != nullptr && *runtime == 0) {
    return absl::StrCat("job ", part.job,
                        " has no run time and no I/O, as of a process that was killed");
  }
  for (std::size_t i = 0; i < kSides.size(); ++i) {
    const Side& side = part.sides[i];
    const Json* bytes = Find(entry, {kSides[i], "io_bytes"});
    if (side.ios == 0 || side.iops == 0 || bytes == nullptr || !bytes->is_number()) continue;
    // Bytes of a request, in both ways of counting.
    const double counted = bytes->get<double>() / side.ios;
    const double by_rates = side.bytes_per_s / side.iops;
    constexpr double kAgree = 1.2;
    if (by_rates > counted * kAgree || counted > by_rates * kAgree) {
      return absl::StrCat("job ", part.job, " has ", kSides[i], "s of ", NumberText(counted),
                          " bytes by their number, and of ", NumberText(by_rates),
                          " by their rates, as if a process was killed");
    }
  }
  return {};
}

// What tells a later report of one fio from another fio's.
struct Standing {
  double printed_ms = 0;
  double runtime_ms = 0;  // of the job that ran longest
  std::vector<std::string> jobs;
  std::vector<double> ios;  // of each side of each job
};

// nullopt: it does not say.
std::optional<Standing> StandingOf(const Json& json) {
  const auto printed = NumberAt(json, {"timestamp_ms"});
  const Json* jobs = Find(json, {"jobs"});
  if (!printed || jobs == nullptr || !jobs->is_array()) return std::nullopt;
  Standing standing{.printed_ms = *printed, .jobs = {}, .ios = {}};
  for (const Json& job : *jobs) {
    const auto runtime = NumberAt(job, {"job_runtime"});
    if (!runtime) return std::nullopt;
    standing.runtime_ms = std::max(standing.runtime_ms, *runtime);
    standing.jobs.push_back(TextAt(job, {"jobname"}));
    for (const char* side : kSides) {
      standing.ios.push_back(NumberAt(job, {side, "total_ios"}).value_or(0));
    }
  }
  return standing;
}

// Its jobs have run on for as long as passed between the reports, and have done no less.
bool GoesOn(const Standing& last, const Standing& next) {
  constexpr double kOffMs = 500;
  constexpr double kLeastMs = 20;  // two at the same time end together
  if (last.jobs != next.jobs) return false;
  // The end may come at the moment of a report.
  if (last.printed_ms == next.printed_ms && last.ios == next.ios) return true;
  const double ran = next.runtime_ms - last.runtime_ms;
  if (ran < kLeastMs || std::abs(next.printed_ms - last.printed_ms - ran) > kOffMs) return false;
  for (std::size_t i = 0; i < last.ios.size(); ++i) {
    if (next.ios[i] < last.ios[i]) return false;
  }
  return true;
}

// An option of a job, or of all jobs; empty: it has none.
std::string OptionOf(const Json& document, const Json& entry, std::string_view name) {
  std::string own = TextAt(entry, {"job options", name});
  return own.empty() ? TextAt(document, {"global options", name}) : own;
}

// ---- How it was run

// Old versions do not print options.
void ReadWays(const Json& document, const Json& entry, Report& report) {
  if (Find(entry, {"job options"}) == nullptr && Find(document, {"global options"}) == nullptr) {
    return;
  }
  const auto option = [&](std::string_view name) { return OptionOf(document, entry, name); };
  Part& part = report.parts.back();
  Ways ways = WaysByOptions(option);
  if (!IsDone(ways, part, !option("verify").empty())) {
    report.notes.push_back(
        absl::StrCat("job ", part.job, " did not do what its options say, as if they were of ",
                     "one of several jobs (group_reporting): how it was run ", "is not known"));
    return;
  }
  for (std::size_t i = 0; i < kSides.size(); ++i) part.sides[i].how = std::move(ways[i]);
}

// ---- Whether it is the last report

// With these a job may end before its time and its size.
constexpr const char* kOtherEnds[] = {"io_size", "number_ios", "latency_target", "exitall"};

// Whether a job has run as long, or moved as much, as its options say; so, if they do not say.
bool HasDoneAll(const Json& document, const Json& entry, const Part& part) {
  constexpr double kNearly = 0.95;
  double seconds = 0;
  double bytes = 0;
  for (const Side& side : part.sides) {
    seconds = std::max(seconds, side.seconds);
    bytes += side.counted_bytes_per_s * side.seconds;
  }
  const auto runtime = OptionSeconds(OptionOf(document, entry, "runtime"));
  const auto size = OptionBytes(OptionOf(document, entry, "size"));
  if (!runtime && !size) return true;
  const auto has = [&](const char* option) { return !OptionOf(document, entry, option).empty(); };
  if (std::any_of(std::begin(kOtherEnds), std::end(kOtherEnds), has)) return true;
  return (runtime && seconds >= kNearly * *runtime) || (size && bytes >= kNearly * *size);
}

// Why the entry is of a report that others were to follow (--status-interval); empty: it may be of
// the last one. fio says how many seconds it still needs; a run that is shorter than a second or
// two never learns that, and says the largest number.
std::string WhyEarly(const Json& document, const Json& entry, const Part& part) {
  constexpr double kUnknown = 2147483647;
  const double eta = NumberAt(entry, {"eta"}).value_or(0);
  if (eta <= 0 || (eta == kUnknown && HasDoneAll(document, entry, part))) return {};
  return absl::StrCat("it ends before its last report: ",
                      eta == kUnknown
                          ? "the job had not run as long, nor moved as much, as its options say"
                          : absl::StrCat(NumberText(eta), " s were left"));
}

}  // namespace

std::vector<std::size_t> RunsInJson(std::string_view output) {
  auto starts = DocumentStarts(output);
  const auto documents = FindDocuments("fio", output, kRepeated);
  if (!documents.ok() || documents->size() != starts.size()) return starts;
  std::vector<std::size_t> runs = {starts[0]};
  for (std::size_t i = 1; i < starts.size(); ++i) {
    const auto last = StandingOf((*documents)[i - 1].json);
    const auto next = StandingOf((*documents)[i].json);
    const bool goes_on = last && next && GoesOn(*last, *next);
    if (!goes_on) runs.push_back(starts[i]);
  }
  return runs;
}

bool IsSaidInJson(std::string_view output) {
  std::multiset<std::string> said;  // by each job
  for (const std::string_view line : Lines(output)) {
    if (const auto counts = CountsIn(Strip(line))) said.insert(std::string(*counts));
  }
  const auto documents = FindDocuments("fio", output);
  if (!documents.ok()) return true;  // that is what is wrong with it
  for (const char* key : {"jobs", "client_stats"}) {
    const Json* list = Find(documents->back().json, {key});
    if (list == nullptr || !list->is_array()) continue;
    for (const Json& entry : *list) {
      std::string counts;
      for (const char* side : kSides) {
        const Json* count = Find(entry, {side, "total_ios"});
        absl::StrAppend(&counts, count == nullptr ? "0" : count->dump(), ",");
      }
      const auto found = std::find_if(said.begin(), said.end(), [&](const std::string& each) {
        return each.starts_with(counts);
      });
      if (found == said.end()) return false;
      said.erase(found);
    }
  }
  return true;
}

Result<Report> FromJson(const std::string& stage, std::string_view text) {
  const auto documents = FindDocuments(stage, text, kRepeated);
  if (!documents.ok()) return documents.status();
  const Document* document = &documents->back();
  Report report{.tool = TextAt(document->json, {"fio version"}),
                .parts = {},
                .said = documents->front().before};
  JsonNumbers numbers(stage);
  for (const char* key : {"jobs", "client_stats"}) {
    const Json* list = Find(document->json, {key});
    if (list == nullptr || !list->is_array()) continue;
    for (const Json& entry : *list) {
      if (TextAt(entry, {"jobname"}) == kTotalOfClients) continue;
      if (report.error == 0) report.error = numbers.Get(entry, {"error"});
      if (Find(entry, {"mixed"}) != nullptr && Find(entry, {"read"}) == nullptr) {
        return Unreadable(stage, "mixed rates alone (unified_rw_reporting) are not read");
      }
      report.parts.push_back(ReadPart(entry, numbers));
      ReadWays(document->json, entry, report);
      if (report.died.empty()) report.died = HowItDied(entry, report.parts.back());
      if (report.early.empty()) {
        report.early = WhyEarly(document->json, entry, report.parts.back());
      }
    }
  }
  // Of a job that failed not all need be there.
  if (report.error == 0 && !numbers.status().ok()) return numbers.status();
  return report;
}

}  // namespace twofold::suite::fio
