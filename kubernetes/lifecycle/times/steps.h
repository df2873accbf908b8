#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kubernetes/lifecycle/moments/kind.h"
#include "kubernetes/lifecycle/moments/observer.h"
#include "kubernetes/lifecycle/times/plateau.h"
#include "lib/common/instant.h"
#include "lib/stats/growing_queue.h"

/// The steps that somebody in the cluster carries out, and whether they were asked for more than
/// they carry. Pure.
namespace twofold::lifecycle {

/// What went through one step, in the order of no matter what.
struct Step {
  std::string name;  ///< the moment that ends it: "scheduled"
  /// Who works at it, as FindPlateau knows programs; nullopt: it has no plateau of its own, as its
  /// rate is that of the step before.
  std::optional<std::string> program;
  double per_workload = 1.0;  ///< pieces of work
  std::vector<stats::Passage> passages;
};

/// On the way of a workload, in that order. `all`: the moments of the observer's lives.
std::vector<Step> StepsOf(const Kind& kind, const Observer& observer,
                          const std::vector<Sights>& all, Instant now);

std::vector<Plateau> PlateausOf(const std::vector<Step>& steps);

/// A step that was asked for more than it carries.
struct Queue {
  std::string step;
  double carried = 0.0;       ///< pieces of work a second
  double per_workload = 1.0;  ///< pieces
  std::string limiter = {};   ///< a known limit that may be why; empty: none
  std::optional<stats::QueueGrowth> growth = {};
};

/// In the order of `steps`: those with a plateau, or whose waits grew.
std::vector<Queue> QueuesOf(const std::vector<Step>& steps, const std::vector<Plateau>& plateaus,
                            Instant now);

/// What that means for the percentiles, and which pace to try; nullopt: there are no queues.
std::optional<std::string> QueueNote(const std::vector<Queue>& queues);

}  // namespace twofold::lifecycle
