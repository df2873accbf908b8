#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "frontend/queues/queue_set.h"
#include "frontend/queues/storage.h"
#include "lib/common/result.h"
#include "twofold/v1/queue.pb.h"
#include "twofold/v1/runs.pb.h"

/// What people change, whether they ask by gRPC or by HTTP.
///
/// Threads  Safe. `done` is called once: before the call returns, or by the journal's thread when
///          the change is on disk.
namespace twofold::frontend {

/// Pause, Resume or Drain.
using QueueChange = void (QueueHost::Turn::*)();

/// The queue after the change. Errors   kNotFound.
Result<v1::Queue> ChangeQueue(const QueueSet& queues, const std::string& queue, QueueChange change);

/// Gives `done` the job as it has ended.
/// Errors   kNotFound; kFailedPrecondition: it has ended already.
void CancelJob(const QueueSet& queues, std::uint64_t id, std::function<void(Result<v1::Job>)> done);

/// Cancels what is left of a run. Jobs that are submitted meanwhile may be missed: who submits them
/// looks at the run. REQUIRES: `queues` and `storage` outlive the journal's callbacks.
/// Errors   kNotFound; those of the store.
/// Cost     Blocks while it reads the store.
void CancelRun(const QueueSet& queues, Storage& storage, const std::string& run,
               std::function<void(Result<v1::CancelRunReply>)> done);

}  // namespace twofold::frontend
