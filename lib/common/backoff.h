#pragma once

#include <algorithm>
#include <cstdint>
#include <random>

#include "lib/common/instant.h"

namespace twofold {

/// Which part of a wait is random.
enum class Jitter : std::uint8_t {
  kUpperHalf,  ///< a wait is at least half of its longest: for one peer that is away
  kFull        ///< it may be as short as 0: spreads many programs that come back at once best
};

/// How long to wait before the next try: the longest wait doubles from `first` to `most`, with
/// jitter, so that many programs that lost the same peer come back at different times.
///
/// Source   "Exponential Backoff And Jitter" (M. Brooker, 2015), the forms "equal jitter" and
///          "full jitter".
class Backoff {
 public:
  /// 0 < first <= most. The same seed gives the same waits.
  Backoff(Duration first, Duration most, std::uint64_t seed, Jitter jitter = Jitter::kUpperHalf)
      : first_(first), most_(most), jitter_(jitter), next_(first), random_(seed) {}

  /// The wait before the next try.
  Duration Next() {
    const Duration span = next_;
    next_ = std::min(most_, next_ * 2);
    const Duration least = jitter_ == Jitter::kFull ? Duration::zero() : span / 2;
    std::uniform_int_distribution<Duration::rep> wait(least.count(), span.count());
    return Duration(wait(random_));
  }

  /// After a success: the next wait is the first one again.
  void Reset() { next_ = first_; }

 private:
  Duration first_;
  Duration most_;
  Jitter jitter_;
  Duration next_;
  std::mt19937_64 random_;
};

}  // namespace twofold
