#include "lib/common/no_proxy.h"

#include <absl/strings/ascii.h>
#include <absl/strings/match.h>
#include <absl/strings/str_split.h>

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/network_v4.hpp>
#include <boost/asio/ip/network_v6.hpp>

namespace twofold {
namespace {

namespace ip = boost::asio::ip;
using boost::system::error_code;

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

}  // namespace

std::string InEitherCase(const Variables& variable, const std::string& name) {
  std::string value = variable(name);
  return value.empty() ? variable(absl::AsciiStrToLower(name)) : value;
}

bool IsThisMachine(const std::string& host) {
  error_code bad;
  const auto address = ip::make_address(host, bad);
  return host == "localhost" || (!bad && address.is_loopback());
}

bool GoesDirect(const HostPort& server, const std::string& no_proxy) {
  const std::string host = absl::AsciiStrToLower(server.host);
  if (IsThisMachine(host)) return true;
  const std::string port = std::to_string(server.port);
  for (const auto part : absl::StrSplit(no_proxy, ',')) {
    const std::string entry = absl::AsciiStrToLower(absl::StripAsciiWhitespace(part));
    if (!entry.empty() && Covers(entry, host, port)) return true;
  }
  return false;
}

}  // namespace twofold
