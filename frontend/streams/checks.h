#pragma once

#include "lib/common/result.h"
#include "twofold/v1/queue.pb.h"

/// What a worker process may say of itself and of its jobs, beside the limits of the fields.
/// Errors   kInvalidArgument: names the field, what it has and what is allowed.
namespace twofold::frontend {

/// Labels of a Hello have one line each.
Status CheckLines(const v1::Hello& hello);

/// Progress in a message.
Status CheckProgress(const v1::WorkerMessage& message);

}  // namespace twofold::frontend
