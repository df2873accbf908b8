#include <absl/strings/str_cat.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "lib/report/sources/load_figures.h"
#include "lib/report/sources/parts.h"
#include "lib/report/sources/sources.h"
#include "lib/show/quantity.h"
#include "lib/words/one_load.h"

namespace twofold::report {
namespace {

using show::Cell;
using show::Cells;
using show::Quantity;

// ---- the verdict

Cell ThroughputOf(const v1::LoadResult& result) {
  return WithInterval({Known(result.has_throughput(), result.throughput()), "/s"},
                      {Known(result.has_lower(), result.lower()), "/s"},
                      {Known(result.has_upper(), result.upper()), "/s"}, " (95 %: ");
}

/// A limit says what must not be.
std::string LimitFound(const v1::LoadLimit& limit) {
  return absl::StrCat(limit.text(), " must not be: ",
                      limit.has_value()
                          ? absl::StrCat("it was ", limit.at_least() ? "at least " : "",
                                         Value(limit.value(), limit.unit()))
                          : "it is not known, as no job has it",
                      limit.doubt().empty() ? "" : "; ", limit.doubt());
}

std::string Invalid(const v1::LoadRecord& record) {
  return absl::StrCat(
      "Invalid: something spoiled the numbers",
      record.spoiled().empty() ? "" : absl::StrCat(": ", record.spoiled(0).reason()), ". ");
}

std::string Judged(const v1::LoadRecord& record) {
  if (record.verdict() == "invalid") return Invalid(record);
  if (record.limits().empty()) return "";
  const auto is_broken = [](const v1::LoadLimit& limit) {
    return !limit.met() && !limit.undecided();
  };
  const auto broken = std::count_if(record.limits().begin(), record.limits().end(), is_broken);
  const int all = record.limits_size();
  const auto open = std::find_if(record.limits().begin(), record.limits().end(),
                                 [](const v1::LoadLimit& limit) { return limit.undecided(); });
  if (broken == 0 && open != record.limits().end()) {
    return absl::StrCat("Undecided: ", LimitFound(*open), ". ");
  }
  if (broken == 0) {
    return absl::StrCat("Pass: ",
                        all == 1 ? absl::StrCat("the limit is kept, ", LimitFound(record.limits(0)))
                                 : absl::StrCat("all ", all, " limits are kept"),
                        ". ");
  }
  const auto first = std::find_if(record.limits().begin(), record.limits().end(), is_broken);
  return absl::StrCat(
      "Fail: ",
      all == 1 ? "the limit is"
               : absl::StrCat(broken, " of ", all, broken == 1 ? " limits is" : " limits are"),
      " broken, ", LimitFound(*first), ". ");
}

// Whether jobs that had not ended hide the time that this share of the jobs takes at most.
bool IsHidden(const v1::LoadTime& time, double share) {
  return time.has_known() && share > time.known();
}

// `share`: how many jobs take no longer than that. If it is hidden, it is at least that.
Cell TimeCell(const v1::LoadTime& time, bool has, double value, double share) {
  const Quantity quantity{Known(has, value), "s"};
  return has && IsHidden(time, share) ? Cell("≥ ") + quantity : quantity;
}

std::string NeverSent(const v1::LoadResult& result) {
  const std::uint64_t left = result.jobs().planned() - result.jobs().sent();
  return left == 0 ? "" : absl::StrCat(", ", left, " more were due and never sent");
}

std::string VerdictOf(const v1::LoadRecord& record) {
  const v1::LoadResult& result = record.result();
  const v1::LoadTime& time = result.from_plan();
  const std::uint64_t bad = result.failed() + result.rejected();
  return absl::StrCat(Judged(record), Text(ThroughputOf(result)), " succeeded jobs, p99 ",
                      Text(TimeCell(time, time.has_p99(), time.p99(), 0.99)),
                      " from the planned moment on, ", bad, " of ", bad + result.succeeded(),
                      " jobs failed or were rejected", NeverSent(result), ".",
                      result.steady() || result.why_not_steady().empty()
                          ? ""
                          : absl::StrCat(" Not steady: ", result.why_not_steady(), "."));
}

Tone ToneOf(const v1::LoadRecord& record) {
  if (record.verdict() == "pass") return Tone::kGood;
  if (record.verdict() == "fail") return Tone::kBad;
  const bool open = record.verdict() == "invalid" || record.verdict() == "undecided";
  return open ? Tone::kOpen : Tone::kPlain;
}

// ---- tables

struct Named {
  const char* name;
  const v1::LoadTime& (v1::LoadResult::*time)() const;
};
using From = v1::LoadResult;
constexpr Named kTimes[] = {{"from the planned moment", &From::from_plan},
                            {"from the send", &From::from_send},
                            {"wait", &From::wait},
                            {"run", &From::run},
                            {"overhead", &From::overhead},
                            {"sent late by", &From::late}};

Table Latencies(const v1::LoadResult& result) {
  Cells rows = {{"Time", "n", "Mean", "Least", "p50", "p90", "p99", "p99.9", "Most"}};
  for (const Named& each : kTimes) {
    const v1::LoadTime& time = (result.*each.time)();
    if (time.count() + time.open() == 0) continue;
    rows.push_back(
        {each.name,
         absl::StrCat(time.count(), time.open() == 0 ? "" : absl::StrCat(" + ", time.open())),
         TimeCell(time, time.has_mean(), time.mean(), 1.0),
         TimeCell(time, time.has_min(), time.min(), 0.0),
         TimeCell(time, time.has_p50(), time.p50(), 0.5),
         TimeCell(time, time.has_p90(), time.p90(), 0.9),
         TimeCell(time, time.has_p99(), time.p99(), 0.99),
         TimeCell(time, time.has_p99_9(), time.p99_9(), 0.999),
         TimeCell(time, time.has_max(), time.max(), 1.0)});
  }
  return {
      "Times of jobs that were planned after the warm-up; n: of those that succeeded, and of "
      "those that had not ended and took at least as long as they were old",
      Written(rows)};
}

Table Percentiles(const v1::LoadTime& time) {
  Cells rows = {{"Percentile", "From", "To", "Jobs", "Needed for both ends"}};
  for (const v1::LoadPercentile& each : time.percentiles()) {
    rows.push_back({absl::StrCat("p", 100.0 * each.share()),
                    Quantity{Known(each.has_lower(), each.lower()), "s"},
                    Quantity{Known(each.has_upper(), each.upper()), "s"},
                    std::to_string(time.count() + time.open()), std::to_string(each.needed())});
  }
  return {"95 % intervals of percentiles, from the planned moment", Written(rows)};
}

Table Stages(const v1::LoadRecord& record) {
  Cells rows = {{"Stage", "From", "To", "Throughput", "p50", "p99", "Succeeded", "Failed",
                 "Rejected", "Steady"}};
  for (const v1::LoadStage& stage : record.stages()) {
    const v1::LoadResult& result = stage.result();
    const v1::LoadTime& time = result.from_plan();
    rows.push_back({stage.name(), Quantity{stage.from(), "s"}, Quantity{stage.to(), "s"},
                    ThroughputOf(result), TimeCell(time, time.has_p50(), time.p50(), 0.5),
                    TimeCell(time, time.has_p99(), time.p99(), 0.99),
                    std::to_string(result.succeeded()), std::to_string(result.failed()),
                    std::to_string(result.rejected()),
                    result.steady() ? "yes" : result.why_not_steady()});
  }
  return {"Stages", Written(rows)};
}

Table Places(const v1::LoadRecord& record) {
  Cells rows = {{"Node", "Pod", "Device", "Succeeded", "Failed", "Mean run", "Deviation"}};
  for (const v1::LoadPlace& place : record.places()) {
    rows.push_back({place.node(), place.pod(), place.device(), std::to_string(place.succeeded()),
                    std::to_string(place.failed()),
                    Quantity{Known(place.has_mean_run(), place.mean_run()), "s"},
                    Quantity{Known(place.has_deviation(), place.deviation()), "s"}});
  }
  return {"Where jobs ran, after the warm-up", Written(rows)};
}

Table Limits(const v1::LoadRecord& record) {
  Cells rows = {{"Limit", "It was", "Met"}};
  for (const v1::LoadLimit& limit : record.limits()) {
    rows.push_back({limit.text(), Quantity{Known(limit.has_value(), limit.value()), limit.unit()},
                    limit.met()         ? "yes"
                    : limit.undecided() ? "undecided"
                                        : "no"});
  }
  return {"Limits: what must not be", Written(rows)};
}

Table Spoiled(const v1::LoadRecord& record) {
  Cells rows = {{"From", "To", "Why"}};
  for (const v1::LoadSpoil& each : record.spoiled()) {
    rows.push_back({Quantity{each.from(), "s"}, Quantity{each.to(), "s"}, each.reason()});
  }
  return {"When numbers are not to be trusted", Written(rows)};
}

Table Errors(const v1::LoadRecord& record) {
  Table table{"Why jobs did not succeed", {{"Jobs", "Error"}}};
  for (const v1::LoadError& error : record.errors()) {
    table.rows.push_back({std::to_string(error.count()), error.text()});
  }
  return table;
}

// ---- sections

Section Results(const v1::LoadRecord& record) {
  Section section{.title = "Results", .blocks = {}};
  if (record.result().has_lower()) section.blocks.emplace_back(Paragraph{kMeasuredInOneLoad});
  Add(Limits(record), section);
  Add(Spoiled(record), section);
  Add(LatencyPicture({{"", &record}}), section);
  Add(Latencies(record.result()), section);
  Add(Percentiles(record.result().from_plan()), section);
  Add(Stages(record), section);
  Add(Errors(record), section);
  return section;
}

Section Setup(const v1::LoadRecord& record) {
  const v1::Origin& origin = record.origin();
  const std::vector<std::string> argv(origin.argv().begin(), origin.argv().end());
  Section section{.title = "What was run", .blocks = {}};
  section.blocks.emplace_back(Facts{
      {{"Queue", record.queue()},
       {"Program", origin.program()},
       {"Began", origin.began()},
       {"Took", Value(record.seconds(), "s")},
       {"Ended because of", record.ended_because()},
       {"Warm-up", absl::StrCat(Value(record.warm_up_seconds(), "s"),
                                record.warm_up_rule().empty() ? "" : ": ", record.warm_up_rule())},
       {"Seed", record.seed()},
       {"Frontend", origin.frontend()},
       {"Load generator on", origin.node()},
       {"Kernel", origin.kernel()},
       {"CPU", origin.cpu()},
       {"CPUs", origin.cpus() == 0 ? "" : std::to_string(origin.cpus())},
       {"Image", origin.image()}}});
  if (!argv.empty()) section.blocks.emplace_back(Code{"To run it again", CommandLine(argv)});
  if (!record.profile().empty()) section.blocks.emplace_back(Code{"Profile", record.profile()});
  return section;
}

// ---- what programs ask

std::vector<Check> ChecksOf(const v1::LoadRecord& record) {
  std::vector<Check> checks;
  for (const v1::LoadLimit& limit : record.limits()) {
    const Tone not_kept = limit.undecided() ? Tone::kOpen : Tone::kBad;
    checks.push_back({limit.text(), limit.met() ? Tone::kGood : not_kept, LimitFound(limit)});
  }
  if (record.verdict() == "invalid") {
    checks.push_back({"nothing spoiled the numbers", Tone::kOpen, Invalid(record)});
  }
  return checks;
}

std::vector<Measure> MeasuresOf(const v1::LoadRecord& record) {
  std::vector<Measure> measures;
  const v1::LoadResult& result = record.result();
  const std::pair<std::string, std::string> queue = {"queue", record.queue()};
  if (result.has_throughput()) {
    measures.push_back(
        {"load throughput", "/s", "Succeeded jobs a second", {queue}, result.throughput()});
  }
  for (const Named& each : kTimes) {
    const v1::LoadTime& time = (result.*each.time)();
    const std::pair<std::string, std::optional<double>> quantiles[] = {
        {"0.5", Known(time.has_p50(), time.p50())},
        {"0.9", Known(time.has_p90(), time.p90())},
        {"0.99", Known(time.has_p99(), time.p99())},
        {"0.999", Known(time.has_p99_9(), time.p99_9())}};
    for (const auto& [quantile, value] : quantiles) {
      if (!value || IsHidden(time, std::stod(quantile))) continue;
      measures.push_back({"load time",
                          "s",
                          "Quantiles of times of jobs that succeeded",
                          {queue, {"time", each.name}, {"q", quantile}},
                          *value});
    }
  }
  const std::pair<const char*, std::uint64_t> jobs[] = {
      {"succeeded", result.succeeded()},
      {"failed", result.failed()},
      {"rejected", result.rejected()},
      {"never sent", result.jobs().planned() - result.jobs().sent()}};
  for (const auto& [outcome, count] : jobs) {
    measures.push_back({"load jobs",
                        "",
                        "Jobs after the warm-up by how they ended",
                        {queue, {"outcome", outcome}},
                        static_cast<double>(count)});
  }
  return measures;
}

}  // namespace

Document DocumentOf(const v1::LoadRecord& record) {
  Document document{.title = absl::StrCat("Load on ", record.queue()),
                    .verdict = VerdictOf(record),
                    .tone = ToneOf(record)};
  document.sections.push_back(Results(record));
  Section time{.title = "Over time", .blocks = {}};
  Add(TimePictures(record), time);
  if (!time.blocks.empty()) document.sections.push_back(std::move(time));
  Section places{.title = "Where", .blocks = {}};
  Add(PlacePictures(record), places);
  Add(Places(record), places);
  if (!places.blocks.empty()) document.sections.push_back(std::move(places));
  document.sections.push_back(Setup(record));
  document.checks = ChecksOf(record);
  document.measures = MeasuresOf(record);
  return document;
}

}  // namespace twofold::report
