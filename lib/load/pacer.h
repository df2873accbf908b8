#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>

#include "lib/common/instant.h"

namespace twofold::load {

/// Says how many jobs may be submitted: all that are wanted, unless the frontend rejects some.
///
/// After a rejection no job for as long as the frontend asks (a second if it gives no advice: an
/// unknown or draining queue takes longer than milliseconds to recover), then a few, then twice as
/// many after each such period without another rejection. So a full queue costs some hundred
/// rejections a period, not one for each of 100 000 waiting jobs.
///
/// Time     Callers pass `now`, which never goes back.
/// Source   TCP's slow start (V. Jacobson, 1988).
class Pacer {
 public:
  static constexpr std::size_t kFirstBurst = 64;
  static constexpr Duration kWithoutAdvice = std::chrono::seconds(1);
  static constexpr Duration kShortest = std::chrono::milliseconds(10);
  static constexpr Duration kLongest = std::chrono::seconds(60);

  /// `advice` is how long the frontend asks to wait; 0 = it does not say.
  void Rejected(Instant now, Duration advice) {
    const Duration asked = advice > Duration(0) ? advice : kWithoutAdvice;
    period_ = std::clamp(asked, kShortest, kLongest);
    burst_ = kFirstBurst;
    next_ = now + period_;
  }

  /// How many of `wanted` jobs may be submitted now; the pacer counts them as submitted.
  std::size_t Grant(Instant now, std::size_t wanted) {
    if (!next_) return wanted;
    if (now < *next_) return 0;
    if (wanted <= burst_) {
      next_.reset();
      return wanted;
    }
    next_ = now + period_;
    burst_ *= 2;
    return burst_ / 2;
  }

  /// When to ask again; nullopt: nothing is held back.
  [[nodiscard]] std::optional<Instant> NextGrant() const { return next_; }

 private:
  std::optional<Instant> next_;
  Duration period_{};
  std::size_t burst_ = kFirstBurst;
};

}  // namespace twofold::load
