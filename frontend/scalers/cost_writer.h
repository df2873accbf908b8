#pragma once

#include <prometheus/metric_family.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "frontend/queues/queue_set.h"
#include "frontend/scalers/signals/deletion_costs.h"
#include "kubernetes/api/connection.h"
#include "lib/common/instant.h"
#include "lib/common/interruption.h"
#include "lib/common/mutex.h"
#include "lib/common/result.h"

namespace twofold::scalers {

/// Writes the deletion costs of the pods whose workers are connected to this frontend, as the
/// annotation controller.kubernetes.io/pod-deletion-cost. A pod is known by the name that its
/// worker gives; workers of other frontends are theirs.
///
/// Threads  Safe. One of its own, from construction to destruction.
/// Errors   Of the API server: counted; logged once for each kind of error until a patch succeeds,
///          with the remedy; and tried again, but for pods that are not there or must not be
///          changed.
/// Cost     Each `period` a walk over all workers, and a PATCH for each pod that DeletionCosts
/// names.
class CostWriter {
 public:
  struct Options {
    kube::Access access;
    std::string space;  ///< namespace of the pods
    Duration period = std::chrono::seconds(1);
    Duration right_missing = std::chrono::seconds(60);  ///< how long 403 is believed
  };

  /// `queues` outlives it.
  CostWriter(Options options, const frontend::QueueSet& queues);
  ~CostWriter();
  CostWriter(const CostWriter&) = delete;
  CostWriter& operator=(const CostWriter&) = delete;

  /// Patches by what came of them, and pods that wait for one; see docs/metrics.md. Any thread.
  [[nodiscard]] std::vector<prometheus::MetricFamily> Families() const;

 private:
  void Run();
  [[nodiscard]] DeletionCosts::Pods Look() const;
  void Send(const DeletionCosts::Patch& patch);
  void Tell(const Status& status);
  void Count(int code);

  const Options options_;
  const frontend::QueueSet& queues_;
  kube::Connection connection_;
  DeletionCosts costs_;
  std::set<absl::StatusCode> told_;  // in the log
  mutable Mutex mutex_;
  std::map<int, std::uint64_t> patches_ ABSL_GUARDED_BY(mutex_);  // by HTTP status; 0: no answer
  std::size_t pending_ ABSL_GUARDED_BY(mutex_) = 0;
  Interruption end_;
  std::thread thread_;  // the last: it uses the others
};

}  // namespace twofold::scalers
