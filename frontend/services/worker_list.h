#pragma once

#include "frontend/queues/queue_set.h"
#include "lib/common/result.h"
#include "twofold/v1/queue.pb.h"

namespace twofold::frontend {

/// The worker processes that `request` asks for, queue by queue, in short turns.
///
/// Errors   kNotFound: there is no such queue.
Result<v1::ListWorkersReply> ListWorkers(const QueueSet& queues, const v1::WorkersRequest& request);

}  // namespace twofold::frontend
