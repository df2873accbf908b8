#pragma once

#include <string>

#include "lib/common/result.h"
#include "lib/queue/queue.h"

namespace twofold::frontend {

/// Why the queue has not accepted a job.
/// Errors   kResourceExhausted: it is full, which passes; kFailedPrecondition: it drains, until
///          somebody resumes it; kAborted: a job that has its dedup key has to end before.
/// REQUIRES: it was not accepted.
Status Refusal(const queue::Submitted& submitted, const std::string& queue);

}  // namespace twofold::frontend
