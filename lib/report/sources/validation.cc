#include <absl/strings/str_cat.h>
#include <absl/strings/strip.h>

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
#include "lib/show/quantity.h"
#include "lib/words/scaling.h"

namespace twofold::report {
namespace {

using show::Cell;
using show::Cells;
using show::Quantity;

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

std::uint64_t JobsOf(const Validation& record, std::uint32_t workers) {
  std::uint64_t jobs = 0;
  for (const v1::ValidationWindow& each : record.windows()) {
    if (each.workers() == workers) jobs += each.jobs();
  }
  return jobs;
}

ScalingStep FoundOf(const Validation& record, const v1::ValidationStep& step) {
  const auto known = [](bool has, double value) { return Known(has, value).value_or(0.0); };
  return {.workers = step.workers(),
          .growth = step.verdict() == "pass"        ? Growth::kEnough
                    : step.verdict() == "fail"      ? Growth::kTooLittle
                    : step.verdict() == "undecided" ? Growth::kUndecided
                                                    : Growth::kNotCompared,
          .ratio = known(step.has_ratio(), step.ratio()),
          .lower = known(step.has_lower(), step.lower()),
          .upper = known(step.has_upper(), step.upper()),
          .limit = known(step.has_least(), step.least()),
          .why = step.why(),
          .jobs = JobsOf(record, step.workers()),
          .failed = step.failed_jobs(),
          .allowed = record.allowed_failures(),
          .all_failed = step.verdict() == "failures",
          .error = step.error()};
}

/// Of a step that is a check: one that was compared, or has too many failed jobs.
std::optional<Tone> ToneOf(const ScalingStep& found, const v1::ValidationStep& step) {
  const stats::Verdict failures = found.Failures();
  if (failures == stats::Verdict::kFail) return Tone::kBad;
  for (const StepWord& each : kStepWords) {
    if (step.verdict() != each.word) continue;
    const bool open = failures == stats::Verdict::kUndecided && each.tone == Tone::kGood;
    return open ? Tone::kOpen : each.tone;
  }
  return failures == stats::Verdict::kUndecided ? std::optional(Tone::kOpen) : std::nullopt;
}

ScalingFound FoundOf(const Validation& record) {
  ScalingFound found{.scale = record.scale()};
  for (const v1::ValidationStep& step : record.steps()) {
    found.steps.push_back(FoundOf(record, step));
  }
  return found;
}

bool IsJudged(const Validation& record) {
  return record.verdict() == "pass" || record.verdict() == "fail" ||
         record.verdict() == "undecided";
}

std::string VerdictOf(const Validation& record) {
  const ScalingFound found = FoundOf(record);
  if (IsJudged(record)) return HeadlineOf(found);
  const bool interrupted = record.verdict() == "interrupted" && record.reason().empty();
  return HeadlineWithoutVerdict(interrupted ? "the validation was interrupted" : record.reason(),
                                found);
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
             {"Jobs that may fail",
              record.allowed_failures() > 0.0 ? Value(100.0 * record.allowed_failures(), "%") : ""},
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
  Cells rows = {{"Workers", "Throughput", "Ratio", "95 % interval", "Limit", "Verdict",
                 "Failed jobs", "Why"}};
  for (const v1::ValidationStep& step : record.steps()) {
    rows.push_back({std::to_string(step.workers()),
                    Quantity{Known(step.has_throughput(), step.throughput()), "/s"},
                    Quantity{Known(step.has_ratio(), step.ratio())},
                    show::Interval({Known(step.has_lower(), step.lower())},
                                   {Known(step.has_upper(), step.upper())}),
                    Quantity{Known(step.has_least(), step.least())},
                    WordOf(step.verdict(), FoundOf(record, step).Failures()),
                    std::to_string(step.failed_jobs()),
                    step.why().empty() ? step.error() : step.why()});
  }
  return {"Steps: each beside the one before", Written(rows)};
}

Cell Percentile(std::optional<double> value, std::optional<double> lower,
                std::optional<double> upper) {
  return WithInterval({value, "s"}, {lower, "s"}, {upper, "s"});
}

Table Windows(const Validation& record) {
  Cells rows = {{"Workers", "Repeat", "Throughput", "Error", "Measured", "Steady", "Wait", "Run",
                 "Overhead", "Run p99", "Round trip p99", "CPU", "Throttled", "Workers differ by"}};
  for (const v1::ValidationWindow& each : record.windows()) {
    const auto percent = [](bool has, double share) {
      return Quantity{Known(has, 100 * share), "%"};
    };
    rows.push_back({std::to_string(each.workers()), std::to_string(each.repeat()),
                    Quantity{Known(each.has_throughput(), each.throughput()), "/s"},
                    percent(each.has_log_error(), each.log_error()), Quantity{each.seconds(), "s"},
                    each.steady() ? "yes" : "no",
                    Quantity{Known(each.has_wait(), each.wait()), "s"},
                    Quantity{Known(each.has_run(), each.run()), "s"},
                    Quantity{Known(each.has_overhead(), each.overhead()), "s"},
                    Percentile(Known(each.has_run_p99(), each.run_p99()),
                               Known(each.has_run_p99_lower(), each.run_p99_lower()),
                               Known(each.has_run_p99_upper(), each.run_p99_upper())),
                    Percentile(Known(each.has_round_trip_p99(), each.round_trip_p99()),
                               Known(each.has_round_trip_p99_lower(), each.round_trip_p99_lower()),
                               Known(each.has_round_trip_p99_upper(), each.round_trip_p99_upper())),
                    Quantity{Known(each.has_cpu(), each.cpu())},
                    percent(each.has_throttled(), each.throttled()),
                    percent(each.has_spread(), each.spread())});
  }
  return {
      "Measurements: means over the jobs that succeeded, percentiles with what holds them with 95 "
      "%",
      Written(rows)};
}

// ---- what programs ask

std::vector<Check> ChecksOf(const Validation& record) {
  const ScalingFound found = FoundOf(record);
  std::vector<Check> checks;
  for (std::size_t i = 0; i < found.steps.size(); ++i) {
    const std::optional<Tone> tone = ToneOf(found.steps[i], record.steps(static_cast<int>(i)));
    if (!tone) continue;
    checks.push_back({Count(found.steps[i].workers, "worker"), *tone, TextOfStep(found, i)});
  }
  if (!IsJudged(record)) checks.push_back({"verdict", Tone::kOpen, VerdictOf(record)});
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
  if (!record.why().empty()) {
    absl::StrAppend(&document.verdict, " Why: ", absl::StripSuffix(record.why(), "."), ".");
  }
  Section scaling{.title = "Does twice the workers do twice the work?", .blocks = {}};
  Add(ScalingPictures({{"", &record}}), scaling);
  Add(Steps(record), scaling);
  if (record.repeats() == 1 && record.steps_size() > 1) {
    scaling.blocks.emplace_back(Paragraph{kMeasuredOnce});
  }
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
