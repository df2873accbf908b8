#pragma once

#include <cstdint>
#include <vector>

#include "lib/common/address.h"
#include "lib/common/descriptors.h"
#include "lib/common/result.h"

namespace twofold::rpc {

/// Sockets that listen, all at one port. What they accept is watched by the kernel (KeepTcpAlive)
/// and sends without delay.
struct Listeners {
  std::vector<Descriptor> sockets;
  std::uint16_t port = 0;  ///< in use, also when 0 was asked for
};

/// Listens at all addresses that `address` has; no host = all interfaces, of IPv6 and IPv4. A name
/// is looked up, which may block. A port that another program listens at is an error: a second
/// frontend there is a mistake to report, not a way to share the load.
///
/// Errors   kUnavailable: the reason of the system.
Result<Listeners> OpenListeners(const HostPort& address);

}  // namespace twofold::rpc
