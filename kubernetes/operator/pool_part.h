#pragma once

#include <map>
#include <string>

#include "kubernetes/api/connection.h"
#include "kubernetes/controller/controller.h"
#include "kubernetes/operator/frontend_part.h"
#include "kubernetes/operator/frontend_workers.h"
#include "kubernetes/operator/options.h"
#include "kubernetes/operator/pool_reconciler.h"

namespace twofold::benchmarks {

/// What of an operator looks after the WorkerPools of a namespace: a cache of them and one of their
/// pods. A pod that has changed has its pool looked at.
///
/// Threads  As Controller.
class PoolPart {
 public:
  /// `space` is the namespace; empty: all. `end` of the names that its controllers have in metrics.
  /// `options` and `frontends` outlive it.
  PoolPart(const Options& options, const kube::Access& access, const FrontendPart& frontends,
           const std::string& space, const std::string& end);
  /// Stops.
  ~PoolPart();
  PoolPart(const PoolPart&) = delete;
  PoolPart& operator=(const PoolPart&) = delete;

  void Watch();
  void Work();
  void Stop();

  void AddCounts(std::map<std::string, controller::ControllerCounts>& counts) const;

 private:
  class PartCluster;

  GrantedWorkers frontend_;
  PoolReconciler reconciler_;
  controller::Controller pools_;
  controller::Controller pods_;
};

}  // namespace twofold::benchmarks
