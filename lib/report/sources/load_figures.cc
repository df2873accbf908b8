#include "lib/report/sources/load_figures.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

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

/// What is not measured, or not to be trusted.
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
     &v1::LoadSlice::failed}};
constexpr Rate kOutstanding[] = {
    {"outstanding", Colour::kBlue, [](const v1::LoadSlice&) { return true; },
     &v1::LoadSlice::outstanding},
    {"parallel", Colour::kGrey, [](const v1::LoadSlice& slice) { return slice.has_parallel(); },
     &v1::LoadSlice::parallel}};

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
        series.data.push_back({at, (slice.*rate.value)(), at + record.slice_seconds()});
      }
      at += record.slice_seconds();
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
                      "is in no result. Red: the generator itself was the limit.")};
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

// ---- places

constexpr std::size_t kMostLanes = 120;

/// Lanes of a place, as many as jobs ran there at once.
class Lanes {
 public:
  explicit Lanes(const v1::LoadRecord& record) : record_(record) {
    std::vector<const v1::LoadJob*> jobs;
    for (const v1::LoadJob& job : record.jobs()) {
      const bool sound = job.place() < static_cast<std::uint32_t>(record.places_size()) &&
                         std::isfinite(job.started()) && std::isfinite(job.run()) &&
                         job.run() >= 0.0;
      if (sound) jobs.push_back(&job);
    }
    std::stable_sort(jobs.begin(), jobs.end(),
                     [](const auto* a, const auto* b) { return a->started() < b->started(); });
    ends_.resize(static_cast<std::size_t>(record.places_size()));
    for (const v1::LoadJob* job : jobs) placed_.push_back({job, LaneOf(*job)});
  }

  [[nodiscard]] std::size_t count() const {
    std::size_t count = 0;
    for (const auto& lanes : ends_) count += lanes.size();
    return count;
  }

  /// The panel with those lanes that there is room for.
  [[nodiscard]] Panel Draw() const {
    Panel panel{.title = "Who ran what when",
                .x = {.label = "since the load began", .unit = "s"},
                .y = {.label = ""},
                .series = SpecialParts(record_)};
    std::vector<std::size_t> first(ends_.size(), kMostLanes);
    for (std::size_t place = 0; place < ends_.size(); ++place) {
      if (panel.y.names.size() + ends_[place].size() > kMostLanes) continue;
      first[place] = panel.y.names.size();
      for (std::size_t lane = 0; lane < ends_[place].size(); ++lane) {
        const std::string name = NameOf(record_.places(static_cast<int>(place)));
        panel.y.names.push_back(lane == 0 ? name : absl::StrCat("#", lane + 1));
      }
    }
    Series good{.form = Form::kSpans, .name = "succeeded", .colour = Colour::kBlue};
    Series bad{.form = Form::kSpans, .name = "failed", .colour = Colour::kVermillion};
    for (const Placed& each : placed_) {
      if (first[each.job->place()] == kMostLanes) continue;
      const auto lane = static_cast<double>(first[each.job->place()] + each.lane);
      (each.job->failed() ? bad : good)
          .data.push_back({each.job->started(), lane, each.job->started() + each.job->run()});
    }
    panel.series.push_back(std::move(good));
    if (!bad.data.empty()) panel.series.push_back(std::move(bad));
    return panel;
  }

 private:
  struct Placed {
    const v1::LoadJob* job;
    std::size_t lane;
  };

  /// The first one of its place that is free when it starts.
  std::size_t LaneOf(const v1::LoadJob& job) {
    constexpr double kRounding = 1e-4;
    auto& lanes = ends_[job.place()];
    const auto free = std::find_if(lanes.begin(), lanes.end(),
                                   [&](double end) { return end <= job.started() + kRounding; });
    const auto lane = static_cast<std::size_t>(free - lanes.begin());
    if (free == lanes.end()) lanes.emplace_back();
    lanes[lane] = job.started() + job.run();
    return lane;
  }

