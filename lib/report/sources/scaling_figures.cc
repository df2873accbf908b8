#include "lib/report/sources/scaling_figures.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "lib/report/sources/parts.h"
#include "lib/stats/scaling_law.h"

namespace twofold::report {
namespace {

constexpr double kNormal = 1.96;  // standard errors of a 95 % interval

Axis WorkersOf(const std::vector<NamedValidation>& validations) {
  std::set<double> workers;
  for (const NamedValidation& each : validations) {
    for (const auto& step : each.record->steps()) workers.insert(step.workers());
    for (const auto& window : each.record->windows()) workers.insert(window.workers());
  }
  workers.erase(0.0);
  return {.label = "workers", .logarithmic = true, .marks = {workers.begin(), workers.end()}};
}

std::string Titled(const std::string& name, const std::string& what) {
  return name.empty() ? what : absl::StrCat(name, ": ", what);
}

/// What twice the workers would do if they did `scale` times the work.
Series Expected(const v1::ValidationRecord& record, double scale, std::string name, Colour colour) {
  Series series{.form = Form::kLine, .name = std::move(name), .colour = colour};
  const v1::ValidationStep* first = nullptr;
  for (const v1::ValidationStep& step : record.steps()) {
    if (first == nullptr && step.has_throughput() && step.workers() > 0) first = &step;
    if (first == nullptr) continue;
    const double doublings = std::log2(static_cast<double>(step.workers()) / first->workers());
    series.data.push_back(
        {static_cast<double>(step.workers()), first->throughput() * std::pow(scale, doublings)});
  }
  return series;
}

void AddThroughput(const NamedValidation& each, Colour colour, Panel& panel) {
  Series line{.form = Form::kLine, .name = Titled(each.name, "all measurements"), .colour = colour};
  for (const v1::ValidationStep& step : each.record->steps()) {
    if (step.has_throughput()) line.data.push_back({double(step.workers()), step.throughput()});
  }
  Series points{.form = Form::kPoints, .name = Titled(each.name, "each"), .colour = colour};
  Series bars{.form = Form::kIntervals, .name = "", .colour = colour};
  for (const v1::ValidationWindow& window : each.record->windows()) {
    if (!window.has_throughput()) continue;
    const auto workers = static_cast<double>(window.workers());
    points.data.push_back({workers, window.throughput()});
    if (!window.has_log_error()) continue;
    const double factor = std::exp(kNormal * window.log_error());
    bars.data.push_back({workers, window.throughput() / factor, window.throughput() * factor});
  }
  panel.series.insert(panel.series.end(), {std::move(line), std::move(bars), std::move(points)});
}

/// A plateau if that is best; else the most general law that there are numbers of workers enough
/// for: it contains the others, and its intervals say how much it knows. nullopt: too few even for
/// Amdahl's.
std::optional<stats::ScalingLaw> LawOf(const v1::ValidationRecord& record) {
  std::vector<stats::Observation> seen;
  for (const v1::ValidationWindow& window : record.windows()) {
    const bool known = window.has_throughput() && std::isfinite(window.throughput()) &&
                       window.throughput() > 0.0 && window.workers() > 0;
    if (!known) continue;
    const double error = window.has_log_error() && std::isfinite(window.log_error())
                             ? std::max(0.0, window.log_error())
                             : 0.0;
    seen.push_back({static_cast<double>(window.workers()), window.throughput(), error});
  }
  const auto laws = stats::FitScalingLaws(seen);
  if (!laws.ok() || laws->laws.empty()) return std::nullopt;
  const bool level = laws->Best() != nullptr && laws->Best()->law == stats::Law::kPlateau;
  const stats::ScalingLaw& law = level ? *laws->Best() : laws->laws.back();
  return law.law == stats::Law::kLinear ? std::nullopt : std::optional(law);
}

std::string Share(const stats::Bounded& share) {
  return absl::StrCat(Value(100.0 * share.value, "%"),
                      " (95 %: ", Interval(100.0 * share.lower, 100.0 * share.upper), ")");
}

/// What a law says, for the caption.
std::string InWords(const stats::ScalingLaw& law) {
  if (law.law == stats::Law::kPlateau) {
    return absl::StrCat(
        " Throughput grows as the workers, and levels off at ", Value(law.level_from.value),
        " of them (95 %: ", Interval(law.level_from.lower, law.level_from.upper), ").");
  }
  const bool amdahl = law.law == stats::Law::kAmdahl;
  const std::string name = amdahl ? "Amdahl's law" : "the universal scalability law";
  if (law.IsContradicted()) {
    return absl::StrCat(" The data contradict ", name,
                        ": somewhere throughput grows faster than it allows, so the "
                        "curve is only the nearest one, and its contention and peak mean nothing.");
  }
  if (!law.Holds()) {
    return absl::StrCat(" The data do not fit ", name, ", so the curve is only the nearest one.");
  }
  std::string text =
      absl::StrCat(" The fitted law is ", name, ": contention ", Share(law.contention));
  if (amdahl) return text + ".";
  absl::StrAppend(&text, ", coherency ", Share(law.coherency), "; ");
  if (!law.HasPeak()) return text + "no peak is certain within twice what was measured.";
  return absl::StrCat(text, "the peak is at ", Value(law.peak.value),
                      " workers (95 %: ", Interval(law.peak.lower, law.peak.upper), ").");
}

Series CurveOf(const stats::ScalingLaw& law) {
  constexpr int kPoints = 40;
  Series series{.form = Form::kLine, .name = "fitted law", .colour = Colour::kGreen};
  for (int i = 0; i <= kPoints; ++i) {
    const double workers = std::pow(law.largest, static_cast<double>(i) / kPoints);
    series.data.push_back({workers, law.CurveAt(workers)});
  }
  return series;
}

Picture Throughput(const std::vector<NamedValidation>& validations) {
  Panel panel{.title = "Throughput by workers",
              .x = WorkersOf(validations),
              .y = {.label = "jobs a second", .unit = "/s", .logarithmic = true}};
  std::size_t windows = 0;
  for (std::size_t i = 0; i < validations.size(); ++i) {
    const v1::ValidationRecord& record = *validations[i].record;
    windows += static_cast<std::size_t>(record.windows_size());
    const std::string& name = validations[i].name;
    panel.series.push_back(Expected(record, 2.0, Titled(name, "ideal"), Colour::kGrey));
    if (validations.size() == 1) {
      panel.series.push_back(Expected(record, record.scale(), "limit", Colour::kVermillion));
    }
    AddThroughput(validations[i], ColourOf(validations.size() == 1 ? 0 : i), panel);
  }
  std::string law_text;
  const auto law = validations.size() == 1 ? LawOf(*validations[0].record) : std::nullopt;
  if (law) {
    panel.series.push_back(CurveOf(*law));
    law_text = InWords(*law);
  }
  return PictureOf("throughput", std::move(panel),
                   absl::StrCat("Succeeded jobs a second, n = ", Count(windows, "measurement"),
                                ". Bars are 95 % intervals of each: 1.96 standard errors of its "
                                "logarithm. The line is the geometric mean of a step's "
                                "measurements; ideal is twice the work for twice the workers, from "
                                "the first step on.",
                                law_text));
}

void AddRatios(const NamedValidation& each, Colour colour, bool alone, Panel& panel) {
  Series intervals{.form = Form::kIntervals, .name = "", .colour = colour};
  Series points{.form = Form::kPoints, .name = Titled(each.name, "ratio"), .colour = colour};
  Series limit{.form = Form::kLine, .name = "limit", .colour = Colour::kVermillion};
  for (const v1::ValidationStep& step : each.record->steps()) {
    const auto workers = static_cast<double>(step.workers());
    if (step.has_least()) limit.data.push_back({workers, step.least()});
    if (!step.has_ratio()) continue;
    points.data.push_back({workers, step.ratio()});
    if (step.has_lower() && step.has_upper()) {
      intervals.data.push_back({workers, step.lower(), step.upper()});
    }
  }
  if (alone) panel.series.push_back(std::move(limit));
  panel.series.insert(panel.series.end(), {std::move(intervals), std::move(points)});
}

Picture Ratios(const std::vector<NamedValidation>& validations) {
  Panel panel{.title = "Ratio of each step to the one before",
              .x = WorkersOf(validations),
              .y = {.label = "ratio"},
              .references = {{2.0, "ideal for twice the workers"}}};
  for (std::size_t i = 0; i < validations.size(); ++i) {
    AddRatios(validations[i], ColourOf(i), validations.size() == 1, panel);
  }
  return PictureOf(
      "ratio", std::move(panel),
      "Throughput divided by that of the step before. Bars are 95 % intervals, which "
      "the verdict goes by: pass if the lower end reaches the limit, fail if the upper "
      "end stays under it, else undecided.",
      180);
}

/// A part of a job's time over workers.
struct TimePart {
  const char* name;
  bool (v1::ValidationWindow::*has)() const;
  double (v1::ValidationWindow::*value)() const;
};
using Window = v1::ValidationWindow;
constexpr TimePart kTimeParts[] = {
    {"wait", &Window::has_wait, &Window::wait},
    {"run", &Window::has_run, &Window::run},
    {"overhead", &Window::has_overhead, &Window::overhead},
    {"run p99", &Window::has_run_p99, &Window::run_p99},
    {"round trip p99", &Window::has_round_trip_p99, &Window::round_trip_p99}};

Series PartOf(const v1::ValidationRecord& record, const TimePart& part, Colour colour) {
  std::map<double, std::pair<double, double>> sums;  // by workers: sum, count
  for (const Window& window : record.windows()) {
    if (!(window.*part.has)()) continue;
    auto& [sum, count] = sums[window.workers()];
    sum += (window.*part.value)();
    count += 1.0;
  }
  Series series{.form = Form::kLine, .name = part.name, .colour = colour};
  for (const auto& [workers, sum] : sums) series.data.push_back({workers, sum.first / sum.second});
  return series;
}

std::optional<Picture> Times(const v1::ValidationRecord& record) {
  Panel panel{.title = "Where a job's time goes, by workers",
              .x = WorkersOf({{"", &record}}),
              .y = {.label = "time of a job", .unit = "s", .from_zero = true}};
  bool any = false;
  for (std::size_t i = 0; i < std::size(kTimeParts); ++i) {
    Series series = PartOf(record, kTimeParts[i], ColourOf(i));
    if (series.data.empty()) continue;
    any = true;
    panel.series.push_back(std::move(series));
  }
  if (!any) return std::nullopt;
  return PictureOf("time", std::move(panel),
                   "Means over the jobs that succeeded, and 99th percentiles. Wait is the "
                   "frontend's clock, run the worker's, overhead what is left of the round trip by "
                   "the client's clock. With ideal scaling all lines are level.");
}

/// Mean run time by node and workers.
std::optional<Picture> Nodes(const v1::ValidationRecord& record) {
  std::map<std::string, std::size_t> rows;
  std::map<std::uint32_t, std::size_t> columns;
  for (const Window& window : record.windows()) {
    for (const auto& node : window.nodes()) {
      if (!node.has_run()) continue;
      rows.emplace(node.node(), 0);
      columns.emplace(window.workers(), 0);
    }
  }
  if (rows.size() < 2 || rows.size() > kMostRows) return std::nullopt;
  Panel panel{.title = "Run time by node", .x = {.label = "workers"}, .y = {.label = "node"}};
  for (auto& [node, row] : rows) {
    row = panel.y.names.size();
    panel.y.names.push_back(node);
  }
  for (auto& [workers, column] : columns) {
    column = panel.x.names.size();
    panel.x.names.push_back(std::to_string(workers));
  }
  Series cells{.form = Form::kCells, .name = "mean run time", .unit = "s"};
  for (const Window& window : record.windows()) {
    for (const auto& node : window.nodes()) {
      if (!node.has_run()) continue;
      const auto x = static_cast<double>(columns.at(window.workers()));
      const auto y = static_cast<double>(rows.at(node.node()));
      const std::string label = absl::StrCat(node.node(), ", ", node.workers(), " of ",
                                             Count(window.workers(), "worker"));
      cells.data.push_back({x - 0.5, y - 0.5, x + 0.5, label, y + 0.5, node.run()});
    }
  }
  const double height = 20.0 + 14.0 * static_cast<double>(rows.size());
  panel.series = {std::move(cells)};
  return PictureOf("nodes", std::move(panel),
                   absl::StrCat("Mean run time of jobs on each of ", Count(rows.size(), "node"),
                                " at each step, by the workers' clocks; darker is slower. Of "
                                "repeats the last one lies on top."),
                   height);
}

}  // namespace

std::vector<Picture> ScalingPictures(const std::vector<NamedValidation>& validations) {
  return {Throughput(validations), Ratios(validations)};
}

std::vector<Picture> TimePictures(const v1::ValidationRecord& record) {
  std::vector<Picture> pictures;
  if (auto times = Times(record)) pictures.push_back(*std::move(times));
  if (auto nodes = Nodes(record)) pictures.push_back(*std::move(nodes));
  return pictures;
}

}  // namespace twofold::report
