#include "lib/stats/change.h"

#include <algorithm>
#include <array>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "lib/common/random.h"

namespace twofold::stats {
namespace {

constexpr double kNoEnd = std::numeric_limits<double>::infinity();

// What agrees to this, relatively, differs by rounding alone.
constexpr double kSame = 1e-12;

// Digits that a computed value has, and a printed one has not.
constexpr double kPrinted = 1e-9;

constexpr std::size_t kDraws = 1999;
constexpr std::size_t kMostExact = 50;  // values on both sides

// Of the risk of one look.
constexpr double kShareOfLooks = (1.0 - kConfidenceOfLooks) / 0.05;

bool AreEqual(double a, double b) {
  return std::abs(a - b) <= kSame * std::max(std::abs(a), std::abs(b));
}

/// A mean, the square of its error, and how far digits that were not printed may move it.
struct Side {
  double mean = 0.0;
  double variance = 0.0;
  double rounded = 0.0;
};

Side SideOf(const Summary& summary, double resolution) {
  const double half = resolution / 2.0;
  return {summary.mean, summary.sd * summary.sd / static_cast<double>(summary.n),
          summary.sd < half ? half : 0.0};
}

double DegreesOf(const Summary& base, const Summary& now, const Side& a, const Side& b) {
  const double variance = a.variance + b.variance;
  if (base.n != now.n || variance == 0.0) {
    return static_cast<double>(std::min(base.n, now.n)) - 1.0;
  }
  const double share = a.variance / variance;
  return (static_cast<double>(base.n) - 1.0) / (share * share + (1.0 - share) * (1.0 - share));
}

/// The ratio in [low, high] at which now is as far from ratio x base as the doubt allows: one of
/// Fieller's bounds. The measured ratio is one end of [low, high], the other is outside.
double BoundOf(const Side& base, const Side& now, double factor, double low, double high) {
  const auto is_inside = [&](double ratio) {
    const double doubt = factor * std::sqrt(now.variance + ratio * ratio * base.variance) +
                         now.rounded + std::abs(ratio) * base.rounded;
    return std::abs(now.mean - ratio * base.mean) <= doubt;
  };
  const bool rises = is_inside(high);
  for (int i = 0; i < 100; ++i) {
    const double middle = std::midpoint(low, high);
    (is_inside(middle) == rises ? high : low) = middle;
  }
  return rises ? high : low;
}

/// Of a base that is clearly above 0.
Bounded RatioOf(const Side& base, const Side& now, double factor) {
  const double ratio = now.mean / base.mean;
  const double least_base = base.mean - factor * std::sqrt(base.variance) - base.rounded;
  // No bound is further off than this one, at which the base is at its least alone.
  const double reach =
      (std::abs(now.mean) + factor * std::sqrt(now.variance) + now.rounded) / least_base;
  return {ratio, BoundOf(base, now, factor, -2.0 * reach, ratio),
          BoundOf(base, now, factor, ratio, 2.0 * reach)};
}

// ---- medians

/// Twice the rank of each value among all: the mean of the ranks of equal ones.
std::vector<std::size_t> DoubledRanks(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return values[a] < values[b]; });
  std::vector<std::size_t> ranks(values.size());
  for (std::size_t first = 0, end = 0; first < order.size(); first = end) {
    end = first + 1;
    while (end < order.size() && AreEqual(values[order[end - 1]], values[order[end]])) ++end;
    for (std::size_t i = first; i < end; ++i) ranks[order[i]] = first + end + 1;
  }
  return ranks;
}

/// The share of all choices of `chosen` ranks whose sum is as far from the mean as `sum`, or
/// further.
double ExactShare(std::span<const std::size_t> ranks, std::size_t chosen, std::size_t sum) {
  const std::size_t all = std::accumulate(ranks.begin(), ranks.end(), std::size_t{0});
  // ways[k][s]: choices of k of the ranks so far with the sum s.
  std::vector<std::vector<double>> ways(chosen + 1, std::vector<double>(all + 1));
  ways[0][0] = 1.0;
  for (const std::size_t rank : ranks) {
    for (std::size_t k = chosen; k > 0; --k) {
      for (std::size_t s = all; s >= rank; --s) ways[k][s] += ways[k - 1][s - rank];
    }
  }
  const auto distance = [&](std::size_t s) {  // from the mean, all x chosen / ranks
    return std::abs(static_cast<double>(s * ranks.size()) - static_cast<double>(all * chosen));
  };
  double as_far = 0.0;
  double total = 0.0;
  for (std::size_t s = 0; s <= all; ++s) {
    total += ways[chosen][s];
    if (distance(s) >= distance(sum)) as_far += ways[chosen][s];
  }
  return as_far / total;
}

/// The same by the normal distribution, whose variance knows of equal values.
double NormalShare(std::span<const std::size_t> ranks, std::size_t chosen, std::size_t sum) {
  const std::vector<double> values(ranks.begin(), ranks.end());
  const auto n = static_cast<double>(ranks.size());
  const auto k = static_cast<double>(chosen);
  const double variance = Squares(values) * k * (n - k) / (n * (n - 1.0));
  if (variance == 0.0) return 1.0;
  const double distance = std::abs(static_cast<double>(sum) - k * Mean(values));
  return 2.0 * cdf(complement(boost::math::normal(), distance / std::sqrt(variance)));
}

