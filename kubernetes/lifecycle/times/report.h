#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kubernetes/lifecycle/moments/observer.h"
#include "kubernetes/lifecycle/times/clock_offset.h"
#include "kubernetes/lifecycle/times/evidence_table.h"
#include "kubernetes/lifecycle/times/plateau.h"
#include "kubernetes/lifecycle/times/saturation.h"
#include "kubernetes/lifecycle/times/span.h"
#include "kubernetes/lifecycle/times/threshold.h"
#include "lib/show/table.h"

namespace twofold::lifecycle {

/// How far the watch was behind, by canaries. None of them: not known.
struct WatchLag {
  std::size_t canaries = 0;
  double p99_seconds = 0.0;      ///< after the reply; the error bar of every moment
  double at_most_seconds = 0.0;  ///< the longest from before sending
};

/// What a run has come to.
struct Report {
  std::string kind;
  std::vector<std::pair<std::string, std::string>> load;  ///< fields of the spec; empty: not known
  std::vector<SpanSummary> spans;
  Counts counts;  ///< of workloads by state, and of what was lost or not believed
  std::vector<std::pair<std::string, double>> pending;  ///< seconds by reason, over all pods
  std::vector<Plateau> plateaus;
  std::optional<Saturation> fill;  ///< the phase before, of which the rest has nothing
  std::optional<WatchLag> lag;
  std::optional<Between> clock_offset;  ///< by how much the API server's clock is ahead, seconds
  std::vector<EvidenceRow> evidence;    ///< what Kubernetes' own clocks say of the same moments
  std::vector<std::string> notes;       ///< what the numbers cannot say, a sentence each
};

/// Of all workloads that were planned, at `now`.
Report ReportOf(const Kind& kind, const Observer& observer, const Anchor& anchor, Instant now);

/// For programs; what is not known is null.
show::Json ToJson(const Report& report);

/// For people: a table of spans and what else there is to say. CSV has the spans only.
std::string Print(show::Form form, const Report& report);

/// A line for each workload, all its moments (UTC, milliseconds) and spans (milliseconds): values
/// of one line are of one workload. Empty: not seen. `late` counts the moments of which only an
/// interval is known; their columns have its end. The column `wave` is there if there are waves.
std::string TimesCsv(const Kind& kind, const std::vector<Life>& lives, const Anchor& anchor);

}  // namespace twofold::lifecycle
