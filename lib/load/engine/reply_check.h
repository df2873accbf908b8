#pragma once

#include <string_view>

#include "lib/common/result.h"
#include "twofold/v1/queue.pb.h"

namespace twofold::load {

/// Whether a submitter of jobs for `queue`, or for one of its shards, can use what a frontend says.
///
/// Errors   kInvalidArgument: what rpc::Check finds; more shards than there can be; a `moved` that
///          is not of the queue.
Status CheckReply(const v1::SubmitReply& reply, std::string_view queue);

}  // namespace twofold::load
