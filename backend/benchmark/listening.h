#pragma once

#include <cstdint>
#include <string_view>

namespace twofold::backend {

/// Whether a socket of `table` (the text of /proc/net/tcp or tcp6) listens on `port`.
bool ListensIn(std::string_view table, std::uint16_t port);

/// Whether something listens on this TCP port in the network namespace of this process. It is
/// looked at, not connected to: a server that serves once would take that for its client.
///
/// Cost     Reads the kernel's tables of TCP sockets.
bool Listens(std::uint16_t port);

}  // namespace twofold::backend
