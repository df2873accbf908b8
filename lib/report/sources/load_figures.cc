#include "lib/report/sources/load_figures.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "lib/report/sources/parts.h"
#include "lib/stats/histogram.h"

namespace twofold::report {
namespace {

constexpr double kNs = 1e-9;
constexpr std::size_t kHeatColumns = 100;
constexpr double kHeatRows = 40;
constexpr double kLeastRatio = 1.19;  // of a row of the heat map: four an octave

// ---- latency by percentile

/// From each bucket's first rank on: 1 / (1 - p) and the bucket's highest value, in seconds.
std::vector<Datum> Percentiles(const v1::Histogram& histogram) {
  std::vector<Datum> line;
  const int buckets = std::min(histogram.bucket_size(), histogram.count_size());
  double all = 0.0;
  for (int i = 0; i < buckets; ++i) all += static_cast<double>(histogram.count(i));
  double before = 0.0;
  for (int i = 0; i < buckets && before < all; ++i) {
    const std::uint64_t ns =
        std::min(stats::HighestOf(stats::BucketOf(histogram.bucket(i))), histogram.max());
    line.push_back({all / (all - before), static_cast<double>(ns) * kNs});
    before += static_cast<double>(histogram.count(i));
  }
  return line;
}

struct Latency {
  const char* name;
  const v1::LoadTime& (v1::LoadResult::*time)() const;
};
using LoadTimes = v1::LoadResult;
constexpr Latency kLatencies[] = {{"from the planned moment", &LoadTimes::from_plan},
                                  {"from the send", &LoadTimes::from_send},
                                  {"wait", &LoadTimes::wait},
                                  {"run", &LoadTimes::run},
                                  {"overhead", &LoadTimes::overhead}};

void AddPercentiles(const NamedLoad& load, const Latency& latency, Colour colour, Panel& panel) {
  const v1::LoadTime& time = (load.record->result().*latency.time)();
  Series series{.form = Form::kLine,
                .name = load.name.empty() ? latency.name : load.name,
                .colour = colour,
                .data = Percentiles(time.histogram())};
  if (!series.data.empty()) panel.series.push_back(std::move(series));
}

// ---- over time

struct Rate {
  const char* name;
  Colour colour;
  bool (*has)(const v1::LoadSlice&);
  double (v1::LoadSlice::*value)() const;
};
constexpr Rate kRates[] = {
    {"planned", Colour::kGrey, [](const v1::LoadSlice& slice) { return slice.has_planned(); },
     &v1::LoadSlice::planned},
    {"sent", Colour::kSky, [](const v1::LoadSlice&) { return true; }, &v1::LoadSlice::sent},
    {"succeeded", Colour::kBlue, [](const v1::LoadSlice&) { return true; },
     &v1::LoadSlice::succeeded},
    {"failed", Colour::kOrange, [](const v1::LoadSlice& slice) { return slice.failed() > 0.0; },
     &v1::LoadSlice::failed},
    {"rejected", Colour::kVermillion,
     [](const v1::LoadSlice& slice) { return slice.rejected() > 0.0; }, &v1::LoadSlice::rejected}};
constexpr Rate kOutstanding[] = {
    {"outstanding", Colour::kBlue, [](const v1::LoadSlice&) { return true; },
     &v1::LoadSlice::outstanding},
    {"parallel", Colour::kGrey, [](const v1::LoadSlice& slice) { return slice.has_parallel(); },
     &v1::LoadSlice::parallel}};

// Files of older releases do not say it.
double Length(const v1::LoadRecord& record, const v1::LoadSlice& slice) {
  return slice.seconds() > 0.0 ? slice.seconds() : record.slice_seconds();
}

template <std::size_t size>
Panel Slices(const v1::LoadRecord& record, const Rate (&rates)[size], Axis y) {
  Panel panel{.x = {.label = "since the load began", .unit = "s"},
              .y = std::move(y),
              .series = SpecialParts(record)};
  for (const Rate& rate : rates) {
    Series series{.form = Form::kSteps, .name = rate.name, .colour = rate.colour};
    double at = 0.0;
    for (const v1::LoadSlice& slice : record.slices()) {
      if (rate.has(slice)) {
        series.data.push_back({at, (slice.*rate.value)(), at + Length(record, slice)});
      }
      at += Length(record, slice);
    }
    if (!series.data.empty()) panel.series.push_back(std::move(series));
  }
  return panel;
}

Picture Throughput(const v1::LoadRecord& record) {
  Picture picture{.name = "throughput",
                  .figure = {.title = "Throughput over time", .panel_height = 160},
                  .caption = absl::StrCat(
                      "Jobs a second in slices of ", Value(record.slice_seconds(), "s"),
                      ", n = ", Count(static_cast<std::uint64_t>(record.slices_size()), "slice"),
                      ", and how many were under way at the end of each. Grey: the warm-up, which "
                      "is in no result. Red: something spoiled the numbers.")};
  picture.figure.rows = {
      {Slices(record, kRates, {.label = "jobs a second", .unit = "/s", .from_zero = true})},
      {Slices(record, kOutstanding, {.label = "jobs", .from_zero = true, .whole = true})}};
  return picture;
}

/// Cells of a heat map: how many jobs took how long in which part of the load.
class HeatMap {
 public:
  explicit HeatMap(const v1::LoadRecord& record) : record_(record) {
    const auto slices = static_cast<std::size_t>(record.slices_size());
    together_ = std::max<std::size_t>(1, (slices + kHeatColumns - 1) / kHeatColumns);
    for (const v1::LoadSlice& slice : record.slices()) Widen(slice.from_plan());
    ratio_ = std::max(kLeastRatio, std::pow(most_ / least_, 1.0 / kHeatRows));
  }

