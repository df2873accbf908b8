#include "lib/stats/repetitions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "lib/stats/comparison.h"
#include "lib/stats/evidence.h"
#include "lib/stats/measured_window.h"

namespace twofold::stats {
namespace {

constexpr double kOneIn20 = 1.645;       // standard errors of a correlation, one-sided
constexpr double kLeftByClusters = 0.1;  // of the squares
constexpr std::size_t kLeastOfCluster = 2;

// Correlations from each value to the next that are thought possible: none, with this probability,
// or 0.1, 0.2, ... 0.9, each alike.
constexpr double kIndependentIsLikely = 0.4;
constexpr std::size_t kCorrelations = 10;
constexpr double kAsExact = 1e-6;                  // distances
constexpr double kConfidenceOfRepetitions = 0.97;  // of a look; what is told holds in 95 %

/// How well a mean is known if its values are correlated in one way.
struct CorrelatedMean {
  double weight = 0.0;  // its logarithm, until all are known
  double error = 0.0;   // of the mean
};

/// Sums of two or more values, from their mean, that say what their correlation may be.
struct Products {
  explicit Products(std::span<const double> values) : n(static_cast<double>(values.size())) {
    const double mean = Mean(values);
    first = values.front() - mean;
    last = values.back() - mean;
    squares = Squares(values);
    for (std::size_t i = 1; i < values.size(); ++i) {
      neighbours += (values[i] - mean) * (values[i - 1] - mean);
    }
  }

  double n;
  double first;
  double last;
  double squares;
  double neighbours = 0.0;
};

/// From each value to the next, as it shows: less than the true one, by (1 + 3 r) / n on average.
double Correlation(std::span<const double> values) {
  const Products products(values);
  return products.squares > 0.0 ? products.neighbours / products.squares : 0.0;
}

/// The variance of a mean of n values of variance 1 whose likeness falls by r from each to the
/// next.
double VarianceOfCorrelated(double n, double r) {
  return ((1.0 + r) / (1.0 - r) - 2.0 * r * (1.0 - std::pow(r, n)) / (n * Squared(1.0 - r))) / n;
}

/// For normal values with any mean and scatter, which are left out by integration.
CorrelatedMean MeanWith(const Products& values, double r, double prior) {
  const double n = values.n;
  const double ends = values.first + values.last;
  const double precision = (n - (n - 2.0) * r) / (1.0 + r);  // of the mean
  const double shift = ends * r / (1.0 + r);  // of the mean that fits best, times its precision
  const double products = (1.0 + r * r) * values.squares -
                          r * r * (Squared(values.first) + Squared(values.last)) -
                          2.0 * r * values.neighbours;
  const double left = std::max(products / (1.0 - r * r) - Squared(shift) / precision,
                               std::numeric_limits<double>::min());
  const double log_weight = std::log(prior) - 0.5 * std::log(precision) -
                            0.5 * (n - 1.0) * std::log(left * (1.0 - r * r));
  return {log_weight, std::sqrt(left / (n - 1.0) * VarianceOfCorrelated(n, r))};
}

using CorrelatedMeans = std::array<CorrelatedMean, kCorrelations>;

CorrelatedMeans MeansOf(std::span<const double> values) {
  const Products products(values);
  CorrelatedMeans all{};
  double most = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double some = (1.0 - kIndependentIsLikely) / static_cast<double>(kCorrelations - 1);
    const double r = static_cast<double>(i) / static_cast<double>(kCorrelations);
    all[i] = MeanWith(products, r, i == 0 ? kIndependentIsLikely : some);
    most = std::max(most, all[i].weight);
  }
  double sum = 0.0;
  for (CorrelatedMean& each : all) sum += each.weight = std::exp(each.weight - most);
  for (CorrelatedMean& each : all) each.weight /= sum;
  return all;
}

/// The distance that the mean exceeds with probability `chance`, on one side.
double DistanceOf(const CorrelatedMeans& all, double degrees, double chance) {
  const auto beyond = [&](double distance) {
    double sum = 0.0;
    for (const CorrelatedMean& each : all) {
      sum += each.weight * StudentTail(distance / each.error, degrees);
    }
    return sum;
  };
  double low = 0.0;
  double high = all.back().error;
  while (beyond(high) > chance) high *= 2.0;
  while (high > low * (1.0 + kAsExact)) {
    const double middle = std::midpoint(low, high);
    (beyond(middle) > chance ? low : high) = middle;
  }
  return high;
}

bool AreCorrelated(std::span<const double> values) {
  const auto n = static_cast<double>(values.size());
  return Correlation(values) > -1.0 / n + kOneIn20 / std::sqrt(n);
}

/// Sums over the first values of a sorted list, which tell the squares of each part of it.
struct Sums {
  double n = 0.0;
  double sum = 0.0;
  double squares = 0.0;

