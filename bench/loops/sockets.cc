#include "bench/loops/sockets.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cstdio>
#include <cstdlib>

namespace twofold::h2 {
namespace {

Descriptor Bound(sockaddr_in& address) {
  Descriptor made(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  Need(bind(made.get(), any, size) == 0, "bind");
  Need(getsockname(made.get(), any, &size) == 0, "getsockname");
  return made;
}

void Connect(const Descriptor& socket, const sockaddr_in& to) {
  Need(connect(socket.get(), reinterpret_cast<const sockaddr*>(&to), sizeof(to)) == 0, "connect");
}

Descriptor Unblocking(Descriptor socket) {
  const int one = 1;
  const int room = 1 << 20;
  setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
  setsockopt(socket.get(), SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
  fcntl(socket.get(), F_SETFL, O_NONBLOCK);
  return socket;
}

}  // namespace

void Need(bool works, const char* what) {
  if (works) return;
  std::perror(what);
  std::exit(1);
}

std::pair<Descriptor, Descriptor> ConnectedPair() {
  sockaddr_in address;
  const Descriptor listener = Bound(address);
  Need(listen(listener.get(), 1) == 0, "listen");
  Descriptor ours(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  Connect(ours, address);
  Descriptor theirs(accept(listener.get(), nullptr, nullptr));
  return {Unblocking(std::move(ours)), Unblocking(std::move(theirs))};
}

Descriptor ConnectedToItself() {
  sockaddr_in address;
  Descriptor made = Bound(address);
  Connect(made, address);
  const linger none{.l_onoff = 1, .l_linger = 0};
  setsockopt(made.get(), SOL_SOCKET, SO_LINGER, &none, sizeof(none));
  return Unblocking(std::move(made));
}

}  // namespace twofold::h2
