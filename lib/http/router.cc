#include "lib/http/router.h"

#include <absl/strings/str_split.h>
#include <spdlog/fmt/fmt.h>

#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "lib/http/message.h"

namespace twofold::http {
namespace {

using Parts = std::vector<std::string>;

/// "/a/b" is {"", "a", "b"}.
Parts Split(const std::string& path) { return absl::StrSplit(path, '/'); }

/// Splits before decoding, so that an escaped slash stays inside its part.
Parts SplitEncoded(const std::string& path) {
  Parts parts = Split(path);
  for (std::string& part : parts) part = PercentDecode(part).value_or(part);
  return parts;
}

bool IsParam(std::string_view part) { return part.starts_with('{') && part.ends_with('}'); }

std::optional<Params> Match(const Parts& pattern, const Parts& path) {
  if (pattern.size() != path.size()) return std::nullopt;
  Params params;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (IsParam(pattern[i]) && !path[i].empty()) {
      params[pattern[i].substr(1, pattern[i].size() - 2)] = path[i];
    } else if (pattern[i] != path[i]) {
      return std::nullopt;
    }
  }
  return params;
}

Response MethodNotAllowed(const Request& request, const std::set<std::string>& allowed) {
  const std::string allow = fmt::format("{}", fmt::join(allowed, ", "));
  Response response = PlainText(
      405, fmt::format("{} does not take {}, only {}\n", request.path, request.method, allow));
  response.headers["Allow"] = allow;
  return response;
}

}  // namespace

Router::Router(std::vector<Route> routes) {
  for (Route& route : routes) {
    entries_.push_back({std::move(route.method), Split(route.path), std::move(route.handler)});
  }
}

Response Router::operator()(Request request) const {
  const Parts path = SplitEncoded(request.path);
  std::set<std::string> allowed;
  for (const auto& [method, pattern, handler] : entries_) {
    std::optional<Params> params = Match(pattern, path);
    if (!params) continue;
    if (method == request.method || (method == "GET" && request.method == "HEAD")) {
      request.params = *std::move(params);
      return handler(std::move(request));
    }
    allowed.insert(method);
    if (method == "GET") allowed.insert("HEAD");
  }
  if (!allowed.empty()) return MethodNotAllowed(request, allowed);
  return PlainText(404, fmt::format("nothing at {}\n", request.path));
}

}  // namespace twofold::http
