#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "lib/common/result.h"

namespace twofold {

/// An address to listen on or connect to, as people write it: `host:port`.
struct HostPort {
  std::string host;        ///< a name or an address, without brackets; empty = all interfaces
  std::uint16_t port = 0;  ///< 0 = any free one

  friend bool operator==(const HostPort&, const HostPort&) = default;
};

/// Reads `host:port`, `[ipv6]:port` or `:port`. Does not look up names.
///
/// Errors   kInvalidArgument: the text and what is allowed.
Result<HostPort> ParseAddress(std::string_view text);

/// The text that ParseAddress reads: an IPv6 address gets its brackets back.
std::string ToString(const HostPort& address);

}  // namespace twofold
