#pragma once

#include <prometheus/metric_family.h>

#include <vector>

#include "client/snapshot.h"

namespace twofold::client {

/// What the client exports to Prometheus; docs/client.md has each series. /reset changes neither
/// counters nor the histogram. All series exist from the start. Pure.
std::vector<prometheus::MetricFamily> CollectMetrics(const Snapshot& snapshot);

}  // namespace twofold::client
