#include "lib/stats/share.h"

#include <boost/math/distributions/binomial.hpp>

namespace twofold::stats {

ShareInterval IntervalOfShare(std::uint64_t some, std::uint64_t all, double confidence) {
  using Binomial = boost::math::binomial_distribution<double>;
  const auto trials = static_cast<double>(all);
  const auto seen = static_cast<double>(some);
  const double tail = 0.5 * (1.0 - confidence);
  return {some == 0 ? 0.0 : Binomial::find_lower_bound_on_p(trials, seen, tail),
          some == all ? 1.0 : Binomial::find_upper_bound_on_p(trials, seen, tail)};
}

Verdict JudgeShare(std::uint64_t some, std::uint64_t all, double allowed, double confidence) {
  if (some == 0) return Verdict::kPass;
  if (allowed <= 0.0 || all == 0) return Verdict::kFail;
  if (static_cast<double>(some) <= allowed * static_cast<double>(all)) return Verdict::kPass;
  const double lower = IntervalOfShare(some, all, confidence).lower;
  return lower > allowed ? Verdict::kFail : Verdict::kUndecided;
}

}  // namespace twofold::stats
