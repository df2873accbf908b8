#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "lib/common/address.h"
#include "lib/common/result.h"

namespace twofold::http {

/// A listening socket at `address`. All interfaces means IPv6 and IPv4, or IPv4 where there is
/// no IPv6. Looking up a name may block.
///
/// Errors   kUnavailable: the address and the system's reason, in one line.
Result<boost::asio::ip::tcp::acceptor> Listen(boost::asio::io_context& io, const HostPort& address);

/// Keeps the socket out of child processes, which would hold the port after this process has ended.
void CloseOnExec(int socket);

}  // namespace twofold::http
