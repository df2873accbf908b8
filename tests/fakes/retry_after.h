#pragma once

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <optional>

#include "google/rpc/status_subset.pb.h"
#include "lib/common/instant.h"

namespace twofold::rpc {

/// The delay in the RetryInfo of a status, if it has one: as any gRPC client reads it.
inline std::optional<Duration> RetryAfter(const grpc::Status& status) {
  google::rpc::Status details;
  if (!details.ParseFromString(status.error_details())) return std::nullopt;
  for (const auto& detail : details.details()) {
    google::rpc::RetryInfo info;
    if (!detail.UnpackTo(&info)) continue;
    return std::chrono::seconds(info.retry_delay().seconds()) +
           std::chrono::nanoseconds(info.retry_delay().nanos());
  }
  return std::nullopt;
}

}  // namespace twofold::rpc
