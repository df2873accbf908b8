#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

namespace twofold {

/// What a fallible call returns. The code is for the caller's decision, the message for a person:
/// it names the field and the fix.
///
///   kInvalidArgument    which field, which value, what is allowed
///   kNotFound           no such queue, job, path
///   kFailedPrecondition wrong state (queue drains, not registered)
///   kResourceExhausted  full: try again later
///   kAborted            lease lost: somebody else has the job
///   kUnavailable        the peer is away: try again
using Status = absl::Status;

template <typename T>
using Result = absl::StatusOr<T>;

}  // namespace twofold
