#include "lib/report/sources/timeline.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "lib/report/sources/parts.h"

namespace twofold::report {
namespace {

constexpr std::size_t kMostLanes = 120;

bool IsSound(const Timeline::Job& job, std::size_t places) {
  return job.place < places && std::isfinite(job.started) && std::isfinite(job.run) &&
         job.run >= 0.0;
}

/// Lanes of a place, as many as jobs ran there at once.
class Lanes {
 public:
  explicit Lanes(const Timeline& timeline) : timeline_(timeline), ends_(timeline.places.size()) {
    lanes_.reserve(timeline.jobs.size());
    for (const Timeline::Job& job : timeline.jobs) lanes_.push_back(LaneOf(job));
  }

  [[nodiscard]] std::size_t count() const {
    std::size_t count = 0;
    for (const auto& lanes : ends_) count += lanes.size();
    return count;
  }

  /// Names the lanes that there is room for, and adds their jobs.
  void Draw(Panel& panel) const {
    const std::vector<std::size_t> first = NameLanes(panel.y.names);
    Series good{.form = Form::kSpans, .name = "succeeded", .colour = Colour::kBlue};
    Series bad{.form = Form::kSpans, .name = "failed", .colour = Colour::kVermillion};
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      const Timeline::Job& job = timeline_.jobs[i];
      if (first[job.place] == kMostLanes) continue;
      const auto lane = static_cast<double>(first[job.place] + lanes_[i]);
      (job.failed ? bad : good).data.push_back({job.started, lane, job.started + job.run});
    }
    panel.series.push_back(std::move(good));
    if (!bad.data.empty()) panel.series.push_back(std::move(bad));
  }

 private:
  /// Where the lanes of each place begin; kMostLanes: there is no room for them.
  std::vector<std::size_t> NameLanes(std::vector<std::string>& names) const {
    std::vector<std::size_t> first(ends_.size(), kMostLanes);
    for (std::size_t place = 0; place < ends_.size(); ++place) {
      if (names.size() + ends_[place].size() > kMostLanes) continue;
      first[place] = names.size();
      for (std::size_t lane = 0; lane < ends_[place].size(); ++lane) {
        names.push_back(lane == 0 ? timeline_.places[place] : absl::StrCat("#", lane + 1));
      }
    }
    return first;
  }

  /// The first one of its place that is free when it starts.
  std::size_t LaneOf(const Timeline::Job& job) {
    constexpr double kRounding = 1e-4;
    auto& lanes = ends_[job.place];
    const auto free = std::find_if(lanes.begin(), lanes.end(),
                                   [&](double end) { return end <= job.started + kRounding; });
    const auto lane = static_cast<std::size_t>(free - lanes.begin());
    if (free == lanes.end()) lanes.emplace_back();
    lanes[lane] = job.started + job.run;
    return lane;
  }

  const Timeline& timeline_;
  std::vector<std::vector<double>> ends_;  // by place, by lane: when its last job ends
  std::vector<std::size_t> lanes_;         // of each job
};

}  // namespace

std::string PlaceName(const std::string& node, const std::string& pod, const std::string& device) {
  std::vector<std::string> parts;
  for (const std::string* part : {&node, &pod, &device}) {
    if (!part->empty() && (parts.empty() || parts.back() != *part)) parts.push_back(*part);
  }
  return absl::StrJoin(parts, " ");
}

std::optional<Picture> TimelinePicture(Timeline timeline, const std::string& how) {
  std::erase_if(timeline.jobs,
                [&](const Timeline::Job& job) { return !IsSound(job, timeline.places.size()); });
  std::stable_sort(timeline.jobs.begin(), timeline.jobs.end(),
                   [](const auto& a, const auto& b) { return a.started < b.started; });
  const Lanes lanes(timeline);
  Panel panel{.title = "Who ran what when",
              .x = {.label = timeline.since, .unit = "s"},
              .y = {.label = ""},
              .series = std::move(timeline.behind)};
  lanes.Draw(panel);
  const std::size_t drawn = panel.y.names.size();
  if (drawn == 0) return std::nullopt;
  if (drawn < lanes.count()) {
    panel.notes.push_back(
        absl::StrCat("of ", lanes.count(), " lanes the first ", drawn, " are drawn"));
  }
  const std::uint64_t n = timeline.jobs.size();
  const double height = std::clamp(13.0 * static_cast<double>(drawn), 40.0, 900.0);
  return PictureOf(
      "timeline", std::move(panel),
      absl::StrCat(
          "Each bar is a job from its start to its end, n = ", Count(n, "job"),
          timeline.left_out == 0 ? "" : absl::StrCat(", drawn evenly from ", timeline.left_out + n),
          ". A worker with room for several at once has a lane for each. Ends that "
          "stand above each other are waves; a bar that is longer than the others is a "
          "straggler.",
          how.empty() ? "" : " ", how),
      height);
}

}  // namespace twofold::report
