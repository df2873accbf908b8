#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "lib/common/instant.h"

namespace twofold::stats {

// Log-linear buckets for nanoseconds: every power of two is cut into 128 equal parts, so a bucket
// is never wider than 1/128 of its lowest value, and below 256 ns every value has its own.
//
// From 2^47 ns (39 hours) on all values share the last bucket.
//
// Cost     BucketOf: a handful of instructions, no branch on the value.
// Source   The layout of HdrHistogram (G. Tene), with its sizes fixed at compile time.
inline constexpr int kSubBits = 7;
inline constexpr double kBucketError = 1.0 / (1 << kSubBits);  ///< width / lowest value, at most
inline constexpr std::uint64_t kPerOctave = std::uint64_t{1} << kSubBits;
inline constexpr std::uint64_t kOverflow = std::uint64_t{1} << 47;  ///< first value out of range

/// The bucket that `ns` belongs to.
constexpr std::size_t BucketOf(std::uint64_t ns) {
  const std::uint64_t value = std::min(ns, kOverflow - 1);
  const int shift = std::max(static_cast<int>(std::bit_width(value)) - (kSubBits + 1), 0);
  return static_cast<std::size_t>(shift) * kPerOctave + (value >> shift);
}

inline constexpr std::size_t kBuckets = BucketOf(kOverflow) + 1;

/// The lowest value of a bucket.
constexpr std::uint64_t LowestOf(std::size_t bucket) {
  const std::size_t shift = std::max<std::size_t>(bucket / kPerOctave, 1) - 1;
  return (bucket - shift * kPerOctave) << shift;
}

/// The highest value of a bucket; of the last one, which is open, the highest Duration.
constexpr std::uint64_t HighestOf(std::size_t bucket) {
  return bucket + 1 < kBuckets ? LowestOf(bucket + 1) - 1 : INT64_MAX;
}

/// Counts durations so that any quantile of them is known within 1/128 of its value.
///
/// Histograms merge without loss: the merged one is the same as if it had recorded everything
/// itself, so quantiles over many threads or replicas have no further error.
///
/// Range    0 ns to 2^47 ns (39 hours). Longer ones count in the last, open bucket and in
///          clamped(); a quantile among them is Max(). A negative one is recorded as 0.
/// Empty    Min, Max, Mean and Quantile are nullopt, never 0.
/// Threads  Not thread-safe: use one histogram a thread, and merge them to report.
/// Cost     Record O(1), no allocation. Merge, Quantile, CumulativeCounts O(5248 buckets). 41 KiB.
class Histogram {
 public:
  /// Values lowest..highest, both included, were recorded `count` times (never 0).
  struct Bucket {
    Duration lowest;
    Duration highest;
    std::uint64_t count;
  };

  /// A histogram as numbers, to be written down or sent.
  struct Parts {
    struct Count {
      std::uint64_t lowest = 0;  ///< of the bucket's values, in ns
      std::uint64_t count = 0;
    };
    std::vector<Count> counts;  ///< of the buckets that are not empty, shortest first
    std::uint64_t clamped = 0;
    std::uint64_t sum = 0;  ///< in ns, as the next two; 0 of an empty one
    std::uint64_t min = 0;
    std::uint64_t max = 0;
  };

  Histogram() : counts_(kBuckets) {}

  /// The histogram that had these parts; nullopt: none can have them. Parts come from other
  /// machines, so nothing is taken for granted.
  static std::optional<Histogram> From(const Parts& parts);
  [[nodiscard]] Parts ToParts() const;

  void Record(Duration value) {
    const Duration recorded = std::max(value, Duration::zero());
    const std::uint64_t ns = Nanoseconds(recorded);
    ++counts_[BucketOf(ns)];
    ++count_;
    clamped_ += ns >= kOverflow ? 1 : 0;
    sum_ = AddUpTo(sum_, recorded.count());
    min_ = std::min(min_, recorded);
    max_ = std::max(max_, recorded);
  }
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

  /// For each of the rising `bounds`, how many values are <= it: Prometheus' buckets "le". All
  /// values in the bucket of a bound count, so a value up to 1/128 above the bound may be included;
  /// none below it is missed.
  [[nodiscard]] std::vector<std::uint64_t> CumulativeCounts(std::span<const Duration> bounds) const;

  /// Calls visit(Bucket) for every bucket that is not empty, shortest first.
  template <typename Visit>
  void ForEachBucket(Visit visit) const {
    for (std::size_t i = 0; i < kBuckets; ++i) {
      if (counts_[i] > 0) visit(BucketAt(i));
    }
  }

 private:
  static constexpr std::uint64_t Nanoseconds(Duration value) {
    return static_cast<std::uint64_t>(value.count());
  }
  /// a + b for a, b >= 0, or the highest there is.
  static constexpr Duration::rep AddUpTo(Duration::rep a, Duration::rep b) {
    return a > Duration::max().count() - b ? Duration::max().count() : a + b;
  }
  [[nodiscard]] Bucket BucketAt(std::size_t i) const;
  [[nodiscard]] bool Fits() const;

  std::vector<std::uint64_t> counts_;
  std::uint64_t count_ = 0;
  std::uint64_t clamped_ = 0;
  Duration::rep sum_ = 0;
  Duration min_ = Duration::max();
  Duration max_ = Duration::zero();
};

}  // namespace twofold::stats
