#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

/// Log-linear buckets for nanoseconds: every power of two is cut into 128 equal parts, so a bucket
/// is never wider than 1/128 of its lowest value, and below 256 ns every value has its own.
///
/// From 2^47 ns (39 hours) on all values share the last bucket.
///
/// Cost     BucketOf: a handful of instructions, no branch on the value.
/// Source   The layout of HdrHistogram (G. Tene), with its sizes fixed at compile time.
namespace twofold::stats {

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

}  // namespace twofold::stats
