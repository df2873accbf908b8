#include <absl/strings/str_cat.h>

#include <map>
#include <utility>

#include "lib/report/sources/load_figures.h"
#include "lib/report/sources/parts.h"
#include "lib/report/sources/timeline.h"

namespace twofold::report {
namespace {

constexpr std::size_t kMostNodes = 120;  // and devices

Timeline TimelineOf(const v1::LoadRecord& record) {
  Timeline timeline{.since = "since the load began",
                    .left_out = record.jobs_left_out(),
                    .behind = SpecialParts(record)};
  for (const v1::LoadPlace& place : record.places()) {
    timeline.places.push_back(PlaceName(place.node(), place.pod(), place.device()));
  }
  for (const v1::LoadJob& job : record.jobs()) {
    timeline.jobs.push_back({job.place(), job.started(), job.run(), job.failed()});
  }
  return timeline;
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
  if (nodes.size() > kMostNodes || devices.size() > kMostNodes) return std::nullopt;
  panel.series = {std::move(cells)};
  return PictureOf("devices", std::move(panel),
                   absl::StrCat("Mean run time of the jobs that succeeded on each of ",
                                Count(sums.size(), "device"),
                                ", by the workers' clocks; darker "
                                "is slower."),
                   30.0 + 14.0 * static_cast<double>(nodes.size()));
}

}  // namespace

std::vector<Picture> PlacePictures(const v1::LoadRecord& record) {
  std::vector<Picture> pictures;
  if (auto timeline = TimelinePicture(TimelineOf(record))) pictures.push_back(*std::move(timeline));
  if (auto devices = Devices(record)) pictures.push_back(*std::move(devices));
  return pictures;
}

}  // namespace twofold::report
