#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace twofold {

/// A point on this process's monotonic clock, in nanoseconds. Never compare instants of two
/// processes. Logic takes instants as arguments; only shells call Now().
using Instant = std::chrono::steady_clock::time_point;

/// A span of time, in nanoseconds.
using Duration = std::chrono::nanoseconds;

inline Instant Now() { return std::chrono::steady_clock::now(); }

/// Nanoseconds since 1970 by the wall clock, which may be set back: for people and for what is
/// stored, never for order.
inline std::int64_t UnixNowNs() {
  return Duration(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// `seconds` as a Duration, rounded to the nanosecond and clamped to +-292 years.
Duration FromSeconds(double seconds);

/// A time that a peer has sent, in nanoseconds; 10^18 of them, 31 years, at most. Nothing lasts
/// longer, and the sum with Now() stays in range.
inline Duration BoundedNs(std::uint64_t ns) {
  constexpr std::uint64_t kMost = 1'000'000'000'000'000'000;
  return Duration(static_cast<Duration::rep>(std::min(ns, kMost)));
}

inline double ToSeconds(Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace twofold
