#include "lib/stats/quantile.h"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <cstddef>
#include <limits>

namespace twofold::stats {

std::optional<Bounded> QuantileOf(std::span<const double> sorted, double q, double confidence) {
  if (sorted.empty()) return std::nullopt;
  const auto n = static_cast<double>(sorted.size());
  const double share = std::clamp(q, 0.0, 1.0);
  const auto at = [&](double rank) { return sorted[static_cast<std::size_t>(rank) - 1]; };
  constexpr double kUnknown = std::numeric_limits<double>::infinity();
  Bounded interval{at(std::clamp(std::ceil(share * n), 1.0, n)), -kUnknown, kUnknown};
  if (share <= 0.0 || share >= 1.0) return interval;
  // Of n values, fewer than `below` lie under the true quantile with less than half the risk, and
  // `above` or more with less than the other half.
  const double risk = (1.0 - confidence) / 2.0;
  const boost::math::binomial_distribution<double> under(n, share);
  double below = 0.0;
  double above = n + 1.0;
  for (below = std::floor(n * share); below > 0.0 && cdf(under, below - 1.0) > risk;) below -= 1.0;
  for (above = std::ceil(n * share) + 1.0; above <= n && 1.0 - cdf(under, above - 1.0) > risk;) {
    above += 1.0;
  }
  if (below >= 1.0) interval.lower = at(below);
  if (above <= n) interval.upper = at(above);
  return interval;
}

}  // namespace twofold::stats
