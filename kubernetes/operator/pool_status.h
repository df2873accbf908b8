#pragma once

#include <string>

#include "kubernetes/controller/conditions.h"
#include "kubernetes/operator/status.h"
#include "kubernetes/pools/plan.h"
#include "lib/common/result.h"

/// What the status of a WorkerPool says of what was seen. Pure.
namespace twofold::benchmarks {

inline constexpr std::size_t kMostNodes = 50;  ///< in a status: those with the most pods

/// `PodsCreated`: by what the API server has answered to the last creation.
controller::StatusCondition CreationCondition(const Status& status);

/// Whether the API server finds the object itself wrong, so that it refuses it whenever it is
/// asked.
bool IsInvalidObject(const Status& status);

/// Whether it is a refusal of a pod, by a webhook that fails as well, which time or people may end;
/// else the call has failed.
bool IsRefusal(const Status& status);

/// `WorkersKnown`: by what the frontend has answered, and by the pods that no worker is named
/// after.
controller::StatusCondition KnownCondition(const Status& frontend, const pools::PoolSpec& spec,
                                           const pools::PoolCounts& counts);

/// Counts, nodes, and the conditions Scheduled, Ready and Updated.
void SetPoolCounts(const pools::PoolSpec& spec, const pools::PoolCounts& counts,
                   StatusDraft& draft);

/// Whether two statuses differ in more than who is busy, which changes with each job.
bool DifferInMoreThanWork(kube::Json a, kube::Json b);

}  // namespace twofold::benchmarks
