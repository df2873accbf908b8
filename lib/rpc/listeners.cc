#include "lib/rpc/listeners.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "lib/rpc/tcp_keepalive.h"

namespace twofold::rpc {
namespace {

using Addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

Result<Addresses> Resolve(const HostPort& address) {
  addrinfo hints{};
  hints.ai_flags = AI_PASSIVE;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  // "::" takes IPv4 as well; the second address is for machines that have no IPv6.
  const char* host = address.host.empty() ? nullptr : address.host.c_str();
  const int failed = getaddrinfo(host, std::to_string(address.port).c_str(), &hints, &found);
  if (failed != 0) return absl::UnavailableError(gai_strerror(failed));
  return Addresses(found, &freeaddrinfo);
}

void Set(int fd, int level, int option, int value) {
  setsockopt(fd, level, option, &value, sizeof(value));
}

// The options are those of the connections, too, which inherit them.
Descriptor Open(const addrinfo& address) {
  const int type = address.ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK;
  Descriptor made(socket(address.ai_family, type, address.ai_protocol));
  if (made.get() < 0) return made;
  Set(made.get(), SOL_SOCKET, SO_REUSEADDR, 1);
  if (address.ai_family == AF_INET6) Set(made.get(), IPPROTO_IPV6, IPV6_V6ONLY, 0);
  Set(made.get(), IPPROTO_TCP, TCP_NODELAY, 1);
  KeepTcpAlive(made.get());
  const bool listens = bind(made.get(), address.ai_addr, address.ai_addrlen) == 0 &&
                       listen(made.get(), SOMAXCONN) == 0;
  return listens ? std::move(made) : Descriptor();
}

std::uint16_t* PortIn(sockaddr* address) {
  if (address->sa_family == AF_INET6) return &reinterpret_cast<sockaddr_in6*>(address)->sin6_port;
  return &reinterpret_cast<sockaddr_in*>(address)->sin_port;
}

std::uint16_t PortOf(int fd) {
  sockaddr_storage storage{};
  socklen_t size = sizeof(storage);
  auto* const address = reinterpret_cast<sockaddr*>(&storage);
  return getsockname(fd, address, &size) == 0 ? ntohs(*PortIn(address)) : 0;
}

bool IsMissingHere(int error) {
  return error == EAFNOSUPPORT || error == EADDRNOTAVAIL || error == EPROTONOSUPPORT;
}

}  // namespace

Result<Listeners> OpenListeners(const HostPort& address) {
  const Result<Addresses> addresses = Resolve(address);
  if (!addresses.ok()) return addresses.status();
  Listeners listeners;
  int why = 0;
  // IPv6 first, as its wildcard takes IPv4 along.
  for (const int family : {AF_INET6, AF_INET}) {
    for (addrinfo* one = addresses->get(); one != nullptr; one = one->ai_next) {
      if (one->ai_family != family) continue;
      if (listeners.port != 0) *PortIn(one->ai_addr) = htons(listeners.port);
      Descriptor made = Open(*one);
      if (made.get() >= 0) {
        listeners.port = PortOf(made.get());
        listeners.sockets.push_back(std::move(made));
        if (address.host.empty()) return listeners;
      } else if (!IsMissingHere(errno)) {
        return absl::UnavailableError(std::strerror(errno));
      } else {
        why = errno;
      }
    }
  }
  if (listeners.sockets.empty()) return absl::UnavailableError(std::strerror(why));
  return listeners;
}

}  // namespace twofold::rpc
