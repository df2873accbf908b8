#include "lib/rpc/tcp_keepalive.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

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

}  // namespace

void KeepTcpAlive(int socket) {
  for (const Option& option : kOptions) {
    setsockopt(socket, option.level, option.name, &option.value, sizeof(option.value));
  }
}

}  // namespace twofold::rpc
