#pragma once

#include <prometheus/metric_family.h>

#include <functional>
#include <string>
#include <vector>

#include "frontend/queues/queue_set.h"
#include "frontend/queues/storage.h"
#include "lib/http/message.h"
#include "lib/security/gate.h"

namespace twofold::frontend {

/// The frontend over HTTP:
///
///   /metrics         Prometheus text format
///   /healthz         200 while the process serves
///   /readyz          200 while clients and workers can connect and durable jobs can be stored;
///                    503 and why while one of these cannot be
///   /api/v1/queues   JSON: the queues as ListQueues gives them
///   /api/v1/workers  JSON: the workers as ListWorkers gives them
///   /api/v1/jobs     JSON: jobs as ListJobs gives them; ?queue= ?run= ?finished=true ?page_token=
///   /api/v1/jobs/ID  JSON: one job
///   /api/v1/runs     JSON: runs, the newest first; ?page_token= goes on where next_page_token says
///   /api/v1/runs/ID  JSON: a run with its definition
///   /api/v1/runs/ID/results   JSON: its permutations; ?from= goes on where next says
///   /                a page with the queues that refreshes itself
///
/// `queues` and `storage` (nullptr: none) outlive the handler. `gates` have counted who was turned
/// away; `stalled` says why nobody can connect at this moment (empty: they can).
http::Handler MakeWeb(const QueueSet& queues, const Storage* storage,
                      std::vector<const security::Gate*> gates,
                      std::function<std::string()> stalled);

/// What /metrics shows; see docs/metrics.md for each series. Looking changes nothing, so any number
/// of scrapers see the same. Every queue has all of its series from the start: an autoscaler takes
/// an absent one for an error.
///
/// Threads  Safe.
/// Cost     A few dozen microseconds a queue, one short lock each.
std::vector<prometheus::MetricFamily> CollectMetrics(
    const QueueSet& queues, const Storage* storage,
    const std::vector<const security::Gate*>& gates);

}  // namespace twofold::frontend
