#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "frontend/queue_set.h"
#include "lib/http/message.h"
#include "lib/security/gate.h"

namespace twofold::frontend {

/// The frontend over HTTP:
///
///   /metrics         Prometheus text format
///   /healthz         200 while the process serves
///   /readyz          200 while clients and workers can connect and durable jobs can be stored;
///                    503 and why while they cannot be stored
///   /api/v1/queues   JSON: the queues as ListQueues gives them
///   /                a page with the queues that refreshes itself
///
/// `queues` outlives the handler. `clients` tells how many client streams are open;
/// `gates` have counted who was turned away.
http::Handler MakeWeb(const QueueSet& queues, std::function<std::int64_t()> clients,
                      std::vector<const security::Gate*> gates);

}  // namespace twofold::frontend
