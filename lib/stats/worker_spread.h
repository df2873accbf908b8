#pragma once

#include <cstdint>
#include <span>

namespace twofold::stats {

/// Mean and variance of numbers as they come, such as the times that the jobs of one worker took.
/// Cost     Add O(1), no allocation.
/// Source   B. P. Welford, "Note on a method for calculating corrected sums of squares" (1962).
class Moments {
 public:
  void Add(double value) {
    const double distance = value - mean_;
    mean_ += distance / static_cast<double>(++count_);
    squares_ += distance * (value - mean_);
  }

  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] double mean() const { return mean_; }

  /// With n - 1; `count` is 2 or more.
  [[nodiscard]] double Variance() const { return squares_ / static_cast<double>(count_ - 1); }

 private:
  std::uint64_t count_ = 0;
  double mean_ = 0.0;
  double squares_ = 0.0;  // sum of squared distances from the mean
};

/// How much workers differ: the variance of ln(speed) between them.
struct Spread {
  double variance = 0.0;  ///< may come out negative; that means 0, but it counts when pooled
  double degrees = 0.0;   ///< of freedom; 0: nothing is known
};

/// The spread of the workers of one window: the variance of ln(mean time) between those with two
/// jobs or more, minus what the scatter of each worker's own times explains (one-way analysis of
/// variance). With fewer than two such workers the spread is unknown.
Spread BetweenWorkers(std::span<const Moments> workers);

/// The spread of several windows, weighted by their degrees of freedom.
Spread Pooled(std::span<const Spread> spreads);

}  // namespace twofold::stats
