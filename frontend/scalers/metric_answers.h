#pragma once

#include <functional>
#include <string>
#include <vector>

#include "frontend/scalers/signals/reading.h"
#include "frontend/scalers/signals/trigger.h"
#include "kubernetes/aggregated/discovery.h"
#include "kubernetes/aggregated/server.h"
#include "kubernetes/api/call.h"
#include "kubernetes/api/fields.h"
#include "lib/common/result.h"
#include "lib/http/message.h"

/// What the groups external.metrics.k8s.io and custom.metrics.k8s.io say of queues. Pure.
/// docs/scaling-workers.md shows it to users.
namespace twofold::scalers {

inline constexpr const char* kExternalMetrics = "external.metrics.k8s.io";
inline constexpr const char* kCustomMetrics = "custom.metrics.k8s.io";

/// The metrics of queues that answers are made of.
struct MetricSource {
  std::vector<std::string> queues;
  std::function<Result<Reading>(const Trigger& trigger)> read;  ///< see Observer::Read
  std::function<kube::UnixTime()> wall;
  kube::ObjectName service;  ///< that of the frontends: custom metrics are its own
};

/// The groups, with all metrics that there are, whatever becomes of the queues.
std::vector<aggregated::ServedGroup> MetricGroups();

/// The answer to a request for a metric of one of the groups. A metric is called twofold_NAME, by
/// the names of Metrics(). Its labels are `queue` and, in selectors, `window` and `utilisation`:
/// the parameters that triggers have.
///
/// External metrics have an item a queue that the selector matches; an HPA adds them up. Custom
/// ones are those of one queue, as there must be exactly one item, and of the object `service` or
/// its namespace.
///
/// Errors   A Status object: 400 a selector that means nothing; 404 no such metric, queue or
///          object; 503 the number is not known at this moment. An HPA then removes nobody.
http::Response AnswerMetric(const MetricSource& source, const aggregated::Asked& asked);

}  // namespace twofold::scalers
