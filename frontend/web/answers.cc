#include "frontend/web/answers.h"

#include <absl/strings/numbers.h>

namespace twofold::frontend {
namespace {

int CodeOf(const Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kInvalidArgument:
      return 400;
    case absl::StatusCode::kPermissionDenied:
      return 403;
    case absl::StatusCode::kNotFound:
      return 404;
    case absl::StatusCode::kFailedPrecondition:
      return 409;
    default:
      return 503;
  }
}

}  // namespace

http::Response Failed(const Status& status) {
  return JsonPage(CodeOf(status), show::Json{{"error", std::string(status.message())}});
}

std::string QueryOf(const http::Request& request, const char* name) {
  const std::string* const value = http::Find(request.query, name);
  return value == nullptr ? std::string() : *value;
}

Result<std::uint64_t> JobIdOf(const http::Request& request) {
  std::uint64_t id = 0;
  if (absl::SimpleAtoi(request.params.at("id"), &id)) return id;
  return absl::InvalidArgumentError("id is not the number of a job");
}

Status NoRuns() {
  return absl::FailedPreconditionError("this frontend keeps no runs; start it with --store");
}

}  // namespace twofold::frontend
