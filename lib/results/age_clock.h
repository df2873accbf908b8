#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "lib/common/instant.h"

namespace twofold::results {

/// The wall clock, as those read it who delete what is old: a leap makes nothing old at once.
///
/// A clock that is set 30 days ahead would let all finished jobs be deleted in one go, and setting
/// it back would not bring them back. So this clock follows the wall clock no faster than twice the
/// monotonic one: after a leap forward it catches up, and deletes what is due with it bit by bit,
/// which leaves time to notice. It follows the wall clock backwards at once, as that deletes less.
/// What the wall clock does while nobody looks, as between two runs of a program, it takes as said.
///
/// Threads  Not thread-safe.
class AgeClock {
 public:
  /// `wall` in ns since 1970, `now` of the monotonic clock: both at this moment.
  std::int64_t Look(std::int64_t wall, Instant now) {
    reading_ = looked_ ? std::min(wall, reading_ + 2 * (now - *looked_).count()) : wall;
    looked_ = now;
    return reading_;
  }

 private:
  std::int64_t reading_ = 0;
  std::optional<Instant> looked_;
};

}  // namespace twofold::results
