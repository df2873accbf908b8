#include "lib/rpc/tcp_keepalive.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <charconv>
#include <filesystem>
#include <string>
#include <system_error>

namespace twofold::rpc {
namespace {

struct Option {
  int level;
  int name;
  int value;
};

constexpr int kPatienceMs = 10'000;

// The last one is for bytes that nobody confirms: probes are not sent while there are some. It
// counts instead of TCP_KEEPCNT as well, where the system has it.
constexpr Option kOptions[] = {
    {SOL_SOCKET, SO_KEEPALIVE, 1},
    {IPPROTO_TCP, TCP_KEEPIDLE, 5},
    {IPPROTO_TCP, TCP_KEEPINTVL, 1},
    {IPPROTO_TCP, TCP_KEEPCNT, 5},
    {IPPROTO_TCP, TCP_USER_TIMEOUT, kPatienceMs},
};

bool IsTcp(int fd) {
  int protocol = 0;
  socklen_t size = sizeof(protocol);
  return getsockopt(fd, SOL_SOCKET, SO_PROTOCOL, &protocol, &size) == 0 && protocol == IPPROTO_TCP;
}

}  // namespace

void KeepTcpAlive(int fd) {
  for (const Option& option : kOptions) {
    setsockopt(fd, option.level, option.name, &option.value, sizeof(option.value));
  }
}

void KeepTcpAlive() {
  std::error_code error;  // after one the iterator is at its end: no descriptor left, no /proc
  std::filesystem::directory_iterator file("/proc/self/fd", error);
  for (; file != std::filesystem::directory_iterator(); file.increment(error)) {
    const std::string name = file->path().filename();
    int fd = -1;
    std::from_chars(name.data(), name.data() + name.size(), fd);
    if (IsTcp(fd)) KeepTcpAlive(fd);
  }
}

}  // namespace twofold::rpc
