#pragma once

#include <sys/socket.h>

#include <chrono>
#include <cstdint>
#include <functional>

#include "lib/common/descriptors.h"
#include "lib/h2/loop.h"

namespace twofold::h2 {

/// A socket that listens at a free port of loopback.
struct Loopback {
  Loopback();

  Descriptor socket;
  std::uint16_t port = 0;
};

/// A socket that connects to a port of loopback.
Descriptor ConnectingTo(std::uint16_t port);

/// Two connected sockets, the first of which does not block.
struct SocketPair {
  SocketPair();

  Descriptor ours;
  Descriptor peers;
};

/// Turns of `loop` until `done`, or for a minute. Whether it is done.
bool TurnUntil(Loop& loop, const std::function<bool()>& done);

}  // namespace twofold::h2
