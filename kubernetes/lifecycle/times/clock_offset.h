#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kubernetes/lifecycle/moments/life.h"
#include "kubernetes/lifecycle/times/span.h"
#include "lib/common/instant.h"

namespace twofold::lifecycle {

inline constexpr std::int64_t kSecondNs = 1'000'000'000;

/// One instant by two clocks: Unix time is taken once, all else is counted from it.
struct Anchor {
  Instant at;
  std::int64_t unix_ns = 0;

  [[nodiscard]] Instant At(std::int64_t ns) const { return at + Duration(ns - unix_ns); }
  [[nodiscard]] std::int64_t UnixNs(Instant instant) const {
    return unix_ns + Duration(instant - at).count();
  }
};

/// By how many seconds the API server's clock is ahead of this machine's. Each object was created
/// between sending and seeing by our clock, and within the second that the server wrote by its own;
/// many such bounds leave a few milliseconds. nullopt: nothing was created. If low > high, no
/// single offset fits: a clock was set, or there are several API servers with clocks of their own.
std::optional<Between> ClockOffset(const std::vector<Life>& lives, const Anchor& anchor);

}  // namespace twofold::lifecycle
