#include "tests/support/socket_relay.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

namespace twofold::testing {
namespace {

// How soon a cut, its end, and the end of the relay are noticed.
constexpr int kTurnMs = 20;

sockaddr_un AddressOf(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  return address;
}

int NewSocket() { return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0); }

}  // namespace

SocketRelay::SocketRelay(const std::string& from, std::string to) : to_(std::move(to)) {
  const sockaddr_un address = AddressOf(from);
  listening_ = NewSocket();
  const bool listens =
      bind(listening_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
      listen(listening_, SOMAXCONN) == 0;
  if (!listens) ADD_FAILURE() << from << ": " << std::strerror(errno);
  thread_ = std::thread([this] { Run(); });
}

SocketRelay::~SocketRelay() {
  stopped_ = true;
  thread_.join();
  for (const Pair& pair : pairs_) close(pair.caller), close(pair.server);
  close(listening_);
}

void SocketRelay::Run() {
  while (!stopped_) {
    if (cut_) {
      std::this_thread::sleep_for(std::chrono::milliseconds(kTurnMs));
      continue;
    }
    std::vector<pollfd> polled = {{listening_, POLLIN, 0}};
    for (const Pair& pair : pairs_) {
      polled.push_back({pair.caller, POLLIN, 0});
      polled.push_back({pair.server, POLLIN, 0});
    }
    if (poll(polled.data(), polled.size(), kTurnMs) <= 0 || cut_) continue;
    std::vector<Pair> open;
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      const Pair& pair = pairs_[i];
      const bool is_open = (polled[2 * i + 1].revents == 0 || Pass(pair.caller, pair.server)) &&
                           (polled[2 * i + 2].revents == 0 || Pass(pair.server, pair.caller));
      if (is_open) {
        open.push_back(pair);
      } else {
        close(pair.caller);
        close(pair.server);
      }
    }
    pairs_ = std::move(open);
    if (polled.front().revents != 0) Accept();
  }
}

void SocketRelay::Accept() {
  const int caller = accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
  if (caller < 0) return;
  const sockaddr_un address = AddressOf(to_);
  const int server = NewSocket();
  if (connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    pairs_.push_back({caller, server});
    return;
  }
  close(caller);
  close(server);
}

/// What is there to read; false: one side has gone.
bool SocketRelay::Pass(int from, int to) {
  std::array<char, 1 << 16> bytes;
  const ssize_t got = recv(from, bytes.data(), bytes.size(), MSG_DONTWAIT);
  if (got < 0) return errno == EAGAIN || errno == EINTR;
  for (ssize_t passed = 0; passed < got;) {
    const ssize_t more =
        send(to, bytes.data() + passed, static_cast<std::size_t>(got - passed), MSG_NOSIGNAL);
    if (more <= 0) return false;
    passed += more;
  }
  return got > 0;
}

}  // namespace twofold::testing
