#include "lib/rpc/status_details.h"

#include <chrono>
#include <cstdint>

#include "google/rpc/status_subset.pb.h"

namespace twofold::rpc {

Status FullStatus(const std::string& message, Duration retry_after) {
  google::rpc::RetryInfo info;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(retry_after);
  info.mutable_retry_delay()->set_seconds(seconds.count());
  info.mutable_retry_delay()->set_nanos(static_cast<std::int32_t>((retry_after - seconds).count()));
  Status status = absl::ResourceExhaustedError(message);
  google::rpc::Status details;
  details.set_code(status.raw_code());
  details.set_message(message);
  details.add_details()->PackFrom(info);
  status.SetPayload(h2::kStatusDetails, absl::Cord(details.SerializeAsString()));
  return status;
}

Status WithDetails(Status status, const h2::Metadata& trailers) {
  if (const std::string* const details = h2::Find(trailers, h2::kStatusDetails)) {
    status.SetPayload(h2::kStatusDetails, absl::Cord(*details));
  }
  return status;
}

}  // namespace twofold::rpc
