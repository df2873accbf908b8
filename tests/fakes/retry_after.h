#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "google/rpc/status_subset.pb.h"
#include "lib/common/instant.h"
#include "lib/common/result.h"
#include "lib/h2/metadata.h"

namespace twofold::rpc {

/// The delay in the RetryInfo of a status, if it has one: as any gRPC client reads it.
inline std::optional<Duration> RetryAfter(const Status& status) {
  const auto text = status.GetPayload(h2::kStatusDetails);
  google::rpc::Status details;
  if (!text || !details.ParseFromString(std::string(*text))) return std::nullopt;
  for (const auto& detail : details.details()) {
    google::rpc::RetryInfo info;
    if (!detail.UnpackTo(&info)) continue;
    return std::chrono::seconds(info.retry_delay().seconds()) +
           std::chrono::nanoseconds(info.retry_delay().nanos());
  }
  return std::nullopt;
}

}  // namespace twofold::rpc
