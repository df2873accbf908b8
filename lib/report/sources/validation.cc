#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lib/report/sources/parts.h"
#include "lib/report/sources/scaling_figures.h"
#include "lib/report/sources/sources.h"

namespace twofold::report {
namespace {

using Validation = v1::ValidationRecord;

// ---- the verdict

struct StepWord {
  const char* word;
  Tone tone;
};

// Of steps that are judged.
constexpr StepWord kStepWords[] = {{"pass", Tone::kGood},
                                   {"fail", Tone::kBad},
                                   {"failures", Tone::kBad},
                                   {"undecided", Tone::kOpen}};

std::optional<Tone> ToneOf(const v1::ValidationStep& step) {
  for (const StepWord& each : kStepWords) {
    if (step.verdict() == each.word) return each.tone;
  }
  return std::nullopt;
}

const v1::ValidationStep* FirstWith(const Validation& record, Tone tone) {
  for (const v1::ValidationStep& step : record.steps()) {
    if (ToneOf(step) == tone) return &step;
  }
  return nullptr;
}

std::string RatioOf(const v1::ValidationStep& step) {
  const std::string interval =
      Interval(Known(step.has_lower(), step.lower()), Known(step.has_upper(), step.upper()));
  return absl::StrCat(Value(Known(step.has_ratio(), step.ratio())),
                      interval == "-" ? "" : absl::StrCat(" (95 %: ", interval, ")"));
}

std::string StepFound(const v1::ValidationStep& step) {
  if (step.verdict() == "failures") {
    return absl::StrCat(step.workers(), " workers: jobs failed",
                        step.error().empty() ? "" : absl::StrCat(", ", step.error()));
  }
  return absl::StrCat(step.workers(), " workers: ", RatioOf(step), ", limit ",
                      Value(Known(step.has_least(), step.least())));
}

std::string VerdictOf(const Validation& record) {
  const std::string claim =
      absl::StrCat("at least ", Value(record.scale()), " times the work for twice the workers");
  const std::uint32_t most =
      record.steps().empty() ? record.limit() : record.steps().rbegin()->workers();
  if (record.verdict() == "pass") {
    return absl::StrCat("Pass: ", claim, ", up to ", Count(most, "worker"), ".");
  }
  if (record.verdict() == "fail") {
    const v1::ValidationStep* first = FirstWith(record, Tone::kBad);
    return absl::StrCat("Fail: not ", claim, ".",
                        first == nullptr ? "" : absl::StrCat(" First at ", StepFound(*first), "."));
  }
  if (record.verdict() == "undecided") {
    const v1::ValidationStep* first = FirstWith(record, Tone::kOpen);
    return absl::StrCat(
        "Undecided: the measurements do not say whether there is ", claim, ".",
        first == nullptr ? "" : absl::StrCat(" First at ", StepFound(*first), "."),
        first == nullptr || first->why().empty() ? "" : absl::StrCat(" ", first->why(), "."));
  }
  return absl::StrCat("No verdict",
                      record.verdict() == "interrupted" ? ": the validation was interrupted" : "",
                      record.reason().empty() ? "" : absl::StrCat(": ", record.reason()), ".");
}

Tone ToneOf(const Validation& record) {
  for (const StepWord& each : kStepWords) {
    if (record.verdict() == each.word) return each.tone;
  }
  return Tone::kOpen;
}

// ---- what was run

Section Setup(const Validation& record) {
  const std::string pods = record.pods() == "these" ? "the measured pods" : "any pods";
  const std::vector<std::string> argv(record.argv().begin(), record.argv().end());
  Section section{.title = "What was run", .blocks = {}};
  section.blocks.emplace_back(
      Facts{{{"Deployment", record.deployment()},
             {"Queue", record.queue()},
             {"A job takes", Value(record.job_seconds(), "s")},
             {"Limit", absl::StrCat(Value(record.scale()), " x for twice the workers")},
             {"Most workers", std::to_string(record.limit())},
             {"Verdicts are on", pods},
             {"Repeats", std::to_string(record.repeats())},
             {"Workers differ by", record.has_spread() ? Value(100.0 * record.spread(), "%") : ""},
             {"Frontend", record.frontend()},
             {"Began", record.began()}}});
  if (!argv.empty()) section.blocks.emplace_back(Code{"To run it again", CommandLine(argv)});
  return section;
}

// ---- tables

Table Steps(const Validation& record) {
  Table table{"Steps: each beside the one before",
              {{"Workers", "Throughput", "Ratio", "95 % interval", "Limit", "Verdict",
                "Failed jobs", "Why"}}};
  for (const v1::ValidationStep& step : record.steps()) {
    table.rows.push_back(
        {std::to_string(step.workers()),
         Value(Known(step.has_throughput(), step.throughput()), "/s"),
         Value(Known(step.has_ratio(), step.ratio())),
         Interval(Known(step.has_lower(), step.lower()), Known(step.has_upper(), step.upper())),
         Value(Known(step.has_least(), step.least())), step.verdict(),
         std::to_string(step.failed_jobs()), step.why().empty() ? step.error() : step.why()});
  }
  return table;
}

Table Windows(const Validation& record) {
  Table table{"Measurements: means over the jobs that succeeded",
              {{"Workers", "Repeat", "Throughput", "Error", "Measured", "Steady", "Wait", "Run",
                "Overhead", "Run p99", "Round trip p99", "CPU", "Throttled", "Workers differ by"}}};
  for (const v1::ValidationWindow& each : record.windows()) {
    const auto percent = [](bool has, double share) { return Value(Known(has, 100 * share), "%"); };
    table.rows.push_back(
        {std::to_string(each.workers()), std::to_string(each.repeat()),
         Value(Known(each.has_throughput(), each.throughput()), "/s"),
         percent(each.has_log_error(), each.log_error()), Value(each.seconds(), "s"),
         each.steady() ? "yes" : "no", Value(Known(each.has_wait(), each.wait()), "s"),
         Value(Known(each.has_run(), each.run()), "s"),
         Value(Known(each.has_overhead(), each.overhead()), "s"),
         Value(Known(each.has_run_p99(), each.run_p99()), "s"),
         Value(Known(each.has_round_trip_p99(), each.round_trip_p99()), "s"),
         Value(Known(each.has_cpu(), each.cpu())), percent(each.has_throttled(), each.throttled()),
         percent(each.has_spread(), each.spread())});
  }
  return table;
}

// ---- what programs ask

std::vector<Check> ChecksOf(const Validation& record) {
  std::vector<Check> checks;
  for (const v1::ValidationStep& step : record.steps()) {
    const std::optional<Tone> tone = ToneOf(step);
    if (!tone) continue;
    checks.push_back({absl::StrCat(step.workers(), " workers"), *tone, StepFound(step)});
  }
  const bool judged =
      record.verdict() == "pass" || record.verdict() == "fail" || record.verdict() == "undecided";
  if (!judged) checks.push_back({"verdict", Tone::kOpen, VerdictOf(record)});
  return checks;
}

std::vector<Measure> MeasuresOf(const Validation& record) {
  std::vector<Measure> measures;
  for (const v1::ValidationStep& step : record.steps()) {
    const auto add = [&](bool has, const char* name, const char* unit, const char* help,
                         double value) {
      if (!has) return;
      measures.push_back({name,
                          unit,
                          help,
                          {{"deployment", record.deployment()},
                           {"queue", record.queue()},
                           {"workers", std::to_string(step.workers())}},
                          value});
    };
    add(step.has_throughput(), "validation throughput", "/s", "Jobs a second", step.throughput());
    add(step.has_ratio(), "validation ratio", "", "Throughput to that of the step before",
        step.ratio());
    add(step.has_lower(), "validation ratio lower", "", "Lower end of its 95 % interval",
        step.lower());
    add(step.has_upper(), "validation ratio upper", "", "Upper end of its 95 % interval",
        step.upper());
  }
  return measures;
}

}  // namespace

Document DocumentOf(const v1::ValidationRecord& record) {
  Document document{.title = absl::StrCat("Scaling of ", record.deployment()),
                    .verdict = VerdictOf(record),
                    .tone = ToneOf(record)};
  if (!record.why().empty()) absl::StrAppend(&document.verdict, " ", record.why());
  Section scaling{.title = "Does twice the workers do twice the work?", .blocks = {}};
  Add(ScalingPictures({{"", &record}}), scaling);
  Add(Steps(record), scaling);
  document.sections.push_back(std::move(scaling));
  Section time{.title = "Where the time went", .blocks = {}};
  Add(TimePictures(record), time);
  Add(Windows(record), time);
  if (!time.blocks.empty()) document.sections.push_back(std::move(time));
  document.sections.push_back(Setup(record));
  document.checks = ChecksOf(record);
  document.measures = MeasuresOf(record);
  return document;
}

}  // namespace twofold::report
