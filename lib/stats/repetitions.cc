#include "lib/stats/repetitions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "lib/stats/comparison.h"

namespace twofold::stats {
namespace {

constexpr double kMostCorrelation = 0.9;  // beyond, few values say nothing of the mean
constexpr double kFurther = 1.0;          // standard errors of the correlation
constexpr double kOneIn20 = 1.645;        // the same, one-sided
constexpr double kLeftByClusters = 0.1;   // of the squares
constexpr std::size_t kLeastOfCluster = 2;

/// From each value to the next, as it shows: less than the true one, by (1 + 3 r) / n on average.
double Correlation(std::span<const double> values) {
  const double squares = Squares(values);
  if (!(squares > 0.0)) return 0.0;
  const double mean = Mean(values);
  double sum = 0.0;
  for (std::size_t i = 1; i < values.size(); ++i) {
    sum += (values[i] - mean) * (values[i - 1] - mean);
  }
  return sum / squares;
}

/// How much wider an interval is for values that depend on each other.
double Widening(std::span<const double> values) {
  const auto n = static_cast<double>(values.size());
  const double shown = Correlation(values);
  const double r = shown + (1.0 + 3.0 * std::max(shown, 0.0)) / n + kFurther / std::sqrt(n);
  const double taken = std::clamp(r, 0.0, kMostCorrelation);
  return std::sqrt((1.0 + taken) / (1.0 - taken));
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

MeanInterval IntervalOfLooks(std::span<const double> values) {
  MeanInterval interval = IntervalOfMean(values, kConfidenceOfLooks);
  if (values.size() > 1) interval.half_width *= Widening(values);
  return interval;
}

Summary SummarizeRepetitions(std::vector<double> values, bool looked) {
  const double half_width = looked && values.size() > 1 ? IntervalOfLooks(values).half_width : 0.0;
  Summary summary = Summarize(std::move(values));
  if (half_width > 0.0) summary.half_width = half_width;
  return summary;
}

std::string_view Name(MeanDoubt doubt) {
  constexpr std::array<std::string_view, 3> kNames = {"", "correlated", "clusters"};
  return kNames[static_cast<std::size_t>(doubt)];
}

MeanDoubt DoubtOfMean(std::span<const double> values) {
  const bool tells = values.size() >= kLeastForLooks && std::isfinite(Squares(values));
  if (!tells || Squares(values) == 0.0) return MeanDoubt::kNone;
  if (AreCorrelated(values)) return MeanDoubt::kCorrelated;
  return AreClusters(values) ? MeanDoubt::kClusters : MeanDoubt::kNone;
}

}  // namespace twofold::stats
