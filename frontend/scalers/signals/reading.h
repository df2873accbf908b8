#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "lib/common/instant.h"

/// What autoscalers are told of queues.
namespace twofold::scalers {

/// A queue, or one of its shards, at an instant.
struct Counts {
  std::uint64_t waiting = 0;
  std::uint64_t held_back = 0;  ///< of `waiting`: no worker would help them
  std::uint64_t running = 0;
  std::uint64_t wanted_workers = 0;  ///< slots that would leave no job waiting that may run
  Duration oldest_waiting{0};
  std::uint64_t arrived = 0;  ///< jobs that were taken in since the tenure began
  std::uint64_t ended = 0;    ///< of them: a worker had them, and they have ended

  Counts& operator+=(const Counts& shard) {
    waiting += shard.waiting;
    held_back += shard.held_back;
    running += shard.running;
    wanted_workers += shard.wanted_workers;
    oldest_waiting = std::max(oldest_waiting, shard.oldest_waiting);
    arrived += shard.arrived;
    ended += shard.ended;
    return *this;
  }
};

/// What went through it, averaged over a window of time.
struct Flow {
  double arrivals = 0;  ///< jobs a second
  double ends = 0;      ///< the same
  double running = 0;   ///< jobs at once

  Flow& operator+=(const Flow& shard) {
    arrivals += shard.arrivals;
    ends += shard.ends;
    running += shard.running;
    return *this;
  }
};

struct Reading {
  Counts now;
  std::optional<Flow> flow = {};  ///< nullopt: it has not been watched for long enough
  Duration age{0};  ///< since another frontend has said what it has of this; 0: all is of here
};

}  // namespace twofold::scalers
