#include "tests/lib/h2/loopback.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>

#include <cerrno>

namespace twofold::h2 {

Loopback::Loopback() : socket(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  EXPECT_EQ(bind(socket.get(), any, size), 0);
  EXPECT_EQ(listen(socket.get(), SOMAXCONN), 0);
  EXPECT_EQ(getsockname(socket.get(), any, &size), 0);
  port = ntohs(address.sin_port);
}

Descriptor ConnectingTo(std::uint16_t port) {
  Descriptor made(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  const int connected = connect(made.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address));
  EXPECT_TRUE(connected == 0 || errno == EINPROGRESS);
  return made;
}

SocketPair::SocketPair() {
  int both[2] = {-1, -1};
  EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, both), 0);
  ours = Descriptor(both[0]);
  peers = Descriptor(both[1]);
  fcntl(ours.get(), F_SETFL, O_NONBLOCK);
}

bool TurnUntil(Loop& loop, const std::function<bool()>& done) {
  const Instant end = Now() + std::chrono::seconds(60);
  while (!done() && Now() < end) loop.Turn(std::chrono::milliseconds(100));
  return done();
}

}  // namespace twofold::h2
