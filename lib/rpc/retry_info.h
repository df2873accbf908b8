#pragma once

#include <grpcpp/grpcpp.h>

#include <optional>
#include <string>

#include "lib/common/instant.h"

namespace twofold::rpc {

/// RESOURCE_EXHAUSTED with google.rpc.RetryInfo in the details, as gRPC clients know it.
grpc::Status FullStatus(const std::string& message, Duration retry_after);

/// The delay in a status's RetryInfo, if it has one.
std::optional<Duration> RetryAfter(const grpc::Status& status);

}  // namespace twofold::rpc
