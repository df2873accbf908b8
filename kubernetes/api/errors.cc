#include "kubernetes/api/errors.h"

#include <absl/strings/cord.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "kubernetes/api/call.h"
#include "lib/common/printable.h"

namespace twofold::kube {
namespace {

// What a Status carries beside code and text. Any unique text will do.
constexpr const char* kReason = "twofold.kube/reason";
constexpr const char* kHttpStatus = "twofold.kube/http-status";
constexpr const char* kRetryAfter = "twofold.kube/retry-after";
constexpr const char* kRepeated = "twofold.kube/repeated";

constexpr std::size_t kMessageBytes = 2000;

struct StatusName {
  int status;
  absl::StatusCode code;
  std::string_view name;
};

constexpr StatusName kStatuses[] = {
    {400, absl::StatusCode::kInvalidArgument, "Bad Request"},
    {401, absl::StatusCode::kUnauthenticated, "Unauthorized"},
    {403, absl::StatusCode::kPermissionDenied, "Forbidden"},
    {404, absl::StatusCode::kNotFound, "Not Found"},
    {405, absl::StatusCode::kInvalidArgument, "Method Not Allowed"},
    {406, absl::StatusCode::kInvalidArgument, "Not Acceptable"},
    {408, absl::StatusCode::kDeadlineExceeded, "Request Timeout"},
    {409, absl::StatusCode::kAborted, "Conflict"},
    {410, absl::StatusCode::kOutOfRange, "Gone"},
    {413, absl::StatusCode::kInvalidArgument, "Payload Too Large"},
    {415, absl::StatusCode::kInvalidArgument, "Unsupported Media Type"},
    {422, absl::StatusCode::kInvalidArgument, "Unprocessable Entity"},
    {429, absl::StatusCode::kResourceExhausted, "Too Many Requests"},
    {500, absl::StatusCode::kUnavailable, "Internal Server Error"},
    {502, absl::StatusCode::kUnavailable, "Bad Gateway"},
    {503, absl::StatusCode::kUnavailable, "Service Unavailable"},
    {504, absl::StatusCode::kDeadlineExceeded, "Gateway Timeout"},
};

StatusName NameOfStatus(int status) {
  const auto* found = std::find_if(std::begin(kStatuses), std::end(kStatuses),
                                   [&](const StatusName& row) { return row.status == status; });
  if (found != std::end(kStatuses)) return *found;
  return {status, status >= 500 ? absl::StatusCode::kUnavailable : absl::StatusCode::kInternal, ""};
}

std::optional<std::int64_t> NumberAt(const Json& object, std::string_view path) {
  const Json* at = At(object, path);
  if (at == nullptr || !at->is_number_integer()) return std::nullopt;
  return at->get<std::int64_t>();
}

std::string Payload(const Status& status, const char* name) {
  const auto payload = status.GetPayload(name);
  return payload ? std::string(*payload) : "";
}

/// `object` is a Status object, or anything else; `text` is told if it is not.
Status Make(const std::string& what, int http_status, const Json& object, std::string_view text) {
  const StatusName row = NameOfStatus(http_status);
  const std::string reason = TextAt(object, "/reason");
  const std::string message = TextAt(object, "/message");
  const std::string told =
      Printable(message.empty() ? text : std::string_view(message), kMessageBytes);
  const bool exists = reason == "AlreadyExists";
  Status status(exists ? absl::StatusCode::kAlreadyExists : row.code,
                absl::StrCat(what, ": ", http_status, row.name.empty() ? "" : " ",
                             std::string(row.name), told.empty() ? "" : ": ", told));
  if (!reason.empty()) status.SetPayload(kReason, absl::Cord(reason));
  status.SetPayload(kHttpStatus, absl::Cord(std::to_string(http_status)));
  if (const auto seconds = NumberAt(object, "/details/retryAfterSeconds")) {
    SetRetryAfter(status, std::chrono::seconds(*seconds));
  }
  return status;
}

}  // namespace

Status ErrorOf(const std::string& what, int http_status, const std::string& body) {
  return Make(what, http_status, Json::parse(body, nullptr, false), body);
}

Status ErrorOfStatusObject(const std::string& what, const Json& object) {
  const auto code = NumberAt(object, "/code").value_or(500);
  return Make(what, static_cast<int>(std::clamp<std::int64_t>(code, 400, 599)), object, "");
}

std::string ReasonOf(const Status& status) { return Payload(status, kReason); }

int HttpStatusOf(const Status& status) {
  int number = 0;
  return absl::SimpleAtoi(Payload(status, kHttpStatus), &number) ? number : 0;
}

bool WasRepeated(const Status& status) { return !Payload(status, kRepeated).empty(); }

void SetRepeated(Status& status) { status.SetPayload(kRepeated, absl::Cord("yes")); }

std::optional<Duration> RetryAfterOf(const Status& status) {
  std::int64_t number = 0;
  if (!absl::SimpleAtoi(Payload(status, kRetryAfter), &number)) return std::nullopt;
  return std::chrono::seconds(number);
}

void SetRetryAfter(Status& status, std::chrono::seconds wait) {
  constexpr std::int64_t kDay = 86400;  // so that no server makes it overflow
  status.SetPayload(kRetryAfter,
                    absl::Cord(std::to_string(std::clamp<std::int64_t>(wait.count(), 0, kDay))));
}

}  // namespace twofold::kube
