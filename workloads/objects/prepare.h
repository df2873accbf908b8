#pragma once

#include <string>
#include <vector>

#include "workloads/objects/store.h"

/// What happens before load: one request after another.
///
/// Threads  Blocks.
namespace twofold::objects {

/// Sees that the bucket is there; makes it if it is not and `make`.
/// Errors   kUnavailable, kPermissionDenied, kNotFound: what the store said; kDataLoss: it calls a
///          success what is none.
Status EnsureBucket(const Store& store, bool make, Duration timeout);

/// All names in the bucket that begin with `prefix`, sorted, each once. They are kept in memory, so
/// there may be 2^24.
/// Errors   as above; kDataLoss: an answer is no list, or one that is not whole;
/// kResourceExhausted:
///          there are more.
Result<std::vector<std::string>> ListNames(const Store& store, const std::string& prefix,
                                           Duration timeout);

}  // namespace twofold::objects
