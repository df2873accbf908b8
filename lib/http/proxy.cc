#include "lib/http/proxy.h"

#include <absl/strings/ascii.h>
#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>

#include <algorithm>

#include "lib/http/message.h"

namespace twofold::http {
namespace {

constexpr std::string_view kScheme = "http://";

Status BadProxy(const std::string& what) {
  return absl::InvalidArgumentError(
      absl::StrCat(what, ": use http://host:port, whatever the server's scheme is"));
}

/// Why this is no URL of http. Of the text only a scheme is told: the rest may have a password.
Status BadScheme(const std::string& url) {
  const std::string scheme = url.substr(0, std::min(url.find("://"), url.size()));
  const bool is_scheme = scheme.size() < url.size() &&
                         std::all_of(scheme.begin(), scheme.end(),
                                     [](unsigned char c) { return absl::ascii_isalnum(c); });
  return BadProxy(is_scheme
                      ? absl::StrCat("'", scheme, "' is a kind of proxy that is not supported")
                      : "it does not begin with a scheme");
}

}  // namespace

Result<Proxy> ParseProxy(const std::string& url) {
  if (!url.starts_with(kScheme)) return BadScheme(url);
  std::string rest = url.substr(kScheme.size());
  const std::size_t end = std::min(rest.find('/'), rest.size());
  const std::size_t at = rest.substr(0, end).rfind('@');
  Proxy proxy;
  if (at != std::string::npos) {
    const Result<std::string> user = PercentDecode(rest.substr(0, at));
    if (!user.ok()) return BadProxy("its user or password has a % without two hex digits");
    proxy.authorization = "Basic " + absl::Base64Escape(*user);
    rest.erase(0, at + 1);
  }
  const Result<Url> parsed = ParseUrl(absl::StrCat(std::string(kScheme), rest));
  if (!parsed.ok()) return BadProxy("it is no URL of a host");
  proxy.address = parsed->server;
  return proxy;
}

std::string ProxyOfEnvironment(const Url& server, const Variables& variable) {
  std::string proxy = InEitherCase(variable, server.tls ? "HTTPS_PROXY" : "HTTP_PROXY");
  if (proxy.empty() || GoesDirect(server.server, InEitherCase(variable, "NO_PROXY"))) return {};
  if (proxy.find("://") == std::string::npos) proxy.insert(0, kScheme);
  return proxy;
}

}  // namespace twofold::http
