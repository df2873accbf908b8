#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "frontend/cluster/peers.h"
#include "frontend/queues/queue_set.h"
#include "frontend/services/claims.h"
#include "frontend/services/reader_pool.h"
#include "lib/common/result.h"
#include "lib/rpc/byte_stream.h"
#include "twofold/v1/queue.pb.h"

/// The calls about jobs that take longer than a look.
namespace twofold::frontend {

/// A new FollowJob call. Output that its reader does not take in time is left out and counted. The
/// frontend that serves the queue is asked if that is another one; `peers` nullptr: there is none.
///
/// Errors   ends with NOT_FOUND for no such job, UNAVAILABLE when the queue goes to another
///          frontend: ask again. REQUIRES: what it takes outlives the call.
std::shared_ptr<rpc::ByteStream> MakeFollower(const QueueSet& queues, ReaderPool& readers,
                                              Peers* peers, const Caller& caller);

/// Jobs submitted again of which the store does not know yet.
using RequeuedJobs = Claims<std::uint64_t>;

/// Submits finished durable jobs again, as new ones of the same queue, options and spec: one, or a
/// page of those of a run that have not been submitted again before, and whose queues are served
/// here. `done` gets the pairs when all are on disk, or at once why not; then some of a run may
/// have been requeued.
///
/// REQUIRES: `queues` and `under_way`, which all calls share, outlive the journal's callbacks.
/// Errors   kNotFound: no such job; kFailedPrecondition: it has not ended, or was requeued before,
///          or its queue takes no jobs; kInvalidArgument: neither a job nor a run is named, or the
///          page token; those of the store.
/// Cost     A page is 1000 jobs of the run: a turn of the queue for each that is requeued, and the
///          memory of 50.
void Requeue(const QueueSet& queues, RequeuedJobs& under_way, const v1::RequeueJobsRequest& request,
             std::function<void(Result<v1::RequeueJobsReply>)> done);

/// Makes one reply of those of several frontends, each about the same page of a run; and of all of
/// them one for the caller.
void MergeRequeued(v1::RequeueJobsReply& all, const v1::RequeueJobsReply& one);
void EndRequeued(v1::RequeueJobsReply& all);

}  // namespace twofold::frontend
