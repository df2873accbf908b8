#pragma once

#include <chrono>
#include <string>

#include "lib/common/instant.h"
#include "lib/common/result.h"
#include "lib/queue/queue.h"

namespace twofold::frontend {

/// A client whose jobs do not fit waits so long before it tries again: long enough to be cheap,
/// short enough that a freed place is not left empty for long.
inline constexpr Duration kRetryAfter = std::chrono::milliseconds(100);

/// Why the queue has not accepted a job; kOk: it has.
/// Errors   kResourceExhausted: it is full, which passes: try again after kRetryAfter;
///          kFailedPrecondition: it drains, until somebody resumes it; kAborted: a job that has its
///          dedup key has to end before.
Status Refusal(const queue::Submitted& submitted, const std::string& queue);

}  // namespace twofold::frontend
