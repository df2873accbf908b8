#include "kubernetes/lifecycle/times/pictures.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <utility>

#include "lib/report/bins.h"

namespace twofold::lifecycle {
namespace {

using report::Axis;
using report::Colour;
using report::Datum;
using report::Figure;
using report::Form;
using report::Panel;
using report::Series;

constexpr double kMostSeconds = 20'000;  // that rates are counted for one by one
constexpr double kFinest = 1e-6;         // seconds that a bin of a histogram has at least

/// One span over all workloads.
struct Column {
  const DrawnSpan* span;
  SpanSummary summary;
  std::size_t index;  // among the values of a workload
};

std::vector<Column> ColumnsOf(const Drawn& drawn, bool DrawnSpan::*wanted) {
  std::vector<Column> columns;
  for (std::size_t i = 0; i < drawn.spans.size(); ++i) {
    if (!(drawn.spans[i].*wanted)) continue;
    std::vector<Between> values;
    for (const DrawnWorkload& workload : drawn.workloads) {
      if (workload.values[i]) values.push_back(*workload.values[i]);
    }
    SpanSummary summary = Summarize(drawn.spans[i].name, values);
    summary.optional = drawn.spans[i].optional;
    if (IsShown(summary)) columns.push_back({&drawn.spans[i], std::move(summary), i});
  }
  return columns;
}

const SpanQuantile* Quantile(const SpanSummary& summary, const char* name) {
  for (const SpanQuantile& each : summary.quantiles) {
    if (QuantileName(each.q) == name) return &each;
  }
  return nullptr;
}

/// "33..51", with units if they are not all that of `value`.
std::string IntervalText(double lower, double upper, double value) {
  std::string from = ShortTime(lower);
  std::string to = ShortTime(upper);
  const auto unit = [](const std::string& text) {
    return text.substr(std::min(text.find(' '), text.size()));
  };
  const std::string same = unit(ShortTime(value));
  const auto fits = [&](const std::string& text) { return text == "-" || unit(text) == same; };
  if (!same.empty() && fits(from) && fits(to)) {
    from = from.substr(0, from.find(' '));
    to = to.substr(0, to.find(' '));
  }
  return absl::StrCat(from, "..", to);
}

std::string Quantiles(const SpanSummary& summary) {
  const SpanQuantile* median = Quantile(summary, "p50");
  const SpanQuantile* p99 = Quantile(summary, "p99");
  if (median == nullptr || p99 == nullptr) return "no values";
  std::string text =
      absl::StrCat("median ", ShortTime(median->value), ", p99 ", ShortTime(p99->value));
  if (std::isfinite(p99->lower) || std::isfinite(p99->upper)) {
    absl::StrAppend(&text, " [", IntervalText(p99->lower, p99->upper, p99->value), "]");
  }
  return text;
}

Axis TimeAxis(bool logarithmic) {
  return {.label = "time", .unit = "s", .logarithmic = logarithmic, .from_zero = true};
}

std::vector<report::Reference> Percentiles(const SpanSummary& summary, bool upright) {
  std::vector<report::Reference> lines;
  for (const auto& [name, words] : {std::pair{"p50", "median"}, std::pair{"p99", "p99"}}) {
    const SpanQuantile* each = Quantile(summary, name);
    if (each == nullptr || !std::isfinite(each->value)) continue;
    if (!lines.empty() && lines.back().at == each->value) continue;  // of very few values
    lines.push_back({each->value, absl::StrCat(words, " ", ShortTime(each->value)), upright});
  }
  return lines;
}

using Place = std::function<double(std::size_t)>;  // on the x axis, of the workload of this number

/// What is known of the p99 by chance and by what was not seen exactly.
Series BandOf(const Column& column, double from, double to) {
  Series band{Form::kBand, "95 % interval of p99", Colour::kOrange};
  const SpanQuantile* p99 = Quantile(column.summary, "p99");
  if (p99 == nullptr || !std::isfinite(p99->lower) || !std::isfinite(p99->upper)) return band;
  band.data = {{from, p99->lower, p99->upper}, {to, p99->lower, p99->upper}};
  return band;
}

/// One shape a workload: its value belongs to it and to no other.
std::vector<Series> SeriesOf(const Drawn& drawn, const Column& column, const Place& place) {
  Series points{Form::kPoints, "", Colour::kBlue};
  Series intervals{Form::kIntervals, "known inexactly: between these", Colour::kBlue};
  Series lost{Form::kLost, "never came", Colour::kVermillion};
  for (std::size_t i = 0; i < drawn.workloads.size(); ++i) {
    const DrawnWorkload& workload = drawn.workloads[i];
    const auto& value = workload.values[column.index];
    if (!value) continue;
    if (!value->Came()) {
      lost.data.push_back({place(i), 0, 0, workload.name});
    } else if (value->low < value->high) {
      intervals.data.push_back({place(i), value->low, value->high, workload.name});
    } else {
      points.data.push_back({place(i), value->high, 0, workload.name});
    }
  }
  const std::size_t all = drawn.workloads.size();
  std::vector<Series> series;
  if (all > 0) series.push_back(BandOf(column, place(0), place(all - 1)));
  if (!intervals.data.empty() || !lost.data.empty()) points.name = "a workload";
  for (Series* each : {&intervals, &points, &lost}) series.push_back(std::move(*each));
  std::erase_if(series, [](const Series& each) { return each.data.empty(); });
  return series;
}

Panel SpanPanel(const Drawn& drawn, const Column& column, const Place& place, bool logarithmic) {
  Panel panel{.title = TitleOf(*column.span, column.summary), .y = TimeAxis(logarithmic)};
  panel.series = SeriesOf(drawn, column, place);
  panel.references = Percentiles(column.summary, false);
  if (column.summary.negative > 0) {
    panel.notes.push_back(absl::StrCat(column.summary.negative,
                                       " end before they begin, for certain: clocks disagree"));
  }
  return panel;
}

Panel ByNumber(const Drawn& drawn, const Column& column, bool logarithmic) {
  const Place place = [](std::size_t i) { return static_cast<double>(i + 1); };
  Panel panel = SpanPanel(drawn, column, place, logarithmic);
  panel.x = {.label = "number of the workload, in the order of sending", .whole = true};
  return panel;
}

Axis SentAxis(const Drawn& drawn, const std::string& label) {
  const double last = drawn.workloads.empty() ? 0.0 : drawn.workloads.back().sent;
  return {.label = label, .unit = "s", .least = 0.0, .most = last};
}

Panel BySending(const Drawn& drawn, const Column& column, bool logarithmic) {
  const Place place = [&](std::size_t i) { return drawn.workloads[i].sent; };
  Panel panel = SpanPanel(drawn, column, place, logarithmic);
  panel.x = SentAxis(drawn, "sent, after the first");
  panel.share = 1.9;
  return panel;
}

/// Bins narrower than what is known of a value would pretend. Nothing is known to a nanosecond.
double Resolution(std::vector<double> widths) {
  if (widths.empty()) return kFinest;
  const auto middle = widths.begin() + static_cast<std::ptrdiff_t>(widths.size() / 2);
  std::nth_element(widths.begin(), middle, widths.end());
  return std::max(*middle / 2.0, kFinest);
}

Panel HistogramOf(const Drawn& drawn, const Column& column, bool logarithmic) {
  std::vector<double> values;
  std::vector<double> widths;
  for (const DrawnWorkload& workload : drawn.workloads) {
    const auto& value = workload.values[column.index];
    if (!value || !value->Came()) continue;
    values.push_back(value->Middle());
    widths.push_back(value->high - value->low);
  }
  Panel panel{.title = "How many took how long"};
  panel.x = TimeAxis(logarithmic);
  panel.y = {.label = "workloads", .from_zero = true, .whole = true};
  panel.series = {{Form::kBars, "", Colour::kBlue,
                   report::BinsOf(values, logarithmic, Resolution(std::move(widths)))}};
  panel.references = Percentiles(column.summary, true);
  if (column.summary.inexact > 0) {
    panel.notes.push_back(
        absl::StrCat(column.summary.inexact, " known inexactly: by their middle"));
  }
  return panel;
}

// ---- rates

/// How many a second, for each second, or for each `width` of them.
std::vector<Datum> CountsBySecond(const std::vector<double>& at, double width) {
  const auto [low, high] = std::minmax_element(at.begin(), at.end());
  const double first = std::floor(*low / width);
  std::vector<double> counts(static_cast<std::size_t>(std::floor(*high / width) - first) + 1);
  for (const double each : at)
    counts[static_cast<std::size_t>(std::floor(each / width) - first)] += 1.0;
  std::vector<Datum> steps;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double begin = (first + static_cast<double>(i)) * width;
    steps.push_back({begin, counts[i] / width, begin + width});
  }
  return steps;
}

double SpanOfAll(const std::vector<DrawnRate>& rates) {
  double low = 0.0;
  double high = 0.0;
  for (const DrawnRate& rate : rates) {
    for (const double at : rate.at) {
      low = std::min(low, at);
      high = std::max(high, at);
    }
  }
  return high - low;
}

Panel RatesPanel(const Drawn& drawn) {
  const double width = std::max(1.0, std::ceil(SpanOfAll(drawn.rates) / kMostSeconds));
  Panel panel{.title = "How many came past each step a second"};
  panel.x = SentAxis(drawn, "after the first was sent");
  panel.y = {.label = "a second", .from_zero = true, .whole = width == 1.0};
  if (width > 1.0) panel.notes.push_back(absl::StrCat("averages of ", width, " s each"));
  std::size_t inexact = 0;
  for (std::size_t i = 0; i < drawn.rates.size(); ++i) {
    const DrawnRate& rate = drawn.rates[i];
    inexact += rate.inexact;
    if (rate.at.empty()) continue;
    panel.series.push_back({Form::kSteps, rate.name, static_cast<Colour>(i % report::kColours),
                            CountsBySecond(rate.at, width)});
  }
  for (const Plateau& plateau : drawn.plateaus) {
    panel.references.push_back(
        {plateau.rate, absl::StrFormat("limit: %s %.1f/s", plateau.step, plateau.rate)});
    panel.notes.push_back(Describe(plateau));
  }
  if (inexact > 0) {
    panel.notes.push_back(
        absl::StrCat(inexact, " known inexactly: counted at the end of what is possible"));
  }
  return panel;
}

// ---- figures

/// How many workloads lack a value, or have an inexact one, in what the figure shows.
std::string LossLine(const Drawn& drawn, const std::vector<Column>& columns) {
  std::size_t missing = 0;
  std::size_t inexact = 0;
  for (const DrawnWorkload& workload : drawn.workloads) {
    const auto any = [&](const std::function<bool(const Between&)>& is) {
      return std::any_of(columns.begin(), columns.end(), [&](const Column& column) {
        const auto& value = workload.values[column.index];
        return value && is(*value);
      });
    };
    if (any([](const Between& value) { return !value.Came(); })) ++missing;
    if (any([](const Between& value) { return value.Came() && value.low < value.high; })) ++inexact;
  }
  std::string line = absl::StrCat(missing, " with something missing, ", inexact,
                                  " with something known inexactly");
  if (drawn.not_sent > 0) {
    absl::StrAppend(&line, "; ", drawn.not_sent,
                    " more are not drawn, as no time of sending is known");
  }
  return line;
}

Figure FigureOf(const Drawn& drawn, const std::vector<Column>& columns) {
  return {.title = drawn.headline, .lines = {LossLine(drawn, columns)}};
}

}  // namespace

