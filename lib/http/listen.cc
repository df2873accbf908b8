#include "lib/http/listen.h"

#include <fcntl.h>
#include <spdlog/fmt/fmt.h>

#include <boost/asio/ip/v6_only.hpp>
#include <utility>
#include <vector>

namespace twofold::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

std::vector<tcp::endpoint> Endpoints(asio::io_context& io, const HostPort& address,
                                     error_code& error) {
  if (address.host.empty()) return {{tcp::v6(), address.port}, {tcp::v4(), address.port}};
  if (const auto ip = asio::ip::make_address(address.host, error); !error) {
    return {{ip, address.port}};
  }
  tcp::resolver resolver(io);
  std::vector<tcp::endpoint> endpoints;
  for (const auto& found : resolver.resolve(address.host, std::to_string(address.port), error)) {
    endpoints.push_back(found.endpoint());
  }
  return endpoints;
}

error_code Open(const tcp::endpoint& endpoint, tcp::acceptor& acceptor) {
  error_code error;
  acceptor.open(endpoint.protocol(), error);
  if (error) return error;
  CloseOnExec(acceptor.native_handle());
  acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  const bool all = endpoint.address() == asio::ip::address_v6::any();
  if (all) acceptor.set_option(asio::ip::v6_only(false), error);
  acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  return error;
}

/// Whether the machine lacks this kind of address, so that the next one is worth a try.
bool IsMissingFamily(const error_code& error) {
  return error == asio::error::address_family_not_supported ||
         error == boost::system::errc::address_not_available;
}

}  // namespace

void CloseOnExec(int socket) { ::fcntl(socket, F_SETFD, FD_CLOEXEC); }

Result<tcp::acceptor> Listen(asio::io_context& io, const HostPort& address) {
  error_code error;
  for (const tcp::endpoint& endpoint : Endpoints(io, address, error)) {
    tcp::acceptor acceptor(io);
    error = Open(endpoint, acceptor);
    if (!error) return acceptor;
    if (!IsMissingFamily(error)) break;
  }
  return absl::UnavailableError(
      fmt::format("cannot listen on {}: {}", ToString(address), error.message()));
}

}  // namespace twofold::http
