#pragma once

#include <string>

#include "lib/common/instant.h"
#include "lib/common/result.h"
#include "lib/h2/metadata.h"

/// What goes along with a status, in the trailer h2::kStatusDetails: a payload of that name.
///
/// Threads  Safe.
namespace twofold::rpc {

/// kResourceExhausted with google.rpc.RetryInfo in the details, as gRPC clients know it.
Status FullStatus(const std::string& message, Duration retry_after);

/// `status` with the details that the server's trailers have.
Status WithDetails(Status status, const h2::Metadata& trailers);

}  // namespace twofold::rpc
