#include <absl/strings/str_cat.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "lib/stats/histogram.h"
#include "lib/suite/json.h"
#include "lib/suite/latencies.h"
#include "lib/suite/spec.h"
#include "lib/suite/text.h"
#include "suites/object_storage/object_storage.h"

namespace twofold::suite::object_storage {
namespace {

using Report = v1::suites::ObjectStorageReport;
using Operation = Report::Operation;
using stats::Histogram;

constexpr double kMi = 1024.0 * 1024.0;
constexpr char kStage[] = "objects";

std::string WorkerName(std::uint32_t rank) { return absl::StrCat(kStage, " of worker ", rank); }

// ---- one report

// Its last words say why it failed; lines of progress before them do not.
std::string LastLine(std::string_view text) {
  const auto lines = Lines(text);
  const auto last = std::find_if(lines.rbegin(), lines.rend(),
                                 [](std::string_view line) { return !Strip(line).empty(); });
  return last == lines.rend() ? "" : Quoted(*last);
}

std::uint64_t Sum(const google::protobuf::RepeatedField<std::uint64_t>& values) {
  return std::accumulate(values.begin(), values.end(), std::uint64_t{0});
}

// Whether the parts of the report say the same: one that was tampered with, or mixed of two, is
// none.
Status CheckWhole(const std::string& name, const Report& report) {
  if (!(report.measured_seconds() > 0)) return Unreadable(name, "no measured time in its report");
  for (const Operation& operation : report.operations()) {
    const auto last_byte = FromMessage(operation.last_byte());
    if (!last_byte.ok() || last_byte->Count() != operation.count()) {
      return Unreadable(name, absl::StrCat(Quoted(operation.name()), ": ", operation.count(),
                                           " requests, and latencies of another number"));
    }
    if (Sum(operation.count_by_second()) != operation.count()) {
      return Unreadable(name, absl::StrCat(Quoted(operation.name()), ": ", operation.count(),
                                           " requests, and seconds of another number"));
    }
  }
  return absl::OkStatus();
}

Result<Report> ReadWhole(const StageOutput& output) {
  const std::string name = WorkerName(output.rank);
  const auto document = FindDocument(name, output.out);
  if (!document.ok()) return document.status();
  Report report;
  if (const Status status = ReadJson(document->json.dump(), report); !status.ok()) {
    return Unreadable(name, "no report: " + Quoted(std::string(status.message())));
  }
  if (const Status status = CheckWhole(name, report); !status.ok()) return status;
  return report;
}

bool HasSuccess(const Report& report) {
  return std::any_of(report.operations().begin(), report.operations().end(),
                     [](const Operation& operation) { return operation.count() > 0; });
}

// A loader that fails has a report, too, where that says why. One of which nothing succeeded is not
// failed alone: all of them may have met a store that refuses.
Result<Report> ReadReport(const StageOutput& output) {
  const std::string name = WorkerName(output.rank);
  const std::string end = BadEnd(output);
  auto report = ReadWhole(output);
  if (report.ok() && report->interrupted()) return ToolFailed(name, "interrupted before its end");
  if (end.empty() || (report.ok() && !HasSuccess(*report))) return report;
  const std::string said = LastLine(output.err);
  return ToolFailed(name, said.empty() ? end : absl::StrCat(said, " (", end, ")"));
}

// ---- all of them

/// The reports of a run by rank, and what went wrong with the others.
struct Run {
  std::map<std::uint32_t, Report> reports;
  std::vector<Failure> failures;
};

void AddFailure(Run& run, std::uint32_t rank, std::string why) {
  if (const auto rest = After(why, WorkerName(rank) + ": ")) why = std::string(*rest);
  run.failures.push_back({WorkerName(rank), std::move(why)});
}

Run ReadReports(const Outputs& outputs, std::uint32_t loaders) {
  Run run;
  for (const StageOutput& output : outputs.stages) {
    auto report = ReadReport(output);
    if (!report.ok()) {
      AddFailure(run, output.rank, std::string(report.status().message()));
    } else if (!run.reports.emplace(output.rank, *std::move(report)).second) {
      AddFailure(run, output.rank, "two reports");
    }
  }
  for (std::uint32_t rank = 0; rank < loaders; ++rank) {
    const bool is_there =
        std::any_of(outputs.stages.begin(), outputs.stages.end(),
                    [&](const StageOutput& output) { return output.rank == rank; });
    if (!is_there) AddFailure(run, rank, "no output");
  }
  return run;
}

Histogram Latencies(const v1::Histogram& message) {
  const auto histogram = FromMessage(message);
  return histogram.ok() ? *histogram : Histogram();
}

void AddUp(const google::protobuf::RepeatedField<std::uint64_t>& more,
           std::vector<std::uint64_t>& sums) {
  sums.resize(std::max(sums.size(), static_cast<std::size_t>(more.size())));
  std::transform(more.begin(), more.end(), sums.begin(), sums.begin(), std::plus<>());
}

/// Per second, while the load was as asked for: without the tail of a run that ends by itself.
struct Rates {
  double requests = 0;
  double bytes = 0;
};

Rates RatesOf(const Report& report, const Operation& operation) {
  const double seconds = report.full_seconds();
  if (!(seconds > 0)) return {};
  return {static_cast<double>(operation.full_count()) / seconds,
          static_cast<double>(operation.full_bytes()) / seconds};
}

/// One kind of request, of all loaders: as one loader would have reported it.
struct Total {
  std::uint64_t count = 0;
  std::uint64_t errors = 0;
  std::uint64_t retries = 0;
  std::uint64_t redirects = 0;
  double asked_share = 0;
  Rates rates;  // loaders work at the same time, so theirs add up
  Histogram first_byte;
  Histogram last_byte;
  stats::CensoredTimes planned;
  Histogram redirect;
  std::vector<std::uint64_t> counts;  // by second
  std::vector<std::uint64_t> octets;
  std::vector<std::uint64_t> failed;

