#pragma once

#include <prometheus/metric_family.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "frontend/scalers/metric_answers.h"
#include "frontend/scalers/observer.h"
#include "frontend/services/reader_pool.h"
#include "kubernetes/aggregated/publisher.h"
#include "kubernetes/aggregated/server.h"
#include "kubernetes/api/connection.h"
#include "lib/common/address.h"
#include "lib/common/mutex.h"
#include "lib/common/result.h"
#include "lib/security/tls_material.h"
#include "lib/stats/histogram.h"

namespace twofold::scalers {

/// The port at which an API server asks for the metrics of queues, on behalf of its HPAs. Open from
/// Open to destruction.
class MetricsApi {
 public:
  struct Options {
    HostPort address;
    kube::ObjectName service;  ///< by which the API server reaches this port
    std::string name;          ///< of this frontend among those of the Service
    kube::Access access;       ///< that API server
    /// Its certificate; null: it makes one and has the API server trust it.
    std::function<std::shared_ptr<const security::TlsMaterial>()> material;
  };

  /// `queues` and `observer` outlive it.
  /// Errors   see aggregated::Server and aggregated::Publisher.
  static Result<std::unique_ptr<MetricsApi>> Open(Options options, const frontend::QueueSet& queues,
                                                  Observer& observer);
  ~MetricsApi();
  MetricsApi(const MetricsApi&) = delete;
  MetricsApi& operator=(const MetricsApi&) = delete;

  /// In use, also when port 0 was asked for.
  [[nodiscard]] std::string address() const { return ToString({host_, server_->port()}); }

  /// Of requests, how old the numbers were that they got, and whether the API server asks here; see
  /// docs/metrics.md. Any thread.
  [[nodiscard]] std::vector<prometheus::MetricFamily> Families() const;

 private:
  MetricsApi(std::string host, const frontend::QueueSet& queues, Observer& observer,
             kube::ObjectName service);
  Result<Reading> Read(const Trigger& trigger);

  const std::string host_;
  Observer& observer_;
  MetricSource source_;
  mutable Mutex mutex_;
  stats::Histogram ages_ ABSL_GUARDED_BY(mutex_);
  /// Its own, as an API server that hangs would keep those that read the store.
  frontend::ReaderPool pool_;
  std::unique_ptr<aggregated::Publisher> publisher_;
  std::unique_ptr<aggregated::Server> server_;  // the last: it uses the others
};

}  // namespace twofold::scalers
