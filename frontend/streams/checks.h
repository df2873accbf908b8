#pragma once

#include "lib/common/result.h"
#include "twofold/v1/queue.pb.h"

/// Limits on what a worker process says of itself and of its jobs.
/// Errors   kInvalidArgument: names the field, what it has and what is allowed.
namespace twofold::frontend {

/// Names, address, device and labels of a Hello.
Status CheckNames(const v1::Hello& hello);

/// Progress and output in a message.
Status CheckReports(const v1::WorkerMessage& message);

}  // namespace twofold::frontend
