#pragma once

#include <grpcpp/grpcpp.h>
#include <grpcpp/support/server_callback.h>

#include <memory>

#include "frontend/queues/queue_set.h"
#include "twofold/v1/queue.pb.h"

namespace twofold::frontend {

/// The reactor of a FollowJob call that has a place among those of its peer; null: it is refused.
///
/// Errors   ends with INVALID_ARGUMENT for a request that cannot be read, NOT_FOUND for no such
/// job.
grpc::ServerWriteReactor<grpc::ByteBuffer>* FollowJob(const QueueSet& queues,
                                                      const grpc::ByteBuffer& request,
                                                      std::shared_ptr<void> place,
                                                      const grpc::Status& refusal);

}  // namespace twofold::frontend
