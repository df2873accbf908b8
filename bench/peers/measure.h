#pragma once

#include <sys/types.h>

#include "bench/peers/peer.h"

namespace twofold::bench {

struct MeasureTimes {
  Duration warm_up;  ///< does not count
  Duration measured;
  Duration settle;  ///< before the server's memory is read
  Duration idle;    ///< how long idle workers are watched
};

/// Measures one cell in this process, against a server that runs as `server`. Ends the process with
/// a message (Fail) when a job is lost, doubled or changed, or nothing comes back.
Figures Measure(Peer& peer, const Task& task, pid_t server, const MeasureTimes& times);

}  // namespace twofold::bench
