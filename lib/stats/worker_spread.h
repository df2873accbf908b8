#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
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

  /// As if all that `other` has seen had been added.
  /// Source   T. Chan, G. Golub, R. LeVeque, "Updating formulae ..." (1979).
  void Merge(const Moments& other);

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
  double variance = 0.0;  ///< may come out negative; that means 0
  double degrees = 0.0;   ///< of freedom; 0: nothing is known
};

/// The spread of the workers of one window: the variance of ln(mean time) between those with two
/// jobs or more, minus what the scatter of each worker's own times explains (one-way analysis of
/// variance). With fewer than two such workers the spread is unknown.
Spread BetweenWorkers(std::span<const Moments> workers);

/// A worker that is slower than chance explains.
struct Straggler {
  std::size_t worker = 0;  ///< its index
  double by = 0.0;         ///< how much longer it takes than the mean worker: 0.3 = 30 %
};

/// The slowest worker, if its mean time is above that of the mean worker by 5 % and by more than
/// its own scatter explains: Student's t at 95 % for all workers together (Bonferroni). Workers
/// with fewer than two jobs are left out, and with fewer than two others there is no straggler.
std::optional<Straggler> SlowestWorker(std::span<const Moments> workers);

}  // namespace twofold::stats
