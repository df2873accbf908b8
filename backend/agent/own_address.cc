#include "backend/agent/own_address.h"

#include <absl/strings/str_cat.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/udp.hpp>

namespace twofold::backend {
namespace {

using boost::asio::ip::udp;

Status NoRoute(const HostPort& peer, const boost::system::error_code& error) {
  return absl::UnavailableError(absl::StrCat("no route to ", peer.host, ": ", error.message()));
}

}  // namespace

// Connecting a datagram socket asks the kernel for the route, and sends nothing.
Result<std::string> AddressTowards(const HostPort& peer) {
  boost::asio::io_context io;
  boost::system::error_code error;
  const auto found = udp::resolver(io).resolve(peer.host, std::to_string(peer.port), error);
  if (error) return NoRoute(peer, error);
  for (const auto& entry : found) {
    udp::socket socket(io, entry.endpoint().protocol());
    socket.connect(entry.endpoint(), error);
    if (error) continue;
    const udp::endpoint local = socket.local_endpoint(error);
    if (!error) return local.address().to_string();
  }
  return NoRoute(peer, error);
}

}  // namespace twofold::backend
