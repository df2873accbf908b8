#include "lib/common/address.h"

#include <absl/strings/str_cat.h>

#include <charconv>
#include <optional>
#include <string>
#include <system_error>

namespace twofold {
namespace {

constexpr std::string_view kLettersDigits =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

bool IsOneOf(std::string_view characters, char c) {
  return characters.find(c) != std::string_view::npos;
}

bool IsLetterDigitOr(std::string_view others, std::string_view text) {
  for (const char c : text) {
    if (!IsOneOf(kLettersDigits, c) && !IsOneOf(others, c)) return false;
  }
  return true;
}

std::optional<std::uint16_t> ParsePort(std::string_view text) {
  std::uint16_t port = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, port);
  if (error != std::errc() || stop != end) return std::nullopt;
  return port;
}

std::optional<std::string_view> ParseHost(std::string_view text) {
  if (!text.starts_with('[')) {
    return IsLetterDigitOr("-._", text) ? std::optional(text) : std::nullopt;
  }
  if (text.size() < 4 || !text.ends_with(']')) return std::nullopt;
  text = text.substr(1, text.size() - 2);
  // The colon sets an IPv6 address apart from a name; what follows a % is its zone.
  const bool ok = IsOneOf(text, ':') && IsLetterDigitOr(":.%-_", text);
  return ok ? std::optional(text) : std::nullopt;
}

}  // namespace

Result<HostPort> ParseAddress(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon != std::string_view::npos) {
    const auto host = ParseHost(text.substr(0, colon));
    const auto port = ParsePort(text.substr(colon + 1));
    if (host && port) return HostPort{std::string(*host), *port};
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "bad address '", std::string(text),
      "': use host:port, [ipv6]:port or :port (all interfaces), port 0 to 65535"));
}

std::string ToString(const HostPort& address) {
  const bool ipv6 = IsOneOf(address.host, ':');
  return absl::StrCat(ipv6 ? "[" : "", address.host, ipv6 ? "]:" : ":", address.port);
}

}  // namespace twofold
