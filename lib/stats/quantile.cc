#include "lib/stats/quantile.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <ranges>

namespace twofold::stats {

namespace {

std::uint64_t RankAt(double rank) { return static_cast<std::uint64_t>(rank); }

}  // namespace

Ranks RanksOfQuantile(std::uint64_t n, double q, double confidence) {
  // Of n values, fewer than `lower` lie under the true quantile with less than half the risk, and
  // `upper` or more with less than the other half.
  const double risk = (1.0 - confidence) / 2.0;
  const auto count = static_cast<double>(n);
  const boost::math::binomial_distribution<double> under(count, q);
  const auto likely_under = [&](std::uint64_t rank) {
    return rank == 0 || cdf(under, static_cast<double>(rank - 1)) <= risk;
  };
  const auto likely_over = [&](std::uint64_t rank) {
    return rank > n || cdf(complement(under, static_cast<double>(rank - 1))) <= risk;
  };
  const auto below = std::views::iota(std::uint64_t{0}, RankAt(std::floor(count * q)) + 1);
  const auto above = std::views::iota(RankAt(std::ceil(count * q)) + 1, n + 2);
  return {*std::ranges::partition_point(below, likely_under) - 1,
          *std::ranges::partition_point(above, std::not_fn(likely_over))};
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
