#include "lib/rpc/tcp_keepalive.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

namespace twofold::rpc {
namespace {

class Socket {
 public:
  explicit Socket(int fd) : fd_(fd) {}
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  ~Socket() { close(fd_); }

  [[nodiscard]] int fd() const { return fd_; }

  [[nodiscard]] int Get(int level, int option) const {
    int value = -1;
    socklen_t size = sizeof(value);
    EXPECT_EQ(getsockopt(fd_, level, option, &value, &size), 0);
    return value;
  }

  [[nodiscard]] bool IsWatched() const {
    return Get(SOL_SOCKET, SO_KEEPALIVE) == 1 && Get(IPPROTO_TCP, TCP_KEEPIDLE) == 5 &&
           Get(IPPROTO_TCP, TCP_USER_TIMEOUT) == 10'000;
  }

 private:
  int fd_;
};

sockaddr* Generic(sockaddr_in& address) { return reinterpret_cast<sockaddr*>(&address); }

TEST(KeepTcpAlive, WatchesAConnectionAndThoseThatAreAcceptedLater) {
  const Socket listening(socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  ASSERT_EQ(bind(listening.fd(), Generic(address), size), 0);
  ASSERT_EQ(listen(listening.fd(), 1), 0);
  ASSERT_EQ(getsockname(listening.fd(), Generic(address), &size), 0);
  const Socket connecting(socket(AF_INET, SOCK_STREAM, 0));
  const Socket datagrams(socket(AF_INET, SOCK_DGRAM, 0));
  EXPECT_FALSE(connecting.IsWatched());

  KeepTcpAlive(listening.fd());
  KeepTcpAlive(connecting.fd());
  KeepTcpAlive(datagrams.fd());
  ASSERT_EQ(connect(connecting.fd(), Generic(address), size), 0);
  const Socket accepted(accept(listening.fd(), nullptr, nullptr));
  EXPECT_TRUE(connecting.IsWatched());
  EXPECT_TRUE(accepted.IsWatched());
}

}  // namespace
}  // namespace twofold::rpc
