#pragma once

#include <cmath>
#include <random>
#include <utility>

#include "lib/common/instant.h"

namespace twofold::bench {

/// A time with an exponential distribution, for arrivals and for run times.
class ExponentialTimes {
 public:
  /// REQUIRES: mean >= 0; 0 gives only 0.
  ExponentialTimes(Duration mean, std::uint64_t seed) : mean_(ToSeconds(mean)), random_(seed) {}

  Duration Draw() {
    const double uniform = std::generate_canonical<double, 53>(random_);  // [0, 1)
    return FromSeconds(-mean_ * std::log1p(-uniform));
  }

 private:
  double mean_;
  std::mt19937_64 random_;
};

/// The plan of an open loop: a Poisson stream of instants, fixed by rate and seed alone. Whoever
/// sends a job takes its instant from here, however late it is, so that a stalled server (or
/// generator) makes latencies longer and never jobs fewer.
class Arrivals {
 public:
  /// REQUIRES: rate > 0 (jobs/s).
  Arrivals(Instant start, double rate, std::uint64_t seed)
      : gaps_(FromSeconds(1 / rate), seed), next_(start + gaps_.Draw()) {}

  [[nodiscard]] Instant next() const { return next_; }

  Instant Take() { return std::exchange(next_, next_ + gaps_.Draw()); }

 private:
  ExponentialTimes gaps_;
  Instant next_;
};

}  // namespace twofold::bench
