#include "lib/stats/trend.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "lib/stats/change.h"
#include "lib/stats/outliers.h"
#include "lib/stats/summary.h"

namespace twofold::stats {
namespace {

constexpr std::size_t kLeastBetween = 2;
// Fewer distances from a level say too little about their mean.
constexpr std::size_t kLeastForScatter = 5;
constexpr double kMostDistance =
    5.0;  // times the median distance: one outlier is no change of scatter
// An order of the values is as rare as 1 in `finest` only if that many were tried; twenty times as
// many know the share to a fifth.
constexpr double kTriesPerRisk = 20.0;
constexpr double kFewestTries = 399.0;
constexpr double kMostTries = 1.0 / kLeastRisk - 1.0;

/// Values that differ most from the others: those from `first` up to `end`.
struct Arc {
  std::size_t first = 0;
  std::size_t end = 0;
  double height = 0.0;  ///< of the difference; 0: there is none
};

/// Whether so many values may stand between a cut and an end, or another cut.
bool IsLongEnough(std::size_t size) { return size == 0 || size >= kLeastBetween; }

/// Where the mean changes most; the height is the difference, in its errors up to a common factor.
/// O(n^2). A step is an arc that ends with the values, so it needs no search of its own.
Arc Highest(std::span<const double> values) {
  const std::size_t n = values.size();
  const double mean = Mean(values);
  std::vector<double> sums(n + 1);
  for (std::size_t i = 0; i < n; ++i) sums[i + 1] = sums[i] + values[i] - mean;
  Arc highest;
  for (std::size_t size = kLeastBetween; size + kLeastBetween <= n; ++size) {
    const double factor = std::sqrt(static_cast<double>(n) /
                                    (static_cast<double>(size) * static_cast<double>(n - size)));
    for (std::size_t first = 0; first + size <= n; ++first) {
      const double height = std::abs(sums[first + size] - sums[first]) * factor;
      if (height <= highest.height) continue;
      if (!IsLongEnough(first) || !IsLongEnough(n - first - size)) continue;
      highest = {first, first + size, height};
    }
  }
  // Equal values differ by rounding alone.
  if (highest.height <= 1e-12 * std::abs(mean)) highest.height = 0.0;
  return highest;
}

// Sums in another order differ in rounding.
bool Reaches(double height, double goal) { return height >= goal * (1.0 - 1e-9); }

Arc LevelArc(std::span<const double> values) { return Highest(WithoutOutliers(values)); }

/// Where the mean of `sizes`, distances from a level, changes most: the likelihood of two means
/// beside that of one, if sizes were exponential. O(n).
Arc ScatterArc(std::span<const double> sizes) {
  const auto n = static_cast<double>(sizes.size());
  const double all = std::accumulate(sizes.begin(), sizes.end(), 0.0);
  const auto cost = [](double sum, double count) { return count * std::log(sum / count); };
  Arc highest;
  double before = 0.0;
  for (std::size_t i = 0; i + kLeastForScatter < sizes.size(); ++i) {
    before += sizes[i];
    const double count = static_cast<double>(i) + 1.0;
    if (i + 1 < kLeastForScatter || !(before > 0.0) || !(before < all)) continue;
    const double gain = cost(all, n) - cost(before, count) - cost(all - before, n - count);
    if (gain > highest.height) highest = {i + 1, sizes.size(), gain};
  }
  return highest;
}

struct Cut {
  std::size_t at = 0;  ///< index of the first value behind it
  double p = 1.0;
  Changed changed = Changed::kLevel;
};

class Segmentation {
 public:
  Segmentation(std::span<const double> values, const TrendOptions& options)
      : calm_(WithoutOutliers(values)),
        values_(values),
        options_(options),
        tries_(std::clamp(std::ceil(kTriesPerRisk / std::min(options.risk, options.finest)),
                          kFewestTries, kMostTries)) {
    FindLevels({0, values.size()});
    Prune();
    const std::vector<Cut> levels = cuts_;
    const std::vector<double> sizes = Distances();
    cuts_.clear();
    Divide(sizes, ScatterArc, Changed::kScatter, {0, values.size()}, 0.0);
    if (cuts_.empty()) {
      cuts_ = levels;
    } else {
      FindLevelsBetween();
    }
  }

