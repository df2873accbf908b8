#include "lib/kube/proxy.h"

#include <absl/strings/ascii.h>
#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>

#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/network_v4.hpp>
#include <boost/asio/ip/network_v6.hpp>
#include <vector>

#include "lib/http/message.h"

namespace twofold::kube {
namespace {

namespace ip = boost::asio::ip;
using boost::system::error_code;

constexpr std::string_view kScheme = "http://";

Status BadProxy(const std::string& what) {
  return absl::InvalidArgumentError(
      absl::StrCat(what, ": use http://host:port, whatever the server's scheme is"));
}

bool IsInNetwork(const std::string& address, const std::string& network) {
  error_code bad;
  error_code bad_network;
  const auto four = ip::make_address_v4(address, bad);
  const auto net_four = ip::make_network_v4(network, bad_network);
  if (!bad && !bad_network) {
    return ip::network_v4(four, net_four.prefix_length()).canonical() == net_four.canonical();
  }
  const auto six = ip::make_address_v6(address, bad);
  const auto net_six = ip::make_network_v6(network, bad_network);
  if (bad || bad_network) return false;
  return ip::network_v6(six, net_six.prefix_length()).canonical() == net_six.canonical();
}

/// Whether an entry of NO_PROXY is about this host.
bool Covers(std::string entry, const std::string& host, const std::string& port) {
  if (entry == "*") return true;
  if (entry.find('/') != std::string::npos) return IsInNetwork(host, entry);
  const std::size_t colon = entry.find(':');
  if (colon != std::string::npos && entry.find(':', colon + 1) == std::string::npos) {
    if (entry.substr(colon + 1) != port) return false;
    entry.resize(colon);
  }
  if (entry.starts_with("*.")) entry.erase(0, 1);
  if (entry == host) return true;
  return absl::EndsWith(host, entry.starts_with('.') ? entry : "." + entry);
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

bool IsThisMachine(const std::string& host) {
  error_code bad;
  const auto address = ip::make_address(host, bad);
  return host == "localhost" || (!bad && address.is_loopback());
}

Result<http::Proxy> ParseProxy(const std::string& url) {
  if (!url.starts_with(kScheme)) return BadScheme(url);
  std::string rest = url.substr(kScheme.size());
  const std::size_t end = std::min(rest.find('/'), rest.size());
  const std::size_t at = rest.substr(0, end).rfind('@');
  http::Proxy proxy;
  if (at != std::string::npos) {
    const Result<std::string> user = http::PercentDecode(rest.substr(0, at));
    if (!user.ok()) return BadProxy("its user or password has a % without two hex digits");
    proxy.authorization = "Basic " + absl::Base64Escape(*user);
    rest.erase(0, at + 1);
  }
  const Result<http::Url> parsed = http::ParseUrl(absl::StrCat(std::string(kScheme), rest));
  if (!parsed.ok()) return BadProxy("it is no URL of a host");
  proxy.address = parsed->server;
  return proxy;
}

std::string ProxyOfEnvironment(const http::Url& server,
                               const std::function<std::string(const std::string&)>& variable) {
  const auto either = [&](const std::string& name) {
    std::string value = variable(name);
    return value.empty() ? variable(absl::AsciiStrToLower(name)) : value;
  };
  const std::string host = absl::AsciiStrToLower(server.server.host);
  std::string proxy = either(server.tls ? "HTTPS_PROXY" : "HTTP_PROXY");
  if (proxy.empty() || IsThisMachine(host)) return {};
  const std::string port = std::to_string(server.server.port);
  for (const auto part : absl::StrSplit(either("NO_PROXY"), ',')) {
    const std::string entry = absl::AsciiStrToLower(absl::StripAsciiWhitespace(part));
    if (!entry.empty() && Covers(entry, host, port)) return {};
  }
  if (proxy.find("://") == std::string::npos) proxy.insert(0, kScheme);
  return proxy;
}

}  // namespace twofold::kube
