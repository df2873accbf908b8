#pragma once

#include <prometheus/metric_family.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "frontend/queues/queue_set.h"
#include "frontend/queues/storage.h"
#include "frontend/web/actions.h"
#include "frontend/web/api.h"
#include "lib/http/app.h"
#include "lib/http/events.h"
#include "lib/http/message.h"
#include "lib/rpc/loop_thread.h"
#include "lib/security/gate.h"

namespace twofold::frontend {

/// The files of the live page.
const std::vector<http::AppFile>& AppFiles();

/// What the pages show and change.
struct WebParts {
  const QueueSet& queues;                         ///< outlives the handler
  Storage* storage = nullptr;                     ///< outlives the handler; nullptr: none
  std::vector<const security::Gate*> gates = {};  ///< they have counted who was turned away
  std::function<std::string()> stalled;  ///< why nobody can connect at this moment; empty: they can
  ActionRules rules = {};
  Api::Ask ask = {};                ///< see Api
  http::Topic::Run run_later = {};  ///< for what blocks; see Topic
  rpc::Loops loops = {};            ///< serve the gRPC ports
  std::function<std::vector<prometheus::MetricFamily>()> further = {};  ///< on /metrics; null: none
};

/// The frontend over HTTP:
///
///   /metrics         Prometheus text format
///   /healthz         200 while the process serves
///   /readyz          200 while clients and workers can connect and durable jobs can be stored;
///                    503 and why while one of these cannot be
///   /api/v1/queues   JSON: the queues as ListQueues gives them
///   /api/v1/workers  JSON: the workers as ListWorkers gives them
///   /api/v1/jobs     JSON: jobs as ListJobs gives them; ?queue= ?run= ?state= ?finished=true
///                    ?page_size= ?page_token=
///   /api/v1/jobs/ID  JSON: one job
///   /api/v1/runs     JSON: runs, the newest first; ?page_token= goes on where next_page_token says
///   /api/v1/runs/ID  JSON: a run with its definition
///   /api/v1/runs/ID/results   JSON: its permutations; ?from= goes on where next says
///   /api/v1/runs/ID/report    its report, as HTML
///   /api/v1/jobs/ID/explain   JSON: why it waits
///   /api/v1/stream   what changes, as server-sent events (Live)
///   /api/v1/me, POSTs         what the asking page may do, and does (ActionRoutes)
///   /plain           a page with the queues that refreshes itself
///   /                the live page for those who want HTML, else as /plain; its files beside it
///
/// docs/api.md has them all, with what they take and what limits them.
http::Handler MakeWeb(const WebParts& parts);

/// What /metrics shows; see docs/metrics.md for each series. Looking changes nothing, so any number
/// of scrapers see the same. Every queue has all of its series from the start: an autoscaler takes
/// an absent one for an error.
///
/// Threads  Safe.
/// Cost     A few dozen microseconds a queue, one short lock each.
std::vector<prometheus::MetricFamily> CollectMetrics(
    const QueueSet& queues, const Storage* storage, const std::vector<const security::Gate*>& gates,
    const rpc::Loops& loops);

}  // namespace twofold::frontend
