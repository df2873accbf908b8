#pragma once

#include <memory>

#include "frontend/queues/queue_set.h"
#include "frontend/services/reader_pool.h"
#include "lib/rpc/server_stream.h"
#include "twofold/v1/queue.pb.h"

namespace twofold::frontend {

/// A new FollowJob call. Output that its reader does not take in time is left out and counted.
///
/// Errors   ends with NOT_FOUND for no such job. REQUIRES: both outlive the call.
std::shared_ptr<rpc::ServerStream<v1::FollowJobRequest, v1::JobUpdate>> MakeFollower(
    const QueueSet& queues, ReaderPool& readers);

}  // namespace twofold::frontend
