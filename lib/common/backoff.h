#pragma once

#include <algorithm>
#include <cstdint>
#include <random>

#include "lib/common/instant.h"

namespace twofold {

/// How long to wait before the next try: doubles from `first` to `most`, with jitter
/// over the upper half, so that many programs that lost the same peer come back at different times.
///
/// Source   "Exponential Backoff And Jitter" (M. Brooker, 2015), the "equal jitter" form.
class Backoff {
 public:
  /// 0 < first <= most. The same seed gives the same waits.
  Backoff(Duration first, Duration most, std::uint64_t seed)
      : first_(first), most_(most), next_(first), random_(seed) {}

  /// The wait before the next try.
  Duration Next() {
    const Duration span = next_;
    next_ = std::min(most_, next_ * 2);
    std::uniform_int_distribution<Duration::rep> jitter(span.count() / 2, span.count());
    return Duration(jitter(random_));
  }

  /// After a success: the next wait is the first one again.
  void Reset() { next_ = first_; }

 private:
  Duration first_;
  Duration most_;
  Duration next_;
  std::mt19937_64 random_;
};

}  // namespace twofold
