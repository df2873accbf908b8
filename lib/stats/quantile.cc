#include "lib/stats/quantile.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <cstddef>
#include <limits>

namespace twofold::stats {

namespace {

std::uint64_t RankAt(double rank) { return static_cast<std::uint64_t>(rank); }

// The first rank from `from` on for which `holds`, which does for all after it, too; else `to`.
template <typename Holds>
std::uint64_t FirstRank(std::uint64_t from, std::uint64_t to, const Holds& holds) {
  while (from < to) {
    const std::uint64_t middle = from + (to - from) / 2;
    if (holds(middle)) {
      to = middle;
    } else {
      from = middle + 1;
    }
  }
  return from;
}

}  // namespace

Ranks RanksOfQuantile(std::uint64_t n, double q, double confidence) {
  // Of n values, fewer than `lower` lie under the true quantile with less than half the risk, and
  // `upper` or more with less than the other half.
  const double risk = (1.0 - confidence) / 2.0;
  const auto count = static_cast<double>(n);
  const boost::math::binomial_distribution<double> under(count, q);
  const auto may_be_over = [&](std::uint64_t rank) {
    return cdf(under, static_cast<double>(rank - 1)) > risk;
  };
  const auto is_over = [&](std::uint64_t rank) {
    return rank > n || cdf(complement(under, static_cast<double>(rank - 1))) <= risk;
  };
  const std::uint64_t below = RankAt(std::floor(count * q));
  const std::uint64_t above = RankAt(std::ceil(count * q));
  return {FirstRank(1, below + 1, may_be_over) - 1, FirstRank(above + 1, n + 1, is_over)};
}

std::uint64_t NeededForQuantile(double q, double confidence) {
  // The chance that all of them lie on one side.
  const double risk = (1.0 - confidence) / 2.0;
  return static_cast<std::uint64_t>(std::ceil(std::log(risk) / std::log(std::max(q, 1.0 - q))));
}

std::string TooFewText(std::uint64_t jobs, double q) {
  const std::uint64_t needed = NeededForQuantile(q);
  if (jobs >= needed) return "";
  return absl::StrCat("p", 100.0 * q, " of ", jobs, " jobs: too few, ", needed, " are needed");
}

std::optional<Bounded> QuantileOf(std::span<const double> sorted, double q, double confidence) {
  if (sorted.empty()) return std::nullopt;
  const auto n = static_cast<double>(sorted.size());
  const double share = std::clamp(q, 0.0, 1.0);
  const auto at = [&](double rank) { return sorted[static_cast<std::size_t>(rank) - 1]; };
  constexpr double kUnknown = std::numeric_limits<double>::infinity();
  Bounded interval{at(std::clamp(std::ceil(share * n), 1.0, n)), -kUnknown, kUnknown};
  if (share <= 0.0 || share >= 1.0) return interval;
  const Ranks ranks = RanksOfQuantile(sorted.size(), share, confidence);
  if (ranks.lower > 0) interval.lower = sorted[ranks.lower - 1];
  if (ranks.upper <= sorted.size()) interval.upper = sorted[ranks.upper - 1];
  return interval;
}

}  // namespace twofold::stats
