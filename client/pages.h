#pragma once

#include <prometheus/metric_family.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "client/steps.h"
#include "lib/load/counts.h"
#include "lib/load/snapshot.h"
#include "lib/stats/comparison.h"
#include "lib/stats/explanation.h"
#include "lib/stats/looks.h"
#include "lib/stats/scaling.h"

/// What the client shows of itself. Pure.
namespace twofold::client {

/// One answer in its forms.
struct Page {
  std::string title;
  /// For people (Stats, Places), or one `key value` a line for shell scripts (Window, Profile,
  /// Comparison, Look, Scaling, Explanation).
  std::string plain;
  /// Times are in seconds. A value that is unknown, or infinite (which JSON cannot write), is null.
  std::string json;
  std::string forms = {};  ///< of the HTML form: what stands above the plain text
};

/// {"result": ..., "info": "..."}
Page SinglePage(std::string title, const std::variant<std::uint64_t, double, std::string>& result,
                std::string_view info);

Page StatsPage(const load::Snapshot& snapshot);
Page PlacesPage(const load::Snapshot& snapshot, load::By by);

/// What the live page gets twice a second, as one line: all of StatsPage's JSON, `clock_seconds` (a
/// clock that never jumps), and the `nodes` with the most jobs, as PlacesPage has them.
std::string EventData(const load::Snapshot& snapshot, Instant now);
inline constexpr std::size_t kMostEventNodes = 200;  ///< more are counted in `nodes_left_out`

Page WindowPage(const load::Snapshot& snapshot);
Page ProfilePage(const load::Snapshot& snapshot);
Page ComparisonPage(const stats::Comparison& comparison);
Page LookPage(const load::Snapshot& snapshot, const stats::StepLook& look, Pods pods);
Page ScalingPage(std::span<const stats::StepRecord> records, const Judging& judging);
Page ExplanationPage(const stats::Explanation& explanation);

/// The HTML form, which has the plain one verbatim. All text from outside is escaped.
std::string Html(const Page& page);

/// The form that sets the parallelism and the one that starts a new window.
std::string Forms(const load::Snapshot& snapshot);

/// The page at /, in HTML: what the client does now (it refreshes itself), and links to the other
/// pages.
std::string Overview(const load::Snapshot& snapshot);

/// What the client exports to Prometheus; docs/client.md has each series. /reset changes neither
/// counters nor the histogram. All series exist from the start.
std::vector<prometheus::MetricFamily> CollectMetrics(const load::Snapshot& snapshot);

}  // namespace twofold::client
