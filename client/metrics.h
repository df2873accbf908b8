#pragma once

#include <prometheus/metric_family.h>

#include <vector>

#include "client/snapshot.h"

namespace twofold::client {

/// What the client exports to Prometheus; docs/client.md has each series. Counters and the
/// histogram go on over /reset. All series exist from the start. Pure.
std::vector<prometheus::MetricFamily> CollectMetrics(const Snapshot& snapshot);

}  // namespace twofold::client