std::string ShortTime(double seconds) {
  if (!std::isfinite(seconds)) return "-";
  const double size = std::abs(seconds);
  const auto text = [](double value, const char* unit) {
    return std::abs(value) < 99.95 ? absl::StrFormat("%.3g %s", value, unit)
                                   : absl::StrFormat("%.0f %s", value, unit);
  };
  if (size == 0.0 || size >= 1.0) return text(seconds, "s");
  return size >= 1e-3 ? text(seconds * 1e3, "ms") : text(seconds * 1e6, "us");
}

std::string TitleOf(const DrawnSpan& span, const SpanSummary& summary) {
  std::string title =
      absl::StrCat("Time between ", span.from, " and ", span.to, " (", Quantiles(summary));
  if (summary.missing > 0) absl::StrAppend(&title, ", ", summary.missing, " missing");
  if (summary.inexact > 0) absl::StrAppend(&title, ", ", summary.inexact, " inexact");
  return title + ")";
}

Figure GeneralPicture(const Drawn& drawn, bool logarithmic) {
  const std::vector<Column> columns = ColumnsOf(drawn, &DrawnSpan::general);
  Figure figure = FigureOf(drawn, columns);
  figure.panel_height = 150;
  for (const Column& column : columns) {
    figure.rows.push_back({ByNumber(drawn, column, logarithmic)});
  }
  figure.rows.push_back({RatesPanel(drawn)});
  return figure;
}

Figure DetailedPicture(const Drawn& drawn, bool logarithmic) {
  const std::vector<Column> columns = ColumnsOf(drawn, &DrawnSpan::detailed);
  Figure figure = FigureOf(drawn, columns);
  figure.width = 1200;
  for (const Column& column : columns) {
    figure.rows.push_back(
        {BySending(drawn, column, logarithmic), HistogramOf(drawn, column, logarithmic)});
  }
  figure.rows.push_back({RatesPanel(drawn)});
  return figure;
}

}  // namespace twofold::lifecycle
