#pragma once

#include <absl/container/flat_hash_set.h>

#include <cstdint>
#include <functional>
#include <memory>

#include "frontend/queues/queue_set.h"
#include "lib/common/mutex.h"
#include "lib/common/result.h"
#include "twofold/v1/queue.pb.h"

namespace twofold::frontend {

/// Submits finished durable jobs again, as new ones of the same queue, options and spec.
///
/// Threads  Safe.
class Requeuer {
 public:
  using Done = std::function<void(const v1::RequeueJobsReply&)>;

  /// REQUIRES: `queues` outlives this, and this outlives the journal's callbacks.
  explicit Requeuer(const QueueSet& queues) : queues_(queues) {}

  /// One job, or a page of those of a run that have not been submitted again before. `done` gets
  /// the pairs when all are on disk.
  ///
  /// Errors   kNotFound: no such job; kFailedPrecondition: it has not ended, or was requeued
  ///          before, or its queue takes no jobs; kInvalidArgument: neither a job nor a run is
  ///          named, or the page token; those of the store. `done` is not called then, though some
  ///          of a run may have been requeued.
  /// Cost     A page is 1000 jobs of the run: a turn of the queue for each that is requeued, and
  ///          the memory of 50.
  Status Requeue(const v1::RequeueJobsRequest& request, Done done);

 private:
  class Batch;

  Status RequeueOne(std::uint64_t id, const std::shared_ptr<Batch>& batch);
  Status RequeueRun(const v1::RequeueJobsRequest& request, const std::shared_ptr<Batch>& batch);
  Status Submit(const results::StoredJob& job, const std::shared_ptr<Batch>& batch);

  const QueueSet& queues_;
  Mutex mutex_;
  absl::flat_hash_set<std::uint64_t> under_way_
      ABSL_GUARDED_BY(mutex_);  // submitted, and the store does not know yet
};

}  // namespace twofold::frontend
