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

/// Cancels what is left of a run, also of one that the store does not know, as its jobs are not
/// durable: then the reply has no run. Jobs that are submitted meanwhile may be missed: who submits
/// them looks at the run. `storage` nullptr: there is none. REQUIRES: `queues` and `storage`
/// outlive the journal's callbacks. Errors   those of the store. Cost     Blocks while it reads the
/// store.
void CancelRun(const QueueSet& queues, Storage* storage, const std::string& run,
               std::function<void(Result<v1::CancelRunReply>)> done);

/// Whether there was such a run, by what all frontends have answered.
/// Errors   kNotFound: it is not stored, and no job of it waited or ran.
Status IsKnown(const v1::CancelRunReply& cancelled, const std::string& run, bool keeps_runs);

}  // namespace twofold::frontend
