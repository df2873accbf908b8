#include "kubernetes/nodes/report.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <numeric>
#include <optional>

namespace twofold::nodes {
namespace {

const LaneCounts& Of(const SimulationCounts& counts, Lane lane) {
  return counts.lanes[static_cast<std::size_t>(lane)];
}

// What was recorded since `before`: histograms only grow.
stats::Histogram Since(const stats::Histogram& now, const stats::Histogram& before) {
  stats::Histogram::Parts parts = now.ToParts();
  const stats::Histogram::Parts old = before.ToParts();
  auto at = old.counts.begin();
  stats::Histogram since;
  for (const auto& [lowest, count] : parts.counts) {
    while (at != old.counts.end() && at->lowest < lowest) ++at;
    const std::uint64_t was = at != old.counts.end() && at->lowest == lowest ? at->count : 0;
    for (std::uint64_t i = was; i < count; ++i) since.Record(Duration(lowest));
  }
  return since;
}

std::string Ms(std::optional<Duration> time) {
  return time ? absl::StrFormat("%.1f ms", ToSeconds(*time) * 1e3) : std::string("-");
}

std::string Late(const stats::Histogram& lateness) {
  if (lateness.Count() == 0) return "none";
  return absl::StrCat("late p50 ", Ms(lateness.Quantile(0.5)), ", p99 ",
                      Ms(lateness.Quantile(0.99)), ", max ", Ms(lateness.Max()));
}

std::string Rate(std::uint64_t count, Duration time) {
  return absl::StrFormat("%.1f", static_cast<double>(count) / std::max(ToSeconds(time), 1e-9));
}

std::uint64_t EndedOf(const LifeCounts& lives) {
  return std::accumulate(lives.ended.begin(), lives.ended.end(), std::uint64_t{0});
}

std::string Head(const SimulationCounts& counts) {
  const FleetCounts& fleet = counts.fleet;
  std::string text = absl::StrCat(fleet.up, " nodes up");
  if (fleet.lost > 0) absl::StrAppend(&text, ", ", fleet.lost, " lost");
  if (fleet.gone > 0) absl::StrAppend(&text, ", ", fleet.gone, " deleted by somebody");
  absl::StrAppend(&text, "; pods ", counts.lives.waiting, " waiting, ", counts.lives.running,
                  " running, ", EndedOf(counts.lives), " ended");
  if (counts.lives.foreign > 0) {
    absl::StrAppend(&text, ", ", counts.lives.foreign, " without the toleration, left alone");
  }
  return text;
}

std::string Errors(const LaneCounts& lane) {
  std::string text;
  for (const auto& [reason, count] : lane.errors) absl::StrAppend(&text, ", ", count, " ", reason);
  if (lane.throttled > 0) absl::StrAppend(&text, ", ", lane.throttled, " times asked to wait");
  return text;
}

}  // namespace

std::string ProgressLine(const SimulationCounts& counts, const SimulationCounts& before,
                         Duration time) {
  const auto pods = Since(Of(counts, Lane::kPods).lateness, Of(before, Lane::kPods).lateness);
  const auto nodes = Since(Of(counts, Lane::kNodes).lateness, Of(before, Lane::kNodes).lateness);
  return absl::StrCat(Head(counts), "; ", Rate(pods.Count(), time), " changes/s of pods, ",
                      Late(pods), "; ", Rate(nodes.Count(), time), "/s of nodes, ", Late(nodes));
}

std::string FinalReport(const SimulationCounts& counts, Duration time) {
  const LifeCounts& lives = counts.lives;
  std::string text = absl::StrFormat("%s in %.1f s\npods: %d started", Head(counts),
                                     ToSeconds(time), lives.started);
  for (std::size_t i = 0; i < kEndingNames.size(); ++i) {
    absl::StrAppend(&text, ", ", lives.ended[i], " ", kEndingNames[i]);
  }
  absl::StrAppend(&text, "; ", lives.restarted, " restarts, ", lives.removed, " removed\n");
  for (std::size_t i = 0; i < kLaneNames.size(); ++i) {
    const LaneCounts& lane = counts.lanes[i];
    absl::StrAppend(&text, "calls for ", kLaneNames[i], ": ", lane.calls, " (",
                    Rate(lane.calls, time), "/s), ", Late(lane.lateness), Errors(lane), "\n");
  }
  return text;
}

}  // namespace twofold::nodes