  [[nodiscard]] std::vector<Segment> Segments() const {
    std::vector<Segment> segments;
    for (std::size_t i = 0; i <= cuts_.size(); ++i) {
      Segment segment{.first = Start(i), .size = Start(i + 1) - Start(i)};
      segment.mean = Mean(Part(i));
      if (i > 0) {
        segment.changed = cuts_[i - 1].changed;
        segment.p = cuts_[i - 1].p;
        segment.change =
            (segment.changed == Changed::kLevel ? segment.mean / segments.back().mean
                                                : SummaryOf(i).sd / SummaryOf(i - 1).sd) -
            1.0;
      }
      segments.push_back(segment);
    }
    return segments;
  }

 private:
  struct Range {
    std::size_t first = 0;
    std::size_t end = 0;
  };

  /// Of segment `i`; one past the last: where the values end.
  [[nodiscard]] std::size_t Start(std::size_t i) const {
    if (i == 0) return 0;
    return i > cuts_.size() ? calm_.size() : cuts_[i - 1].at;
  }

  [[nodiscard]] std::span<const double> Part(std::size_t segment) const {
    return std::span(calm_).subspan(Start(segment), Start(segment + 1) - Start(segment));
  }

  [[nodiscard]] Summary SummaryOf(std::size_t segment) const {
    const auto part = Part(segment);
    return Summarize({part.begin(), part.end()});
  }

  void FindLevels(Range range) { Divide(values_, LevelArc, Changed::kLevel, range, 0.0); }

  /// Orders of values whose scatter differs are not equally likely, so levels are searched for
  /// between changes of the scatter, and compared across them.
  void FindLevelsBetween() {
    Sort();
    std::vector<std::size_t> borders;
    for (std::size_t i = 0; i <= cuts_.size() + 1; ++i) borders.push_back(Start(i));
    questions_ = 2.0 * static_cast<double>(cuts_.size()) + 1.0;  // parts, and borders between them
    for (std::size_t i = 1; i < borders.size(); ++i) FindLevels({borders[i - 1], borders[i]});
    Prune();
    for (std::size_t cut = 0; cut < cuts_.size(); ++cut) JudgeLevelAt(cut);
  }

  /// Of each value from its level.
  [[nodiscard]] std::vector<double> Distances() const {
    std::vector<double> distances;
    for (std::size_t i = 0; i <= cuts_.size(); ++i) {
      const auto size = static_cast<double>(Start(i + 1) - Start(i));
      // The mean of few is close to each of them.
      const double factor = std::sqrt(size / std::max(size - 1.0, 1.0));
      const double mean = Mean(Part(i));
      for (std::size_t k = Start(i); k < Start(i + 1); ++k) {
        distances.push_back(factor * std::abs(values_[k] - mean));
      }
    }
    const double most = kMostDistance * Median(distances);
    for (double& distance : distances) distance = std::min(distance, most);
    return distances;
  }

  void Sort() {
    std::sort(cuts_.begin(), cuts_.end(), [](const Cut& a, const Cut& b) { return a.at < b.at; });
  }

  void Prune() {
    Sort();
    while (DropUnsure() || DropSmall()) {
    }
  }

