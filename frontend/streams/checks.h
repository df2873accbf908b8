#pragma once

#include "lib/common/result.h"
#include "twofold/v1/queue.pb.h"

/// What a worker process may say of itself and of its jobs, beside the limits of the fields.
/// Errors   kInvalidArgument: names the field, what it has and what is allowed.
namespace twofold::frontend {

Status CheckHello(const v1::Hello& hello);

/// Only the progress of jobs; results are checked by rpc::Check.
Status CheckProgress(const v1::WorkerMessage& message);

}  // namespace twofold::frontend
