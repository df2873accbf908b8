#pragma once

#include <prometheus/metric_family.h>

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "kubernetes/lifecycle/journal/observed.h"
#include "kubernetes/lifecycle/journal/tally.h"
#include "kubernetes/lifecycle/moments/life.h"
#include "kubernetes/lifecycle/moments/observer.h"
#include "lib/stats/histogram.h"

/// What a run has come to so far, for who watches it while it goes on.
namespace twofold::lifecycle {

struct RunProgress {
  std::uint64_t planned = 0;  ///< workloads of the whole run
  SendCounts submitted;
  std::array<std::uint64_t, kStates> states = {};  ///< workloads that are planned by now
  std::uint64_t open = 0;                          ///< of these, not at their end
  stats::Histogram lateness;                       ///< from the planned instant to sending
  /// From sending to each moment. Of one that was seen late, the end of its interval counts.
  std::map<Moment, stats::Histogram> moments = {};
  stats::Histogram lag;  ///< of the watch behind the server's answer, by canaries
  std::uint64_t watch_breaks = 0;

  void Add(const Kind& kind, const Life& life, bool until_ready);
  void Add(const CanaryLag& canary);

  /// All that is observed, in slices.
  void Add(Observed& observed, bool until_ready);
};

/// What the labels of the run's own series say.
struct RunTitle {
  std::string run;
  std::string kind;
  std::string space;
};

/// docs/metrics.md lists them.
std::vector<prometheus::MetricFamily> MetricsOf(const RunTitle& title, const RunProgress& progress);

}  // namespace twofold::lifecycle