  /// Cuts a range of `values`, whose surroundings were cut at `sure`, where `arc_of` says, and its
  /// parts again.
  void Divide(std::span<const double> values, Arc (*arc_of)(std::span<const double>),
              Changed changed, Range range, double sure) {
    const auto part = values.subspan(range.first, range.end - range.first);
    if (part.size() < 2 * kLeastBetween) return;
    const Arc arc = arc_of(part);
    if (arc.height <= 0.0) return;
    const double share = ShareOfOrders(part, [&](std::span<const double> order) {
      return Reaches(arc_of(order).height, arc.height);
    });
    const double p = std::max(sure, questions_ * share);
    if (p > options_.risk) return;
    std::size_t from = range.first;
    for (const std::size_t cut : {range.first + arc.first, range.first + arc.end, range.end}) {
      if (cut == from) continue;
      if (cut < range.end) cuts_.push_back({cut, p, changed});
      Divide(values, arc_of, changed, {from, cut}, p);
      from = cut;
    }
  }

  /// The share of orders of `part` that `reach`; 1 as soon as it is above the risk.
  template <typename Reach>
  double ShareOfOrders(std::span<const double> part, const Reach& reach) {
    std::mt19937_64 random(options_.seed);
    std::vector<double> order(part.begin(), part.end());
    double reached = 1.0;  // the order that was measured
    for (double i = 0.0; i < tries_; ++i) {
      std::shuffle(order.begin(), order.end(), random);
      if (reach(order)) ++reached;
      if (reached > options_.risk * (tries_ + 1.0)) return 1.0;
    }
    return reached / (tries_ + 1.0);
  }

  /// Where the scatter changes, orders of the values say nothing about the mean; Welch's test does.
  void JudgeLevelAt(std::size_t cut) {
    if (cuts_[cut].changed != Changed::kScatter) return;
    const double p = questions_ * ChangeOfMean(SummaryOf(cut), SummaryOf(cut + 1)).p;
    if (p <= options_.risk) cuts_[cut] = {cuts_[cut].at, p, Changed::kLevel};
  }

  /// Of the two segments at a cut, with nothing else around them.
  double ChanceOf(std::size_t cut) {
    if (cuts_[cut].changed == Changed::kScatter) return cuts_[cut].p;
    const auto pair = std::span(calm_).subspan(Start(cut), Start(cut + 2) - Start(cut));
    const std::size_t size = Start(cut + 1) - Start(cut);
    const double mean = Mean(pair);
    const auto height = [&](std::span<const double> order) {
      const auto left = order.first(size);
      return std::abs(std::accumulate(left.begin(), left.end(), 0.0) -
                      mean * static_cast<double>(size));
    };
    const double goal = height(pair);
    return ShareOfOrders(pair, [&](const auto& order) { return Reaches(height(order), goal); });
  }

  void Drop(std::size_t cut) { cuts_.erase(cuts_.begin() + static_cast<std::ptrdiff_t>(cut)); }

  /// Takes out the least sure cut, if its two segments may be one. So an arc whose one end was a
  /// little off leaves no cut there.
  bool DropUnsure() {
    std::vector<double> p;
    for (std::size_t cut = 0; cut < cuts_.size(); ++cut) p.push_back(ChanceOf(cut));
    const auto least_sure = std::max_element(p.begin(), p.end());
    if (least_sure == p.end() || *least_sure <= options_.risk) return false;
    Drop(static_cast<std::size_t>(least_sure - p.begin()));
    return true;
  }

  bool DropSmall() {
    const std::vector<Segment> segments = Segments();
    std::size_t smallest = 0;
    double change = options_.least;
    for (std::size_t i = 1; i < segments.size(); ++i) {
      if (segments[i].changed == Changed::kScatter || std::abs(segments[i].change) >= change) {
        continue;
      }
      smallest = i;
      change = std::abs(segments[i].change);
    }
    if (smallest > 0) Drop(smallest - 1);
    return smallest > 0;
  }

  const std::vector<double> calm_;  // values_ without single outliers
  const std::span<const double> values_;
  const TrendOptions options_;
  const double tries_;
  double questions_ = 1.0;  // that share the risk
  std::vector<Cut> cuts_;   // ascending once all are found
};

}  // namespace

std::vector<Segment> FindChanges(std::span<const double> values, const TrendOptions& options) {
  if (values.empty()) return {};
  return Segmentation(values, options).Segments();
}

}  // namespace twofold::stats
