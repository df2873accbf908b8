#include "lib/http/guard.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "lib/common/printable.h"

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

constexpr std::size_t kMostShown = 100;  // bytes of a host in a message

std::string Lower(std::string_view text) {
  std::string lower(text);
  absl::AsciiStrToLower(&lower);
  return lower;
}

/// "host:port" of "http://host:port/path"; empty for "null" and what is no URL.
std::string_view AuthorityOf(std::string_view url) {
  const std::size_t scheme = url.find("://");
  if (scheme == url.npos) return {};
  url.remove_prefix(scheme + 3);
  return url.substr(0, url.find_first_of("/?#"));
}

bool IsNumeric(std::string_view name) { return name.find_first_not_of("0123456789.") == name.npos; }

}  // namespace

bool IsFromOtherSite(const Request& request) {
  if (const std::string* site = Find(request.headers, "sec-fetch-site")) {
    return *site != "same-origin" && *site != "none";  // none: typed, or a bookmark
  }
  const std::string* host = Find(request.headers, "host");
  for (const char* name : {"origin", "referer"}) {
    const std::string* page = Find(request.headers, name);
    if (page != nullptr && (host == nullptr || Lower(AuthorityOf(*page)) != Lower(*host))) {
      return true;
    }
  }
  return false;
}

bool IsLocalHost(const std::string& host, const std::string& own_name) {
  if (host.starts_with('[')) return true;  // an IPv6 address: nobody can make it point elsewhere
  const std::string name = Lower(std::string_view(host).substr(0, host.find(':')));
  return IsNumeric(name) || name.find('.') == name.npos || name.ends_with(".localhost") ||
         name == Lower(own_name);
}

Handler ForLocalHosts(std::string own_name, Handler handler) {
  return [own_name = std::move(own_name), handler = std::move(handler)](Request request) {
    const std::string* host = Find(request.headers, "host");
    if (host == nullptr || IsLocalHost(*host, own_name)) return handler(std::move(request));
    return PlainText(
        421, absl::StrCat("only this machine is served here, and '", Printable(*host, kMostShown),
                          "' may be somebody else's name for it: use localhost\n"));
  };
}

Handler Guard(std::shared_ptr<security::Gate> gate, bool asks_certificate, RolesOf roles,
              Handler handler) {
  return [gate = std::move(gate), asks_certificate, roles = std::move(roles),
          handler = std::move(handler)](Request request) {
    const auto denial = Check(*gate, asks_certificate, roles(request), request);
    return denial ? Refuse(*denial) : handler(std::move(request));
  };
}

Response WhoAsks(const security::Gate* gate, security::Role otherwise, const Request& request) {
  const std::string* header = Find(request.headers, "authorization");
  const auto holder = gate == nullptr || header == nullptr ? std::nullopt : gate->HolderOf(*header);
  const std::string role(security::Name(holder ? holder->role : otherwise));
  const bool tokens = gate != nullptr && gate->asks_token();
  return Json(200, absl::StrCat(R"({"roles":[")", role, R"("],"tokens":)",
                                tokens ? "true" : "false", "}\n"));
}

}  // namespace twofold::http
