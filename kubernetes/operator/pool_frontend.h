#pragma once

#include <optional>
#include <string>

#include "kubernetes/api/fields.h"
#include "kubernetes/operator/runs.h"
#include "kubernetes/pools/plan.h"
#include "lib/common/result.h"

namespace twofold::benchmarks {

/// The frontends, as pools of workers use them. A worker belongs to the pod that it names as its
/// own, which is its host name, or what --pod-env says.
///
/// Threads  Safe. They block.
/// Errors   kNotFound: there is no such queue. kPermissionDenied, kUnauthenticated: the operator's
///          token is not that of an admin. All others: later.
class PoolFrontend {
 public:
  virtual ~PoolFrontend() = default;

  /// What an admin has against the pool. Asks nobody.
  [[nodiscard]] virtual std::optional<Bar> BarTo(const kube::Json& pool) const = 0;

  /// The workers of the pool's queue, by pod. `with_ends`: also when those are done that have jobs,
  /// which takes a look at all jobs that run.
  virtual Result<pools::WorkersSeen> Look(const kube::Json& pool, bool with_ends) = 0;

  /// The workers of the pod end what they have, and then themselves. May be said again.
  virtual Status Drain(const kube::Json& pool, const std::string& pod) = 0;
};

}  // namespace twofold::benchmarks
