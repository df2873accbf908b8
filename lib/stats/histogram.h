#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "lib/common/instant.h"
#include "lib/stats/log_buckets.h"

namespace twofold::stats {

/// Counts durations so that any quantile of them is known within 1/128 of its value.
///
/// Histograms merge without loss: the merged one is the same as if it had recorded everything
/// itself, so quantiles over many threads or replicas have no further error.
///
/// Range    0 ns to 2^47 ns (39 hours). Longer ones count in the last, open bucket and in
///          clamped(); a quantile among them is Max(). A negative one is recorded as 0.
/// Empty    Min, Max, Mean and Quantile are nullopt, never 0.
/// Threads  Not thread-safe: use one histogram a thread, and merge them to report.
/// Cost     Record O(1), no allocation. Merge, Quantile, CumulativeCount O(5248 buckets). 41 KiB.
class Histogram {
 public:
  /// Values lowest..highest, both included, were recorded `count` times (never 0).
  struct Bucket {
    Duration lowest;
    Duration highest;
    std::uint64_t count;
  };

  Histogram() : counts_(kBuckets) {}

  void Record(Duration value);
  void Merge(const Histogram& other);
  void Reset();

  [[nodiscard]] std::uint64_t Count() const { return count_; }

  /// How many of Count() were too long for the range.
  [[nodiscard]] std::uint64_t clamped() const { return clamped_; }

  /// Exact, also for clamped values. Stays at 2^63 - 1 ns (292 years) if it would go beyond.
  [[nodiscard]] Duration Sum() const { return Duration(sum_); }

  [[nodiscard]] std::optional<Duration> Min() const;   ///< exact
  [[nodiscard]] std::optional<Duration> Max() const;   ///< exact
  [[nodiscard]] std::optional<Duration> Mean() const;  ///< Sum() / Count()

  /// The smallest value such that at least the share `q` of the recorded ones is <= it. The
  /// result is that value or up to 1/128 more, and in [Min(), Max()]. q <= 0 gives the quantile
  /// of the smallest value recorded, q >= 1 gives Max().
  [[nodiscard]] std::optional<Duration> Quantile(double q) const;

  /// How many values are <= `bound`, for a Prometheus bucket "le". All values in the bucket of
  /// `bound` count, so a value up to 1/128 above it may be included; none below it is missed.
  [[nodiscard]] std::uint64_t CumulativeCount(Duration bound) const;

  /// Calls visit(Bucket) for every bucket that is not empty, shortest first.
  template <typename Visit>
  void ForEachBucket(Visit visit) const {
    for (std::size_t i = 0; i < kBuckets; ++i) {
      if (counts_[i] > 0) visit(BucketAt(i));
    }
  }

 private:
  [[nodiscard]] Bucket BucketAt(std::size_t i) const;

  std::vector<std::uint64_t> counts_;
  std::uint64_t count_ = 0;
  std::uint64_t clamped_ = 0;
  Duration::rep sum_ = 0;
  Duration min_ = Duration::max();
  Duration max_ = Duration::zero();
};

}  // namespace twofold::stats
