#pragma once

#include <cstddef>
#include <memory>

#include "lib/common/result.h"
#include "lib/queue/types.h"
#include "twofold/v1/queue.pb.h"

/// Options of jobs, from proto and back.
namespace twofold::frontend {

/// All but `queue`, checked; kInvalidArgument names the field and what is allowed. `durable`: so
/// they are in any case.
Result<std::shared_ptr<const queue::JobOptions>> FromProto(const v1::JobOptions& options,
                                                           bool durable = false);

/// Whether a job with these options may have a spec of so many bytes.
/// Errors   kInvalidArgument names the field and what is allowed.
Status CheckSpec(const queue::JobOptions& options, std::size_t spec_bytes);

/// All but `queue`, which a worker knows.
v1::JobOptions ToProto(const queue::JobOptions& options);

}  // namespace twofold::frontend
