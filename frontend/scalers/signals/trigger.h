#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "frontend/scalers/signals/reading.h"
#include "lib/common/instant.h"
#include "lib/common/result.h"

/// What an autoscaler asks for, and the number that it gets. docs/scaling-workers.md shows the
/// metrics to users.
namespace twofold::scalers {

struct Trigger;

/// A number of a queue that workers can be scaled by.
struct Metric {
  std::string_view name;
  /// What a target of it counts; empty: jobs at once in one pod, and the target need not be given.
  std::string_view unit;
  bool needs_flow;
  /// Infinite: more than any number, as far as is known. REQUIRES: the flow, if it needs that.
  double (*value)(const Trigger& trigger, const Reading& reading);
};

/// All of them; the first is taken where none is named.
std::span<const Metric> Metrics();

/// What the metadata of a trigger say.
struct Trigger {
  std::string queue;
  const Metric* metric = nullptr;
  double target = 1;         ///< for each pod
  double activation = 0;     ///< above it there have to be workers
  double utilisation = 0.8;  ///< of the workers, as far as the metric plans for it
  Duration window = std::chrono::seconds(60);  ///< that rates are averaged over
};

using Metadata = std::map<std::string, std::string, std::less<>>;

/// Reads the metadata of a KEDA trigger. A field may also come as NAMEFromEnv, as KEDA names what
/// it has read from an environment. Fields that are nothing like ours are KEDA's own.
/// Errors   kInvalidArgument: which field, what is wrong with it, and what it may be.
Result<Trigger> ReadTrigger(const Metadata& metadata);

/// What the metric is called where there are others: "sleep-wanted".
std::string MetricName(const Trigger& trigger);

/// Errors   kUnavailable: the number is not known at this moment, and why.
Result<double> ValueOf(const Trigger& trigger, const Reading& reading);

/// Whether there have to be workers: jobs run, or the value is above the activation. What runs is
/// never taken for nothing, as whoever scales to 0 ends it.
/// Errors   as ValueOf; that the number has no bound is none.
Result<bool> IsActive(const Trigger& trigger, const Reading& reading);

}  // namespace twofold::scalers