  const v1::LoadRecord& record_;
  std::vector<std::vector<double>> ends_;  // by place, by lane: when its last job ends
  std::vector<Placed> placed_;
};

std::optional<Picture> Timeline(const v1::LoadRecord& record) {
  const Lanes lanes(record);
  if (lanes.count() == 0) return std::nullopt;
  Panel panel = lanes.Draw();
  const std::size_t drawn = panel.y.names.size();
  if (drawn == 0) return std::nullopt;
  if (drawn < lanes.count()) {
    panel.notes.push_back(
        absl::StrCat("of ", lanes.count(), " lanes the first ", drawn, " are drawn"));
  }
  const double height = std::clamp(13.0 * static_cast<double>(drawn), 40.0, 900.0);
  return PictureOf(
      "timeline", std::move(panel),
      absl::StrCat("Each bar is a job from its start to its end, n = ",
                   Count(static_cast<std::uint64_t>(record.jobs_size()), "job"),
                   record.jobs_left_out() == 0
                       ? ""
                       : absl::StrCat(", drawn evenly from ",
                                      record.jobs_left_out() +
                                          static_cast<std::uint64_t>(record.jobs_size())),
                   ". A worker with room for several at once has a lane for each. Ends that "
                   "stand above each other are waves; a bar that is longer than the others is a "
                   "straggler."),
      height);
}

std::size_t NumberOf(std::map<std::string, std::size_t>& numbers, const std::string& name,
                     std::vector<std::string>& names) {
  const auto [at, is_new] = numbers.emplace(name, names.size());
  if (is_new) names.push_back(name.empty() ? "-" : name);
  return at->second;
}

/// Mean run time by node and device.
std::optional<Picture> Devices(const v1::LoadRecord& record) {
  std::map<std::pair<std::string, std::string>, std::pair<double, double>> sums;
  for (const v1::LoadPlace& place : record.places()) {
    if (!place.has_mean_run() || place.device().empty() || place.succeeded() == 0) continue;
    auto& [sum, count] = sums[{place.node(), place.device()}];
    sum += place.mean_run() * static_cast<double>(place.succeeded());
    count += static_cast<double>(place.succeeded());
  }
  if (sums.size() < 2) return std::nullopt;
  Panel panel{
      .title = "Run time by node and device", .x = {.label = "device"}, .y = {.label = "node"}};
  std::map<std::string, std::size_t> nodes;
  std::map<std::string, std::size_t> devices;
  Series cells{.form = Form::kCells, .name = "mean run time", .unit = "s"};
  for (const auto& [place, sum] : sums) {
    const auto y = static_cast<double>(NumberOf(nodes, place.first, panel.y.names));
    const auto x = static_cast<double>(NumberOf(devices, place.second, panel.x.names));
    cells.data.push_back({x - 0.5, y - 0.5, x + 0.5, absl::StrCat(place.first, " ", place.second),
                          y + 0.5, sum.first / sum.second});
  }
  if (nodes.size() > kMostLanes || devices.size() > kMostLanes) return std::nullopt;
  panel.series = {std::move(cells)};
  return PictureOf("devices", std::move(panel),
                   absl::StrCat("Mean run time of the jobs that succeeded on each of ",
                                Count(sums.size(), "device"),
                                ", by the workers' clocks; darker "
                                "is slower."),
                   30.0 + 14.0 * static_cast<double>(nodes.size()));
}

}  // namespace

std::string NameOf(const v1::LoadPlace& place) {
  std::vector<std::string> parts;
  for (const std::string* part : {&place.node(), &place.pod(), &place.device()}) {
    if (!part->empty() && (parts.empty() || parts.back() != *part)) parts.push_back(*part);
  }
  return absl::StrJoin(parts, " ");
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

std::vector<Picture> PlacePictures(const v1::LoadRecord& record) {
  std::vector<Picture> pictures;
  if (auto timeline = Timeline(record)) pictures.push_back(*std::move(timeline));
  if (auto devices = Devices(record)) pictures.push_back(*std::move(devices));
  return pictures;
}

}  // namespace twofold::report