  [[nodiscard]] double width() const {
    return record_.slice_seconds() * static_cast<double>(together_);
  }

  [[nodiscard]] Series Draw() const {
    std::map<std::pair<std::size_t, double>, double> counts;
    for (int i = 0; i < record_.slices_size(); ++i) {
      const v1::Histogram& histogram = record_.slices(i).from_plan();
      for (int b = 0; b < std::min(histogram.bucket_size(), histogram.count_size()); ++b) {
        const double row = RowOf(static_cast<double>(histogram.bucket(b)));
        counts[{static_cast<std::size_t>(i) / together_, row}] +=
            static_cast<double>(histogram.count(b));
      }
    }
    Series cells{.form = Form::kCells, .name = "jobs"};
    for (const auto& [cell, count] : counts) {
      const double left = static_cast<double>(cell.first) * width();
      cells.data.push_back(
          {left, At(cell.second), left + width(), "", At(cell.second + 1.0), count});
    }
    return cells;
  }

 private:
  void Widen(const v1::Histogram& histogram) {
    for (const std::uint64_t ns : histogram.bucket()) {
      least_ = std::min(least_, std::max(1.0, static_cast<double>(ns)));
      most_ = std::max(most_, static_cast<double>(ns));
    }
  }
  [[nodiscard]] double RowOf(double ns) const {
    return std::floor(std::log(std::max(ns, least_) / least_) / std::log(ratio_) + 1e-9);
  }
  [[nodiscard]] double At(double row) const { return least_ * std::pow(ratio_, row) * kNs; }

  const v1::LoadRecord& record_;
  std::size_t together_ = 1;
  double least_ = 1e18;
  double most_ = 1.0;
  double ratio_ = kLeastRatio;
};

std::optional<Picture> Heat(const v1::LoadRecord& record) {
  const HeatMap map(record);
  Panel panel{.title = "Latency over time",
              .x = {.label = "since the load began", .unit = "s"},
              .y = {.label = "latency", .unit = "s", .logarithmic = true}};
  panel.series = {map.Draw()};
  if (panel.series[0].data.empty()) return std::nullopt;
  return PictureOf("latency-over-time", std::move(panel),
                   absl::StrCat("How many jobs that ended in each ", Value(map.width(), "s"),
                                " took how long from the planned moment on; the darker the more, "
                                "by the logarithm. The warm-up is in it."),
                   260);
}

}  // namespace

std::vector<Series> SpecialParts(const v1::LoadRecord& record) {
  std::vector<Series> parts;
  if (record.warm_up_seconds() > 0.0) {
    parts.push_back({.form = Form::kStretches,
                     .name = "warm-up",
                     .colour = Colour::kGrey,
                     .data = {{0.0, 0.0, record.warm_up_seconds()}}});
  }
  Series spoiled{.form = Form::kStretches, .name = "spoiled", .colour = Colour::kVermillion};
  for (const v1::LoadSpoil& each : record.spoiled()) {
    spoiled.data.push_back({each.from(), 0.0, each.to(), each.reason()});
  }
  if (!spoiled.data.empty()) parts.push_back(std::move(spoiled));
  return parts;
}

std::optional<Picture> LatencyPicture(const std::vector<NamedLoad>& loads) {
  Panel panel{.title = "Latency by percentile",
              .x = {.label = "percentile: so many jobs were faster",
                    .logarithmic = true,
                    .percentiles = true},
              .y = {.label = "time", .unit = "s", .logarithmic = true}};
  std::uint64_t jobs = 0;
  for (std::size_t i = 0; i < loads.size(); ++i) {
    jobs += loads[i].record->result().from_plan().count();
    const std::size_t lines = loads.size() == 1 ? std::size(kLatencies) : 1;
    for (std::size_t line = 0; line < lines; ++line) {
      AddPercentiles(loads[i], kLatencies[line], ColourOf(i + line), panel);
    }
  }
  if (panel.series.empty()) return std::nullopt;
  return PictureOf("latency", std::move(panel),
                   absl::StrCat("Of n = ", Count(jobs, "job"),
                                " that succeeded after the warm-up, each within 1/128 of its "
                                "value. From the planned moment on, a generator or queue that "
                                "stalls hides nothing",
                                loads.size() == 1 ? "" : "; all lines are so", "."),
                   240);
}

std::vector<Picture> TimePictures(const v1::LoadRecord& record) {
  std::vector<Picture> pictures;
  if (record.slices().empty() || !(record.slice_seconds() > 0.0)) return pictures;
  pictures.push_back(Throughput(record));
  if (auto heat = Heat(record)) pictures.push_back(*std::move(heat));
  return pictures;
}

}  // namespace twofold::report
