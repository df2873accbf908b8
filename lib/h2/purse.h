#pragma once

#include <algorithm>
#include <cstdint>

#include "lib/common/instant.h"
#include "lib/h2/limits.h"

namespace twofold::h2 {

/// Bounds how often a peer may do what costs work and brings nothing forward. Filled by time and by
/// progress, emptied by what the peer does.
///
/// Time     Callers pass `now`.
class Purse {
 public:
  Purse(double most, double a_second, Instant now)
      : most_(most), a_second_(a_second), left_(most), filled_(now) {}

  void Earn(double amount) { left_ = std::min(most_, left_ + amount); }

  /// False: there is not enough left; the peer has overdone it.
  [[nodiscard]] bool Pay(double amount, Instant now) {
    Earn(a_second_ * ToSeconds(std::max(now - filled_, Duration(0))));
    filled_ = std::max(now, filled_);
    left_ -= amount;
    return left_ >= 0;
  }

 private:
  const double most_;
  const double a_second_;
  double left_;
  Instant filled_;
};

/// What a frame costs the peer, by its head (RFC 9113). HEADERS and DATA that carry something are
/// free: streams, bytes and budgets bound them. A reset costs more, as a call was begun and undone
/// for it.
double FrameCost(std::uint8_t type, std::uint8_t flags, std::size_t length);

}  // namespace twofold::h2