  void Add(const Operation& operation, const Rates& more) {
    rates.requests += more.requests;
    rates.bytes += more.bytes;
    count += operation.count();
    errors += operation.errors();
    retries += operation.retries();
    redirects += operation.redirects();
    asked_share = operation.asked_share();
    first_byte.Merge(Latencies(operation.first_byte()));
    last_byte.Merge(Latencies(operation.last_byte()));
    planned.ended.Merge(Latencies(operation.planned()));
    planned.open.Merge(Latencies(operation.open()));
    redirect.Merge(Latencies(operation.redirect()));
    AddUp(operation.count_by_second(), counts);
    AddUp(operation.bytes_by_second(), octets);
    AddUp(operation.errors_by_second(), failed);
  }
};

/// Writes numbers of one kind of request.
class Writer {
 public:
  Writer(Measurements& result, Dimensions dimensions)
      : result_(result), dimensions_(std::move(dimensions)) {}

  void Add(const std::string& name, double value, const char* unit, Better better = Better::kNone,
           bool headline = false) {
    result_.measurements.push_back({name, value, unit, better, headline, dimensions_, {}});
  }

  /// Where nothing has a body (HEAD) there is no bandwidth.
  void AddRates(const Rates& rates, bool headline) {
    if (rates.bytes > 0) Add("bandwidth", rates.bytes / kMi, "MiB/s", Better::kHigher, headline);
    Add("rate", rates.requests, "1/s", Better::kHigher, headline);
  }

  void AddErrors(std::uint64_t count, std::uint64_t errors, std::uint64_t retries) {
    Add("errors", static_cast<double>(errors), "", Better::kLower);
    const auto all = static_cast<double>(count + errors);
    if (all > 0) {
      Add("error_share", 100 * static_cast<double>(errors) / all, "%", Better::kLower);
    }
    Add("retries", static_cast<double>(retries), "", Better::kLower);
  }

  void AddHistogram(const std::string& name, const Histogram& histogram, bool headline) {
    AddLatencies(name, histogram, dimensions_, headline, result_);
  }