double ChanceOfRanks(std::span<const double> base, std::span<const double> now) {
  std::vector<double> all(base.begin(), base.end());
  all.insert(all.end(), now.begin(), now.end());
  const std::vector<std::size_t> ranks = DoubledRanks(all);
  const std::size_t sum = std::accumulate(
      ranks.begin(), ranks.begin() + static_cast<std::ptrdiff_t>(base.size()), std::size_t{0});
  return all.size() <= kMostExact ? ExactShare(ranks, base.size(), sum)
                                  : NormalShare(ranks, base.size(), sum);
}

double DrawnMedian(std::span<const double> values, Random& random) {
  std::vector<double> drawn(values.size());
  for (double& value : drawn) value = values[random.Below(values.size())];
  return Median(std::move(drawn));
}

Bounded Percentiles(double value, std::vector<double>& drawn, double confidence) {
  std::sort(drawn.begin(), drawn.end());
  const auto rank = static_cast<std::size_t>((1.0 - confidence) / 2.0 * (kDraws + 1));
  return {value, drawn[rank - 1], drawn[kDraws - rank]};
}

}  // namespace

double ResolutionOf(std::span<const double> values) {
  for (double digit = 1.0; digit > kPrinted; digit /= 10.0) {
    const bool are_multiples = std::all_of(values.begin(), values.end(), [&](double value) {
      const double times = value / digit;
      return std::abs(times) < 1.0 / kPrinted &&
             std::abs(times - std::round(times)) <= kSame * std::max(1.0, std::abs(times));
    });
    if (are_multiples) return digit;
  }
  return 0.0;
}

Change ChangeOfMean(const Summary& base, const Summary& now, double confidence) {
  Change change{.difference = {now.mean - base.mean, -kNoEnd, kNoEnd}};
  if (base.least > 0.0) change.ratio = {now.mean / base.mean, 0.0, kNoEnd};
  if (base.n < 2 || now.n < 2) return change;
  const double resolution = ResolutionOf(std::array{base.least, base.most, now.least, now.most});
  const Side a = SideOf(base, resolution);
  const Side b = SideOf(now, resolution);
  const double error = std::sqrt(a.variance + b.variance);
  if (!std::isfinite(change.difference.value) || !std::isfinite(error)) return change;
  const double degrees = DegreesOf(base, now, a, b);
  const double factor = StudentFactor(confidence, degrees);
  const double doubt = factor * error + a.rounded + b.rounded;
  change.difference.lower = change.difference.value - doubt;
  change.difference.upper = change.difference.value + doubt;
  const double beyond = std::abs(change.difference.value) - a.rounded - b.rounded;
  if (beyond > 0.0 && !AreEqual(base.mean, now.mean)) {
    change.p = error == 0.0
                   ? 0.0
                   : 2.0 * cdf(complement(boost::math::students_t(degrees), beyond / error));
  }
  const bool is_above_0 = a.mean - factor * std::sqrt(a.variance) - a.rounded > 0.0;
  if (is_above_0) change.ratio = RatioOf(a, b, factor);
  return change;
}

Change ChangeOfMedian(std::span<const double> base, std::span<const double> now, double confidence,
                      std::uint64_t seed) {
  if (base.empty() || now.empty()) return {.difference = {0.0, -kNoEnd, kNoEnd}};
  const double before = Median({base.begin(), base.end()});
  const double after = Median({now.begin(), now.end()});
  Change change{.difference = {after - before, -kNoEnd, kNoEnd}};
  const bool has_ratio =
      std::all_of(base.begin(), base.end(), [](double value) { return value > 0.0; });
  if (has_ratio) change.ratio = {after / before, 0.0, kNoEnd};
  std::vector<double> all(base.begin(), base.end());
  all.insert(all.end(), now.begin(), now.end());
  const bool all_finite =
      std::all_of(all.begin(), all.end(), [](double value) { return std::isfinite(value); });
  if (!all_finite || std::min(base.size(), now.size()) < kLeastForMedian) return change;
  if (std::abs(change.difference.value) > ResolutionOf(all)) change.p = ChanceOfRanks(base, now);
  Random random(seed);
  std::vector<double> differences(kDraws);
  std::vector<double> ratios(kDraws);
  for (std::size_t i = 0; i < kDraws; ++i) {
    const double drawn = DrawnMedian(now, random);
    const double drawn_base = DrawnMedian(base, random);
    differences[i] = drawn - drawn_base;
    ratios[i] = drawn / drawn_base;
  }
  change.difference = Percentiles(change.difference.value, differences, confidence);
  if (has_ratio) change.ratio = Percentiles(after / before, ratios, confidence);
  return change;
}

Change ChangeOfMedianOfLooks(std::span<const double> base, std::span<const double> now) {
  Change change = ChangeOfMedian(base, now, kConfidenceOfLooks);
  change.p = std::min(1.0, change.p / kShareOfLooks);
  return change;
}

double ConfidenceOfMedianOfLooks(double confidence) {
  return 1.0 - (1.0 - confidence) * kShareOfLooks;
}

}  // namespace twofold::stats
