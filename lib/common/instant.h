#pragma once

#include <chrono>

namespace twofold {

/// A point on this process's monotonic clock, in nanoseconds. Never compare instants of two
/// processes. Logic takes instants as arguments; only shells call Now().
using Instant = std::chrono::steady_clock::time_point;

/// A span of time, in nanoseconds.
using Duration = std::chrono::nanoseconds;

inline Instant Now() { return std::chrono::steady_clock::now(); }

/// `seconds` as a Duration, rounded to the nanosecond and clamped to +-292 years.
Duration FromSeconds(double seconds);

inline double ToSeconds(Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace twofold