 private:
  Measurements& result_;
  const Dimensions dimensions_;
};

// How requests were made, by the spec as the loader has understood it: those of other sizes, mixes
// or numbers of workers are not compared. Named as its fields.
Dimensions HowOf(const Report& report) {
  if (!report.has_spec()) return {};
  const auto& spec = report.spec();
  Dimensions how = {{"numworkers", absl::StrCat(spec.numworkers())},
                    {"minsize", spec.minsize()},
                    {"maxsize", spec.maxsize()}};
  const auto say = [&](const char* name, const std::string& value) {
    if (value != "0") how.emplace_back(name, value);
  };
  say("readlen", spec.readlen());
  say("rate", NumberText(spec.rate()));
  say("pctput", absl::StrCat(spec.pctput()));
  say("pctupdate", absl::StrCat(spec.pctupdate()));
  say("pctmultipart", absl::StrCat(spec.pctmultipart()));
  say("pcthead", absl::StrCat(spec.pcthead()));
  say("pctdelete", absl::StrCat(spec.pctdelete()));
  say("pctlist", absl::StrCat(spec.pctlist()));
  if (report.loaders() > 1) how.emplace_back("nodecount", absl::StrCat(report.loaders()));
  return how;
}

Dimensions Of(const std::string& operation, const Dimensions& how, const std::string& worker = "") {
  Dimensions dimensions = {{"operation", operation}};
  if (!worker.empty()) dimensions.emplace_back("worker", worker);
  dimensions.insert(dimensions.end(), how.begin(), how.end());
  return dimensions;
}

double At(const std::vector<std::uint64_t>& values, std::size_t place) {
  return place < values.size() ? static_cast<double>(values[place]) : 0;
}

// The last second may be shorter than the others, so these are numbers and not rates.
void AddSeconds(const Dimensions& dimensions, const Total& total, Measurements& result) {
  Series series{.name = "seconds",
                .dimensions = dimensions,
                .columns = {{"time", "s", Better::kNone},
                            {"requests", "", Better::kHigher},
                            {"bytes", "MiB", Better::kHigher},
                            {"errors", "", Better::kLower}},
                .rows = {}};
  const std::size_t rows = std::max(total.counts.size(), total.failed.size());
  for (std::size_t i = 0; i < rows; ++i) {
    series.rows.push_back({static_cast<double>(i), At(total.counts, i), At(total.octets, i) / kMi,
                           At(total.failed, i)});
  }
  result.series.push_back(std::move(series));
}

// Of an open loop the latency that counts is that from the planned start: a stalled sender hides
// nothing in it.
void AddTotal(const std::string& name, const Total& total, double all_requests,
              const Dimensions& how, Measurements& result) {
  const Dimensions of_all = Of(name, how, "all");
  Writer writer(result, of_all);
  writer.AddRates(total.rates, true);
  const std::uint64_t never_ended = total.planned.open.Count();
  const bool is_open = total.planned.ended.Count() + never_ended > 0;
  AddLatencies("planned_latency", total.planned, of_all, true, result);
  if (is_open) writer.Add("never_ended", static_cast<double>(never_ended), "", Better::kLower);
  writer.AddHistogram("latency", total.last_byte, !is_open);
  writer.AddHistogram("first_byte", total.first_byte, false);
  writer.AddHistogram("redirect", total.redirect, false);
  writer.AddErrors(total.count, total.errors, total.retries);
  writer.Add("redirects", static_cast<double>(total.redirects), "");
  writer.Add("asked_share", total.asked_share, "%");
  writer.Add("measured_share", 100 * static_cast<double>(total.count + total.errors) / all_requests,
             "%");
  AddSeconds(Of(name, how), total, result);
}

// Without buckets: thousands of loaders may have reported.
void AddWorker(std::uint32_t rank, const Report& report, Measurements& result) {
  const std::string worker = absl::StrCat(rank);
  for (const Operation& operation : report.operations()) {
    Writer writer(result, Of(operation.name(), HowOf(report), worker));
    writer.AddRates(RatesOf(report, operation), false);
    writer.AddErrors(operation.count(), operation.errors(), operation.retries());
    const Histogram latency = Latencies(operation.last_byte());
    if (latency.Count() == 0) continue;
    for (const auto& [what, q] : {std::pair("p50", 0.5), std::pair("p99", 0.99)}) {
      writer.Add(absl::StrCat("latency_", what),
                 static_cast<double>(latency.Quantile(q)->count()) / 1000, "us", Better::kLower);
    }
  }
  const auto& client = report.client();
  Writer writer(result, {{"worker", worker}});
  writer.Add("measured_time", report.measured_seconds(), "s");
  writer.Add(
      "client_cpu",
      100 * (client.user_cpu_seconds() + client.system_cpu_seconds()) / report.measured_seconds(),
      "%", Better::kLower);
  writer.Add("client_memory", static_cast<double>(client.max_resident_bytes()) / kMi, "MiB",
             Better::kLower);
  writer.Add("warnings", report.warnings_size(), "", Better::kLower);
}

// ---- what went wrong with requests

using FailureKind = std::tuple<std::string, std::uint32_t, std::string>;  // operation, code, cause

struct FailureCount {
  std::uint64_t count = 0;
  std::string example;
};

std::map<FailureKind, FailureCount> FailuresOf(const Run& run) {
  std::map<FailureKind, FailureCount> all;
  for (const auto& [rank, report] : run.reports) {
    for (const Report::Failure& failure : report.failures()) {
      FailureCount& known = all[{failure.operation(), failure.code(), failure.cause()}];
      if (known.count == 0) known.example = failure.example();
      known.count += failure.count();
    }
  }
  return all;
}

void AddFailures(const std::map<FailureKind, FailureCount>& failures, Measurements& result) {
  for (const auto& [kind, found] : failures) {
    const auto& [operation, code, cause] = kind;
    result.measurements.push_back(
        {.name = "failures",
         .value = static_cast<double>(found.count),
         .unit = "",
         .better = Better::kLower,
         .headline = false,
         .dimensions = {{"operation", operation}, {"code", absl::StrCat(code)}, {"cause", cause}},
         .at = {{"example", found.example}}});
  }
}

// What is not there may not be there as what writes it failed.
bool MayBeAConsequence(const FailureKind& kind) { return std::get<1>(kind) == 404; }

// "GET: SlowDown (503), 17 times"; empty: there was none. Causes come before consequences, then the
// most frequent one.
std::string WhatFailed(const std::map<FailureKind, FailureCount>& failures) {
  const auto weight = [](const auto& failure) {
    return std::pair(!MayBeAConsequence(failure.first), failure.second.count);
  };
  const auto first =
      std::max_element(failures.begin(), failures.end(),
                       [&](const auto& a, const auto& b) { return weight(a) < weight(b); });
  if (first == failures.end()) return "";
  const auto& [operation, code, cause] = first->first;
  return absl::StrCat(operation, ": ", cause, code == 0 ? "" : absl::StrCat(" (", code, ")"), ", ",
                      first->second.count, " times, such as ", Quoted(first->second.example));
}

// ---- all together

void AddConnections(const Run& run, Measurements& result) {
  double made = 0;
  double failed = 0;
  Histogram connect;
  Histogram tls;
  Histogram late;
  for (const auto& [rank, report] : run.reports) {
    made += static_cast<double>(report.connections().made());
    failed += static_cast<double>(report.connections().failed());
    connect.Merge(Latencies(report.connections().connect()));
    tls.Merge(Latencies(report.connections().tls()));
    late.Merge(Latencies(report.client().late()));
  }
  Writer writer(result, {{"worker", "all"}});
  writer.Add("connections", made, "");
  writer.Add("failed_connections", failed, "", Better::kLower);
  writer.AddHistogram("connect", connect, false);
  writer.AddHistogram("tls_handshake", tls, false);
  writer.AddHistogram("late_sends", late, false);
}

void AddTotals(const Run& run, Measurements& result) {
  std::map<std::string, Total> totals;
  double requests = 0;
  std::uint64_t written = std::numeric_limits<std::uint64_t>::max();
  for (const auto& [rank, report] : run.reports) {
    written = std::min(written, report.objects_written());
    for (const Operation& operation : report.operations()) {
      totals[operation.name()].Add(operation, RatesOf(report, operation));
      requests += static_cast<double>(operation.count() + operation.errors());
    }
  }
  const Dimensions how = HowOf(run.reports.begin()->second);
  for (const auto& [name, total] : totals) AddTotal(name, total, requests, how, result);
  Writer(result, {{"worker", "all"}}).Add("objects_written", static_cast<double>(written), "");
}

// The first loader that had nothing but failures, and what they were; nothing: there is none.
Status CheckSuccess(const Run& run, const std::map<FailureKind, FailureCount>& failures) {
  for (const auto& [rank, report] : run.reports) {
    if (HasSuccess(report)) continue;
    const std::string why = WhatFailed(failures);
    return ToolFailed(WorkerName(rank),
                      why.empty() ? "no request was made" : "no request succeeded; " + why);
  }
  return absl::OkStatus();
}

}  // namespace

Result<Measurements> Parse(const Outputs& outputs) {
  std::uint32_t loaders = 0;  // not known
  if (!outputs.spec.empty()) {
    const auto spec = ReadSpec(outputs.spec);
    if (!spec.ok()) return spec.status();
    loaders = spec->nodecount();
  }
  Run run = ReadReports(outputs, loaders);
  if (run.reports.empty()) {
    if (run.failures.empty()) return Unreadable(kStage, "no output");
    return ToolFailed(run.failures.front().stage, run.failures.front().reason);
  }
  const auto failures = FailuresOf(run);
  if (Status status = CheckSuccess(run, failures); !status.ok()) return status;
  Measurements result;
  result.tool = "twofold-objects " + run.reports.begin()->second.version();
  // Without one loader a total would be less than that of all, and look like a slow store.
  if (run.failures.empty()) {
    AddTotals(run, result);
    AddConnections(run, result);
  }
  for (const auto& [rank, report] : run.reports) AddWorker(rank, report, result);
  AddFailures(failures, result);
  result.failures = std::move(run.failures);
  return result;
}

}  // namespace twofold::suite::object_storage
