#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "lib/common/instant.h"

namespace twofold::stats {

/// A sum that compensates for rounding.
/// Source   A. Neumaier, "Rundungsfehleranalyse einiger Verfahren zur Summation" (1974).
class ExactSum {
 public:
  void Add(double x) {
    const double next = sum_ + x;
    lost_ += std::abs(sum_) >= std::abs(x) ? (sum_ - next) + x : (x - next) + sum_;
    sum_ = next;
  }
  void Add(const ExactSum& other) {
    Add(other.sum_);
    lost_ += other.lost_;
  }
  [[nodiscard]] double Value() const { return sum_ + lost_; }

 private:
  double sum_ = 0.0;
  double lost_ = 0.0;
};

/// Adds up credit that flows evenly between two instants, in bins of time.
///
/// Credit of density r between a and b is a ramp of slope r that begins at a, and one of slope -r
/// that begins at b. A ramp changes two numbers: the credit of the bin it begins in, and the
/// slope of all later bins. So a job costs the same whether it lives for a bin or for all of them.
///
/// Time     Counted from the start of the window, never negative. Bins begin at 1 µs; when time
///          outgrows them they are merged in pairs and twice as wide, without loss of credit.
/// Cost     Add O(1) apart from a merge (128 steps, once a doubling of the window). 3 KiB, no
///          allocation, cheap to copy. A bin is at most 1/64 of the time covered.
class FluidBins {
 public:
  /// Adds `density` (per second) for all instants in [from, to].
  void Add(Duration from, Duration to, double density);

  /// The credit in each of `parts` equal parts of [0, length]; nothing was added beyond `length`.
  /// Their sum is all the credit. Inside a bin, credit is taken to be even.
  [[nodiscard]] std::vector<double> Split(Duration length, int parts) const;

  [[nodiscard]] double Total() const { return Cumulative().back(); }

 private:
  static constexpr std::size_t kBins = 128;
  using Edges = std::array<double, kBins + 1>;

  void AddRamp(Duration begin, double slope);
  void Widen();
  [[nodiscard]] Edges Cumulative() const;

  Duration width_ = std::chrono::microseconds(1);
  std::array<double, kBins> first_{};  // credit given by ramps to the bin they begin in
  // Change of slope at the beginning of each bin. These must cancel exactly: what rounding left of
  // a short, steep job would give credit for the rest of the window.
  std::array<ExactSum, kBins + 1> slope_{};
};

}  // namespace twofold::stats
