#include "lib/stats/censored_times.h"

#include <algorithm>

#include "lib/stats/quantile.h"

namespace twofold::stats {
namespace {

constexpr double kRoundingOfShares = 1e-12;

/// Calls visit(bucket, share) for each bucket of times that have ended, with the share of all jobs
/// that take no longer.
template <typename Visit>
void ForEachShare(const CensoredTimes& times, const Visit& visit) {
  const Histogram::Parts ages = times.open.ToParts();
  auto age = ages.counts.begin();
  auto at_risk = static_cast<double>(times.ended.Count() + times.open.Count());
  double longer = 1.0;
  times.ended.ForEachBucket([&](const Histogram::Bucket& bucket) {
    const auto lowest = static_cast<std::uint64_t>(bucket.lowest.count());
    for (; age != ages.counts.end() && age->lowest < lowest; ++age) {
      at_risk -= static_cast<double>(age->count);
    }
    longer *= 1.0 - static_cast<double>(bucket.count) / at_risk;
    at_risk -= static_cast<double>(bucket.count);
    visit(bucket, 1.0 - longer);
  });
}

}  // namespace

std::optional<CensoredTimes::Bound> CensoredTimes::Quantile(double q) const {
  if (open.Count() == 0) {
    const auto known = ended.Quantile(q);
    return known ? std::optional(Bound{*known}) : std::nullopt;
  }
  std::optional<Bound> reached;
  ForEachShare(*this, [&](const Histogram::Bucket& bucket, double share) {
    if (reached || share < q - kRoundingOfShares) return;
    reached = Bound{std::min(bucket.highest, *ended.Max())};
  });
  return reached ? reached : Max();
}

CensoredTimes::Interval CensoredTimes::IntervalOfQuantile(double q) const {
  const std::uint64_t n = ended.Count() + open.Count();
  if (n == 0) return {};
  const Ranks ranks = RanksOfQuantile(n, q);
  const auto at = [&](std::uint64_t rank) {
    return *Quantile(static_cast<double>(rank) / static_cast<double>(n));
  };
  Interval interval;
  if (ranks.lower > 0) {
    // A quantile is the highest value of its bucket, and the interval begins at the lowest.
    const auto highest = static_cast<std::uint64_t>(at(ranks.lower).value.count());
    interval.lower = Duration(static_cast<Duration::rep>(LowestOf(BucketOf(highest))));
  }
  if (ranks.upper > n) return interval;
  if (const Bound upper = at(ranks.upper); !upper.at_least) interval.upper = upper.value;
  return interval;
}

double CensoredTimes::Known() const {
  if (open.Count() == 0) return 1.0;
  double known = 0.0;
  ForEachShare(*this, [&](const Histogram::Bucket&, double share) { known = share; });
  return known;
}

std::optional<CensoredTimes::Bound> CensoredTimes::Max() const {
  if (open.Count() == 0 && ended.Count() == 0) return std::nullopt;
  const Duration oldest = open.Max().value_or(Duration(-1));
  const Duration longest = ended.Max().value_or(Duration(-1));
  return Bound{std::max(oldest, longest), oldest > longest};
}

std::optional<CensoredTimes::Bound> CensoredTimes::Mean() const {
  if (open.Count() == 0) {
    const auto mean = ended.Mean();
    return mean ? std::optional(Bound{*mean}) : std::nullopt;
  }
  double sum = 0.0;
  double before = 0.0;
  ForEachShare(*this, [&](const Histogram::Bucket& bucket, double share) {
    const double highest = ToSeconds(std::min(bucket.highest, *ended.Max()));
    sum += (share - before) * (ToSeconds(bucket.lowest) + highest) / 2.0;
    before = share;
  });
  const Bound max = *Max();
  sum += (1.0 - before) * ToSeconds(max.value);
  return Bound{FromSeconds(sum), max.at_least};
}

}  // namespace twofold::stats
