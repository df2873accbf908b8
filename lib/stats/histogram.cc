#include "lib/stats/histogram.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace twofold::stats {
namespace {

/// How many of `count` values the share `q` is: at least one, at most all. 0.07 x 100 is a little
/// more than 7 in doubles and must not become 8, so a few units in the last place are forgiven.
std::uint64_t RankOf(double q, std::uint64_t count) {
  constexpr double kForgiven = 1.0 - 1e-15;
  const double rank = std::ceil(q * static_cast<double>(count) * kForgiven);
  if (!(rank > 1.0)) return 1;
  return rank < static_cast<double>(count) ? static_cast<std::uint64_t>(rank) : count;
}

}  // namespace

void Histogram::Merge(const Histogram& other) {
  for (std::size_t i = 0; i < kBuckets; ++i) counts_[i] += other.counts_[i];
  count_ += other.count_;
  clamped_ += other.clamped_;
  sum_ = AddUpTo(sum_, other.sum_);
  min_ = std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
}

Histogram::Parts Histogram::ToParts() const {
  Parts parts;
  parts.clamped = clamped_;
  parts.sum = static_cast<std::uint64_t>(sum_);
  if (count_ > 0) {
    parts.min = Nanoseconds(min_);
    parts.max = Nanoseconds(max_);
  }
  ForEachBucket([&](const Bucket& bucket) {
    parts.counts.push_back({Nanoseconds(bucket.lowest), bucket.count});
  });
  return parts;
}

std::optional<Histogram> Histogram::From(const Parts& parts) {
  constexpr std::uint64_t kMost = std::numeric_limits<Duration::rep>::max();
  if (std::max({parts.sum, parts.min, parts.max}) > kMost) return std::nullopt;
  Histogram histogram;
  if (parts.counts.empty()) {
    const bool zero = parts.clamped == 0 && parts.sum == 0 && parts.min == 0 && parts.max == 0;
    return zero ? std::optional(histogram) : std::nullopt;
  }
  for (const auto& [lowest, count] : parts.counts) {
    const std::size_t bucket = BucketOf(lowest);
    const bool twice = histogram.counts_[bucket] > 0;
    if (LowestOf(bucket) != lowest || twice || count == 0 || count > kMost - histogram.count_) {
      return std::nullopt;
    }
    histogram.counts_[bucket] = count;
    histogram.count_ += count;
  }
  histogram.clamped_ = parts.clamped;
  histogram.sum_ = static_cast<Duration::rep>(parts.sum);
  histogram.min_ = Duration(static_cast<Duration::rep>(parts.min));
  histogram.max_ = Duration(static_cast<Duration::rep>(parts.max));
  return histogram.Fits() ? std::optional(histogram) : std::nullopt;
}

// Whether the extremes are in the outermost buckets, and the rest is possible with them.
bool Histogram::Fits() const {
  const auto first = std::find_if(counts_.begin(), counts_.end(), [](auto n) { return n > 0; });
  const auto last = std::find_if(counts_.rbegin(), counts_.rend(), [](auto n) { return n > 0; });
  return min_ <= max_ && sum_ >= max_.count() && clamped_ <= counts_.back() &&
         BucketOf(Nanoseconds(min_)) == static_cast<std::size_t>(first - counts_.begin()) &&
         BucketOf(Nanoseconds(max_)) == static_cast<std::size_t>(counts_.rend() - last) - 1;
}

void Histogram::Reset() { *this = Histogram(); }

std::optional<Duration> Histogram::Min() const {
  return count_ > 0 ? std::optional(min_) : std::nullopt;
}

std::optional<Duration> Histogram::Max() const {
  return count_ > 0 ? std::optional(max_) : std::nullopt;
}

std::optional<Duration> Histogram::Mean() const {
  if (count_ == 0) return std::nullopt;
  return Duration(static_cast<Duration::rep>(static_cast<std::uint64_t>(sum_) / count_));
}

std::optional<Duration> Histogram::Quantile(double q) const {
  if (count_ == 0) return std::nullopt;
  const std::uint64_t rank = RankOf(q, count_);
  std::uint64_t seen = 0;
  std::size_t i = 0;
  while ((seen += counts_[i]) < rank) ++i;
  return std::clamp(BucketAt(i).highest, min_, max_);
}

std::vector<std::uint64_t> Histogram::CumulativeCounts(std::span<const Duration> bounds) const {
  std::vector<std::uint64_t> counts;
  counts.reserve(bounds.size());
  std::uint64_t seen = 0;
  std::size_t next = 0;
  for (const Duration bound : bounds) {
    const std::size_t end = bound < Duration::zero() ? 0 : BucketOf(Nanoseconds(bound)) + 1;
    for (; next < end; ++next) seen += counts_[next];
    counts.push_back(seen);
  }
  return counts;
}

Histogram::Bucket Histogram::BucketAt(std::size_t i) const {
  return {Duration(static_cast<Duration::rep>(LowestOf(i))),
          Duration(static_cast<Duration::rep>(HighestOf(i))), counts_[i]};
}

}  // namespace twofold::stats
