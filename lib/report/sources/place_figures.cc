#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "lib/report/sources/load_figures.h"
#include "lib/report/sources/parts.h"

namespace twofold::report {
namespace {

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

std::vector<Picture> PlacePictures(const v1::LoadRecord& record) {
  std::vector<Picture> pictures;
  if (auto timeline = Timeline(record)) pictures.push_back(*std::move(timeline));
  if (auto devices = Devices(record)) pictures.push_back(*std::move(devices));
  return pictures;
}

}  // namespace twofold::report