  void Add(double value) {
    ++n;
    sum += value;
    squares += value * value;
  }
  [[nodiscard]] double Left() const { return squares - sum * sum / n; }
};

bool AreClusters(std::span<const double> values) {
  const double mean = Mean(values);
  std::vector<double> sorted;
  for (const double value : values) sorted.push_back(value - mean);
  std::sort(sorted.begin(), sorted.end());
  Sums all;
  for (const double value : sorted) all.Add(value);
  Sums low;
  double least = all.Left();
  for (std::size_t i = 0; i + kLeastOfCluster < sorted.size(); ++i) {
    low.Add(sorted[i]);
    if (i + 1 < kLeastOfCluster) continue;
    const Sums high{all.n - low.n, all.sum - low.sum, all.squares - low.squares};
    least = std::min(least, low.Left() + high.Left());
  }
  return least < kLeftByClusters * all.Left();
}

}  // namespace

std::size_t WarmUpOfRepetitions(std::span<const double> values) {
  if (values.size() < kBlocks) return 0;
  const double per_part = static_cast<double>(values.size()) / double{kParts};
  Parts parts{};
  for (std::size_t i = 0; i < kParts; ++i) {
    const double begin = static_cast<double>(i) * per_part;
    for (double at = begin; at < begin + per_part;) {
      const double end = std::min(std::floor(at) + 1.0, begin + per_part);
      const auto place = std::min(static_cast<std::size_t>(at), values.size() - 1);
      parts[i] += values[place] * (end - at);
      at = end;
    }
  }
  const auto blocks = static_cast<double>(WarmUpOf(parts).blocks);
  return static_cast<std::size_t>(
      std::ceil(blocks * static_cast<double>(values.size()) / double{kBlocks}));
}

MeanInterval IntervalOfLooks(std::span<const double> values) {
  const auto warm = values.subspan(WarmUpOfRepetitions(values));
  MeanInterval interval = IntervalOfMean(warm, kConfidenceOfRepetitions);
  const bool scatters = std::isfinite(interval.half_width) && interval.half_width > 0.0;
  if (!scatters) return interval;
  const double degrees = static_cast<double>(warm.size()) - 1.0;
  interval.half_width = DistanceOf(MeansOf(warm), degrees, 0.5 * (1.0 - kConfidenceOfRepetitions));
  return interval;
}

Summary SummarizeRepetitions(std::vector<double> values, bool looked) {
  if (!looked || values.size() < 2) return Summarize(std::move(values));
  const double half_width = IntervalOfLooks(values).half_width;
  const auto warm_up = static_cast<std::ptrdiff_t>(WarmUpOfRepetitions(values));
  values.erase(values.begin(), values.begin() + warm_up);
  Summary summary = Summarize(std::move(values));
  summary.half_width = half_width;
  return summary;
}

std::string_view Name(MeanDoubt doubt) {
  constexpr std::array<std::string_view, 4> kNames = {"", "correlated", "clusters", "warm-up"};
  return kNames[static_cast<std::size_t>(doubt)];
}

MeanDoubt DoubtOfMean(std::span<const double> values) {
  const bool tells = values.size() >= kLeastForLooks && std::isfinite(Squares(values));
  if (!tells || Squares(values) == 0.0) return MeanDoubt::kNone;
  const auto warm = values.subspan(WarmUpOfRepetitions(values));
  if (AreCorrelated(warm)) return MeanDoubt::kCorrelated;
  if (AreClusters(warm)) return MeanDoubt::kClusters;
  return warm.size() < values.size() ? MeanDoubt::kWarmUp : MeanDoubt::kNone;
}

}  // namespace twofold::stats
