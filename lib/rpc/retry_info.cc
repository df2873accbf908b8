#include "lib/rpc/retry_info.h"

#include "google/rpc/status_subset.pb.h"

namespace twofold::rpc {

grpc::Status FullStatus(const std::string& message, Duration retry_after) {
  google::rpc::RetryInfo info;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(retry_after);
  info.mutable_retry_delay()->set_seconds(seconds.count());
  info.mutable_retry_delay()->set_nanos(static_cast<std::int32_t>((retry_after - seconds).count()));
  google::rpc::Status details;
  details.set_code(grpc::StatusCode::RESOURCE_EXHAUSTED);
  details.set_message(message);
  details.add_details()->PackFrom(info);
  return {grpc::StatusCode::RESOURCE_EXHAUSTED, message, details.SerializeAsString()};
}

std::optional<Duration> RetryAfter(const grpc::Status& status) {
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
