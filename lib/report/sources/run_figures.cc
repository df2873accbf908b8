#include "lib/report/sources/run_figures.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "lib/report/bins.h"
#include "lib/report/sources/mean_lines.h"
#include "lib/report/sources/parts.h"
#include "lib/show/message.h"
#include "lib/stats/quantile.h"
#include "lib/stats/summary.h"
#include "lib/words/run_state.h"

namespace twofold::report {
namespace {

using show::Json;

constexpr std::size_t kMostPictures = 12;
constexpr std::size_t kMostBoxes = 40;
constexpr std::size_t kLeastForBoxes = 4;  // values: of fewer quartiles say nothing
constexpr std::size_t kMostNames = 60;

/// A headline as the figures of a run call it.
template <typename Metric>
Headline HeadlineIn(const NamedRun& run, const Metric& metric) {
  return {run.titles.Of(metric), metric.unit()};
}

/// Headlines in the order in which they come first.
std::vector<Headline> HeadlinesOf(const std::vector<NamedRun>& runs) {
  std::vector<Headline> order;
  std::set<Headline> known;
  for (const NamedRun& run : runs) {
    for (const v1::PermutationResult& each : run.results->permutations) {
      for (const v1::MetricResult& metric : each.headlines()) {
        Headline headline = HeadlineIn(run, metric);
        if (known.insert(headline).second) order.push_back(std::move(headline));
      }
    }
  }
  return order;
}

// ---- which of the varied fields is on the axis

/// Values of each varied field.
std::map<std::string, std::set<std::string>> FieldsOf(const std::vector<NamedRun>& runs) {
  std::map<std::string, std::set<std::string>> fields;
  for (const NamedRun& run : runs) {
    for (const v1::PermutationResult& each : run.results->permutations) {
      const Json varied = show::Parsed(each.varied());
      if (!varied.is_object()) continue;
      for (const auto& [name, value] : varied.items()) fields[name].insert(value.dump());
    }
  }
  return fields;
}

std::optional<double> NumberIn(const Json& varied, const std::string& field) {
  if (!varied.is_object() || !varied.contains(field) || !varied[field].is_number()) {
    return std::nullopt;
  }
  return varied[field].get<double>();
}

/// The field with the most values, of which all are numbers; empty: there is none with two.
std::string AxisField(const std::vector<NamedRun>& runs) {
  std::string best;
  std::size_t most = 1;
  for (const auto& [name, values] : FieldsOf(runs)) {
    const bool numeric = std::all_of(values.begin(), values.end(), [](const std::string& value) {
      return Json::parse(value, nullptr, false).is_number();
    });
    if (!numeric || values.size() <= most) continue;
    best = name;
    most = values.size();
  }
  return best;
}

/// What else is varied: which line a value belongs to.
std::string LineOf(Json varied, const std::string& field) {
  if (varied.is_object()) varied.erase(field);
  return show::Text(varied);
}

// ---- lines over a number

std::vector<MeanLine> LinesOf(const std::vector<NamedRun>& runs, const Headline& headline,
                              const std::string& field) {
  std::map<std::string, std::vector<MeanAt>> lines;
  for (const NamedRun& run : runs) {
    for (const v1::PermutationResult& each : run.results->permutations) {
      const Json varied = show::Parsed(each.varied());
      const auto x = NumberIn(varied, field);
      if (!x) continue;
      const std::string line = LineName(run, LineOf(varied, field));
      for (const v1::MetricResult& metric : each.headlines()) {
        if (HeadlineIn(run, metric) != headline) continue;
        lines[line].push_back({*x, metric.mean(), metric.half_width(), metric.n()});
      }
    }
  }
  std::vector<MeanLine> all;
  for (auto& [name, means] : lines) {
    std::stable_sort(means.begin(), means.end(),
                     [](const MeanAt& a, const MeanAt& b) { return a.x < b.x; });
    all.push_back({name, std::move(means)});
  }
  return all;
}

// ---- repetitions

/// Values of a headline by permutation: of jobs that succeeded and count.
using Values = std::map<Headline, std::map<std::uint64_t, std::vector<double>>>;

Values ValuesOf(const NamedRun& run) {
  Values values;
  for (const v1::PermutationResult& each : run.results->permutations) {
    for (const v1::JobResult& job : each.jobs()) {
      if (!Counts(job)) continue;
      for (const v1::Measurement& number : job.measurements()) {
        if (!number.headline() || !std::isfinite(number.value())) continue;
        values[HeadlineIn(run, number)][each.number()].push_back(number.value());
      }
    }
  }
  return values;
}

/// Boxes of the permutations that have values enough, upright over their names.
std::optional<Panel> BoxPanel(const RunResults& results, const Headline& headline,
                              std::map<std::uint64_t, std::vector<double>> values) {
  Panel panel{.title = "Repetitions",
              .x = {.label = "permutation"},
              .y = {.label = headline.title, .unit = headline.unit}};
  Series whiskers{.form = Form::kIntervals, .name = "least to most"};
  Series boxes{.form = Form::kBoxes, .name = "quartiles and median"};
  for (const v1::PermutationResult& each : results.permutations) {
    const auto found = values.find(each.number());
    if (found == values.end() || found->second.size() < kLeastForBoxes) continue;
    if (panel.x.names.size() == kMostBoxes) {
      panel.notes.push_back(absl::StrCat("the first ", kMostBoxes, " permutations are drawn"));
      break;
    }
    std::vector<double>& sorted = found->second;
    std::sort(sorted.begin(), sorted.end());
    const auto x = static_cast<double>(panel.x.names.size());
    const std::string label = absl::StrCat(each.number(), " ", VariedText(each.varied()));
    panel.x.names.push_back(std::to_string(each.number()));
    whiskers.data.push_back({x, sorted.front(), sorted.back(), label});
    boxes.data.push_back({x, stats::QuantileOf(sorted, 0.25)->value,
                          stats::QuantileOf(sorted, 0.75)->value, label, 0.0,
                          stats::Summarize(sorted).median});
  }
  if (boxes.data.empty()) return std::nullopt;
  panel.series = {std::move(whiskers), std::move(boxes)};
  return panel;
}

// ---- a headline that no number varies

std::optional<Panel> RowPanel(const std::vector<NamedRun>& runs, const Headline& headline) {
  Panel panel{.title = headline.title,
              .x = {.label = headline.title, .unit = headline.unit},
              .y = {.label = ""}};
  Series bars{.form = Form::kSpans, .name = "95 % interval", .colour = Colour::kSky};
  Series points{.form = Form::kPoints, .name = "mean", .colour = Colour::kBlue};
  for (const NamedRun& run : runs) {
    for (const v1::PermutationResult& each : run.results->permutations) {
      for (const v1::MetricResult& metric : each.headlines()) {
        if (HeadlineIn(run, metric) != headline || panel.y.names.size() == kMostNames) continue;
        const auto row = static_cast<double>(panel.y.names.size());
        const std::string name = LineName(run, VariedText(each.varied()));
        panel.y.names.push_back(name.empty() ? "all" : name);
        if (metric.n() > 1) {
          bars.data.push_back({metric.mean() - metric.half_width(), row,
                               metric.mean() + metric.half_width(), name});
        }
        points.data.push_back({metric.mean(), row, 0.0, name});
      }
    }
  }
  if (points.data.empty()) return std::nullopt;
  if (panel.y.names.size() == kMostNames) {
    panel.notes.push_back(absl::StrCat("at most ", kMostNames, " permutations are drawn"));
  }
  panel.series = {std::move(bars), std::move(points)};
  return panel;
}

std::optional<Picture> HeadlinePicture(const std::vector<NamedRun>& runs, const Headline& headline,
                                       const std::string& field, std::size_t number) {
  const std::string name = PictureName("headline", number + 1, headline.title);
  if (!field.empty()) {
    const std::vector<MeanLine> lines = LinesOf(runs, headline, field);
    if (!lines.empty()) {
      Panel panel = LinePanel(lines, {.label = field, .logarithmic = IsWide(XsOf(lines))},
                              {.label = headline.title, .unit = headline.unit});
      panel.title = absl::StrCat(headline.title, " by ", field);
      return PictureOf(name, std::move(panel),
                       absl::StrCat("Means over the jobs that succeeded, ", NOf(lines),
                                    " at each point. ", kBarsAre));
    }
  }
  auto panel = RowPanel(runs, headline);
  if (!panel) return std::nullopt;
  const double height = 24.0 + 15.0 * static_cast<double>(panel->y.names.size());
  return PictureOf(name, *std::move(panel),
                   absl::StrCat("Means over the jobs that succeeded. ", kBarsAre), height);
}

}  // namespace

Headline HeadlineOf(const v1::MetricResult& metric) { return {TitleOf(metric), metric.unit()}; }

std::string LineName(const NamedRun& run, const std::string& varied) {
  return absl::StrCat(run.name, run.name.empty() || varied.empty() ? "" : " ", varied);
}

std::string VariedText(const std::string& varied) { return show::Text(show::Parsed(varied)); }

std::vector<Picture> HeadlinePictures(const std::vector<NamedRun>& runs) {
  std::vector<Picture> pictures;
  const std::string field = AxisField(runs);
  const Values values = runs.size() == 1 ? ValuesOf(runs[0]) : Values{};
  for (const Headline& headline : HeadlinesOf(runs)) {
    if (pictures.size() == kMostPictures) break;
    auto picture = HeadlinePicture(runs, headline, field, pictures.size());
    if (!picture) continue;
    const auto found = values.find(headline);
    if (found != values.end()) {
      if (auto boxes = BoxPanel(*runs[0].results, headline, found->second)) {
        picture->figure.rows.push_back({*std::move(boxes)});
        picture->caption +=
            " Boxes are of single jobs: quartiles and median by the nearest rank, with a line from "
            "the least to the most.";
      }
    }
    pictures.push_back(*std::move(picture));
  }
  return pictures;
}

std::optional<Picture> RunTimePicture(const RunResults& results) {
  std::vector<double> seconds;
  for (const v1::PermutationResult& each : results.permutations) {
    for (const v1::JobResult& job : each.jobs()) {
      if (Counts(job)) seconds.push_back(static_cast<double>(job.run_ns()) * 1e-9);
    }
  }
  if (seconds.size() < 2) return std::nullopt;
  Panel panel{.title = "How long jobs ran",
              .x = {.label = "run time", .unit = "s", .logarithmic = IsWide(seconds)},
              .y = {.label = "jobs", .from_zero = true, .whole = true}};
  panel.series = {{Form::kBars, "", Colour::kBlue, BinsOf(seconds, panel.x.logarithmic)}};
  return PictureOf("run-time", std::move(panel),
                   absl::StrCat("Of n = ", Count(seconds.size(), "job"),
                                " that succeeded and count, by the workers' clocks."),
                   160);
}

}  // namespace twofold::report
