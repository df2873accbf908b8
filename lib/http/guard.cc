#include "lib/http/guard.h"

#include <optional>
#include <utility>

#include "lib/http/origin.h"

namespace twofold::http {
namespace {

using security::Gate;
using security::Reason;

std::optional<Gate::Denial> Check(Gate& gate, bool asks_certificate, security::Roles allowed,
                                  const Request& request) {
  if (asks_certificate && !request.has_certificate && !allowed.open()) {
    gate.Count(Reason::kNoCertificate);
    return Gate::Denial{Reason::kNoCertificate, "a client certificate is needed"};
  }
  if (!allowed.Has(security::Role::kReadOnly) && IsFromOtherSite(request)) {
    gate.Count(Reason::kOtherSite);
    return Gate::Denial{Reason::kOtherSite, "pages of other sites cannot change anything here"};
  }
  const std::string* header = Find(request.headers, "authorization");
  return gate.Check(request.path, allowed, header == nullptr ? "" : *header);
}

Response Refuse(const Gate::Denial& denial) {
  const bool token = denial.reason == Reason::kNoToken || denial.reason == Reason::kUnknownToken;
  Response response = PlainText(token ? 401 : 403, denial.message + "\n");
  if (token) response.headers["WWW-Authenticate"] = "Bearer realm=\"twofold\"";
  return response;
}

}  // namespace

Handler Guard(std::shared_ptr<security::Gate> gate, bool asks_certificate, RolesOf roles,
              Handler handler) {
  return [gate = std::move(gate), asks_certificate, roles = std::move(roles),
          handler = std::move(handler)](Request request) {
    const auto denial = Check(*gate, asks_certificate, roles(request), request);
    return denial ? Refuse(*denial) : handler(std::move(request));
  };
}

}  // namespace twofold::http
