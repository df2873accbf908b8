#include "lib/stats/lives.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace twofold::stats {
namespace {

std::size_t BucketOfLife(Duration life) {
  return BucketOf(static_cast<std::uint64_t>(std::max(life, Duration::zero()).count()));
}

}  // namespace

void Lives::Add(Duration life, bool succeeded) {
  const double seconds = ToSeconds(life);
  Bucket& bucket = buckets_[BucketOfLife(life)];
  ++bucket.lives;
  seconds_.Add(seconds);
  if (succeeded) {
    bucket.density += 1.0 / seconds;
    ++succeeded_;
  }
}

double Lives::SuccessShare() const {
  return count() > 0 ? static_cast<double>(succeeded_) / static_cast<double>(count()) : 0.0;
}

double Lives::Skewness() const {
  if (count() < 2) return 0.0;
  const double mean = MeanSeconds();
  double cubes = 0.0;
  for (std::size_t i = 0; i < kBuckets; ++i) {
    if (buckets_[i].lives == 0) continue;
    const double distance = static_cast<double>(LowestOf(i)) * 1e-9 - mean;
    cubes += static_cast<double>(buckets_[i].lives) * distance * distance * distance;
  }
  const double deviation = std::max(std::sqrt(seconds_.Variance()), mean * kBucketError);
  return cubes / static_cast<double>(count()) / (deviation * deviation * deviation);
}

double Lives::RenewalError() const {
  if (count() < 2 || succeeded_ == 0) return std::numeric_limits<double>::infinity();
  const auto n = static_cast<double>(count());
  const double squared_cv = seconds_.Variance() / (MeanSeconds() * MeanSeconds());
  const double p = SuccessShare();
  return std::sqrt((squared_cv + (1.0 - p) / p) / n);
}

std::function<double(Duration)> Lives::ExpectedDensity() const {
  const auto last = std::find_if(buckets_.rbegin(), buckets_.rend(),
                                 [](const Bucket& bucket) { return bucket.lives > 0; });
  std::vector<double> from_bucket(static_cast<std::size_t>(buckets_.rend() - last));
  Bucket longer;
  for (std::size_t i = from_bucket.size(); i-- > 0;) {
    longer.lives += buckets_[i].lives;
    longer.density += buckets_[i].density;
    from_bucket[i] = longer.density / static_cast<double>(longer.lives);
  }
  return [from_bucket = std::move(from_bucket), successes = SuccessShare()](Duration age) {
    const double about_to_end = 1.0 / ToSeconds(std::max(age, Duration(1)));
    const std::size_t bucket = BucketOfLife(age);
    if (bucket >= from_bucket.size()) return about_to_end * successes;
    return std::min(from_bucket[bucket], about_to_end);
  };
}

Lives::Tail Lives::From(Duration least) const {
  Tail tail;
  for (std::size_t i = BucketOfLife(least); i < kBuckets; ++i) {
    const auto lives = static_cast<double>(buckets_[i].lives);
    tail.count += lives;
    tail.seconds += lives * static_cast<double>(LowestOf(i)) * 1e-9;
  }
  return tail;
}

}  // namespace twofold::stats
