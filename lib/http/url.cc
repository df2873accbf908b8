#include "lib/http/url.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <utility>

namespace twofold::http {
namespace {

bool IsPrintable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7f; });
}

/// Without what stands before an '@': that may be a password.
Status BadUrl(std::string_view text) {
  const std::size_t at = text.rfind('@');
  const bool has_user = at != text.npos;
  return absl::InvalidArgumentError(
      fmt::format("bad URL '{}{}': use http://host:port/path or https, percent-encoded{}",
                  has_user ? "...@" : "", has_user ? text.substr(at + 1) : text,
                  has_user ? ", without user and password" : ""));
}

}  // namespace

Result<Url> ParseUrl(std::string_view text) {
  const std::string_view whole = text;
  const bool tls = text.starts_with("https://");
  if (!(tls || text.starts_with("http://")) || !IsPrintable(text) || text.find('#') != text.npos) {
    return BadUrl(whole);
  }
  text.remove_prefix(text.find("//") + 2);
  const std::size_t end = std::min(text.find_first_of("/?"), text.size());
  Url url{tls, {}, std::string(text.substr(0, end)), std::string(text.substr(end))};
  if (!url.target.starts_with('/')) url.target.insert(url.target.begin(), '/');
  const bool has_port = url.authority.rfind(':') + 1 > url.authority.rfind(']') + 1;
  Result<HostPort> server = ParseAddress(url.authority + (has_port ? "" : tls ? ":443" : ":80"));
  const bool has_user = url.authority.find('@') != std::string::npos;
  if (!server.ok() || server->host.empty() || has_user) return BadUrl(whole);
  url.server = *std::move(server);
  return url;
}

}  // namespace twofold::http
