#pragma once

#include <grpcpp/grpcpp.h>
#include <grpcpp/support/server_callback.h>

#include <memory>

#include "frontend/queue_set.h"
#include "twofold/v1/queue.pb.h"

namespace twofold::frontend {

/// The reactor of a FollowJob call.
///
/// Errors   ends with INVALID_ARGUMENT for a request that cannot be read, NOT_FOUND for no such
/// job.
grpc::ServerWriteReactor<grpc::ByteBuffer>* FollowJob(const QueueSet& queues,
                                                      const grpc::ByteBuffer& request);

}  // namespace twofold::frontend
