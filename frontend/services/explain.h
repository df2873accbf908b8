#pragma once

#include <cstdint>

#include "frontend/queues/queue_set.h"
#include "lib/common/result.h"
#include "twofold/v1/queue.pb.h"

namespace twofold::frontend {

/// Why a job waits. Errors: kNotFound.
Result<v1::Explanation> ExplainJob(const QueueSet& queues, std::uint64_t id);

}  // namespace twofold::frontend
