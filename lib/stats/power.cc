#include "lib/stats/power.h"

#include <algorithm>
#include <array>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <numbers>
#include <vector>

#include "lib/stats/change.h"
#include "lib/stats/comparison.h"

namespace twofold::stats {
namespace {

/// True scatter / scatter that was seen, each value as likely as any other one.
using PossibleScatter = std::array<double, 16>;

PossibleScatter ScatterBeside(double degrees) {
  const boost::math::chi_squared squares(degrees);
  PossibleScatter scatter{};
  for (std::size_t i = 0; i < scatter.size(); ++i) {
    const double chance = (static_cast<double>(i) + 0.5) / static_cast<double>(scatter.size());
    scatter[i] = std::sqrt(degrees / quantile(squares, chance));
  }
  return scatter;
}

double NormalBelow(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

/// Two measurements, as far as they were made.
struct Sides {
  Sides(const Summary& base, const Summary& now)
      : difference(std::abs(now.mean - base.mean)), scatter(std::hypot(base.sd, now.sd)) {
    const double share = Squared(base.sd / scatter);
    seen_degrees = 1.0 / (Squared(share) / (static_cast<double>(base.n) - 1.0) +
                          Squared(1.0 - share) / (static_cast<double>(now.n) - 1.0));
    degrees_per_repetition = 1.0 / (Squared(share) + Squared(1.0 - share));
  }

  double difference;
  double scatter;  // standard deviation of the difference of one repetition of each
  double seen_degrees;
  double degrees_per_repetition;  // of Welch's test, beyond the first one
};

/// The chance that `repetitions` of each tell the difference.
double ChanceToTell(const Sides& sides, const PossibleScatter& possible, double repetitions,
                    double confidence) {
  const double needed =
      StudentFactor(confidence, (repetitions - 1.0) * sides.degrees_per_repetition);
  const double seen = sides.difference * std::sqrt(repetitions) / sides.scatter;
  double chance = 0.0;
  for (const double scatter : possible) chance += NormalBelow(seen / scatter - needed);
  return chance / static_cast<double>(possible.size());
}

}  // namespace

std::size_t RepetitionsToTell(const Summary& base, const Summary& now, double confidence) {
  if (base.n < 2 || now.n < 2) return 0;
  const Sides sides(base, now);
  if (!(sides.difference > 0.0) || !std::isfinite(sides.seen_degrees)) return 0;
  const PossibleScatter possible = ScatterBeside(sides.seen_degrees);
  const auto tell = [&](std::size_t repetitions) {
    return ChanceToTell(sides, possible, static_cast<double>(repetitions), confidence) >=
           kPowerToTell;
  };
  if (!tell(kMostToTell)) return 0;
  std::size_t few = 1;
  std::size_t enough = kMostToTell;
  while (enough - few > 1) {
    const std::size_t middle = (few + enough) / 2;
    (tell(middle) ? enough : few) = middle;
  }
  return enough;
}

std::size_t RepetitionsToTellMedians(std::span<const double> base, std::span<const double> now,
                                     double confidence) {
  if (std::min(base.size(), now.size()) < kLeastForMedian) return 0;
  std::vector<double> sorted(base.begin(), base.end());
  std::sort(sorted.begin(), sorted.end());
  double above = 0.0;  // pairs in which now is above the base; equal ones count half
  for (const double value : now) {
    const auto [first, end] = std::equal_range(sorted.begin(), sorted.end(), value);
    above += 0.5 * static_cast<double>((first - sorted.begin()) + (end - sorted.begin()));
  }
  const double share = above / static_cast<double>(base.size()) / static_cast<double>(now.size());
  const boost::math::normal normal;
  const double distance = quantile(normal, 0.5 + confidence / 2.0) + quantile(normal, kPowerToTell);
  const double needed = Squared(distance / (share - 0.5)) / 6.0;
  if (!(needed <= static_cast<double>(kMostToTell))) return 0;
  return std::max(static_cast<std::size_t>(std::ceil(needed)), kLeastForMedian);
}

}  // namespace twofold::stats
