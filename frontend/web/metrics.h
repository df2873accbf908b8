#pragma once

#include <prometheus/metric_family.h>

#include <cstdint>
#include <vector>

#include "frontend/queues/queue_set.h"
#include "lib/common/instant.h"
#include "lib/results/report_reader.h"

namespace twofold::frontend {

/// All that the frontend exports, as Prometheus wants it; see docs/metrics.md for each series.
/// Looking changes nothing, so any number of scrapers see the same. Every queue has all of its
/// series from the start: an autoscaler takes an absent one for an error.
///
/// Threads  Safe.
/// Cost     A few dozen microseconds a queue, one short lock each.
std::vector<prometheus::MetricFamily> CollectMetrics(const QueueSet& queues, Instant now);

/// What became of the data in reports of durable jobs.
prometheus::MetricFamily ReportsFamily(const results::ReportReader& reports);

}  // namespace twofold::frontend
