#pragma once

#include <cstddef>

#include "bench/loops/ways.h"
#include "lib/common/instant.h"

namespace twofold::h2 {

struct Shape {
  const char* name;
  std::size_t pairs;  ///< of a client and a worker, each with a connection of its own
  std::size_t jobs;   ///< in a message
  Duration every{0};  ///< a message of one of the clients, in turn; 0: when the last one is back
};

struct Measured {
  double rate = 0;  ///< messages relayed in a second
  double cpu = 0;   ///< seconds of the relaying thread for a million of them
};

/// Clients send, workers send back, and one thread, which waits in this way, hands on between them;
/// another thread is all clients and workers. Measured for `time`, after a fifth of it.
Measured MeasureRelay(const Way& way, const Shape& shape, Duration time);

/// CPU seconds of this thread.
double OwnCpu();

}  // namespace twofold::h2
