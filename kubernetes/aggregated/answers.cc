#include "kubernetes/aggregated/answers.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace twofold::aggregated {
namespace {

using kube::Json;

struct Row {
  absl::StatusCode code;
  int status;
  const char* reason;
};
constexpr std::array kRows = {
    Row{absl::StatusCode::kInvalidArgument, 400, "BadRequest"},
    Row{absl::StatusCode::kUnauthenticated, 401, "Unauthorized"},
    Row{absl::StatusCode::kPermissionDenied, 403, "Forbidden"},
    Row{absl::StatusCode::kNotFound, 404, "NotFound"},
};

http::Response WithBody(int status, const Json& document) {
  return http::Json(status, document.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace

http::Response Answer(const Json& document) { return WithBody(200, document); }

http::Response Refusal(int status, const std::string& reason, const std::string& message) {
  return WithBody(status, {{"kind", "Status"},
                           {"apiVersion", "v1"},
                           {"metadata", Json::object()},
                           {"status", "Failure"},
                           {"message", message},
                           {"reason", reason},
                           {"code", status}});
}

http::Response Refusal(const Status& error) {
  const auto* const row = std::find_if(kRows.begin(), kRows.end(),
                                       [&](const Row& each) { return each.code == error.code(); });
  const std::string message(error.message());
  if (row == kRows.end()) return Refusal(503, "ServiceUnavailable", message);
  return Refusal(row->status, row->reason, message);
}

std::string Quantity(double value) {
  constexpr double kMost = 9e15;   // in thousandths, what 64 bits hold
  constexpr double kNoise = 1e-6;  // 1.1 * 1000 is more than 1100
  const auto thousandths =
      static_cast<std::int64_t>(std::ceil(std::min(value, kMost) * 1000 - kNoise));
  if (thousandths % 1000 == 0) return absl::StrCat(thousandths / 1000);
  return absl::StrCat(thousandths, "m");
}

}  // namespace twofold::aggregated
