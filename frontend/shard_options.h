#pragma once

#include "frontend/options.h"
#include "lib/common/result.h"

namespace twofold::frontend {

/// The options as if all shards of --shards had been named wherever their queue is: from here on
/// each is a queue of its own.
/// Errors   kInvalidArgument: a bad --shards, or what it needs is not there.
Result<Options> WithShards(Options options);

}  // namespace twofold::frontend
