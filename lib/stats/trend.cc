#include "lib/stats/trend.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "lib/stats/summary.h"

namespace twofold::stats {
namespace {

constexpr std::size_t kLeastBetween = 2;
// An order of the values is as rare as 1 in `risk` only if that many were tried; twenty times as
// many know the share to a fifth.
constexpr double kTriesPerRisk = 20.0;
constexpr double kFewestTries = 399.0;
constexpr double kMostTries = 20'000.0;

/// Values that differ most from the others: those from `first` up to `end`.
struct Arc {
  std::size_t first = 0;
  std::size_t end = 0;
  double height = 0.0;  ///< of the difference, in its errors up to a common factor
};

/// Whether so many values may stand between a cut and an end, or another cut.
bool IsLongEnough(std::size_t size) { return size == 0 || size >= kLeastBetween; }

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
  return highest;
}

// Sums in another order differ in rounding.
bool Reaches(double height, double goal) { return height >= goal * (1.0 - 1e-12); }

class Segmentation {
 public:
  Segmentation(std::span<const double> values, const TrendOptions& options)
      : values_(values),
        options_(options),
        tries_(std::clamp(kTriesPerRisk / options.risk, kFewestTries, kMostTries)),
        random_(options.seed) {
    Divide(0, values.size());
    std::sort(cuts_.begin(), cuts_.end());
    while (DropUnsure() || DropSmall()) {
    }
  }

  [[nodiscard]] std::vector<Segment> Segments() const {
    std::vector<Segment> segments;
    for (std::size_t i = 0; i <= cuts_.size(); ++i) {
      const std::size_t first = Start(i);
      Segment segment{.first = first, .size = Start(i + 1) - first};
      segment.mean = Mean(values_.subspan(first, segment.size));
      if (i > 0) {
        segment.change = segment.mean / segments.back().mean - 1.0;
        segment.p = p_[i - 1];
      }
      segments.push_back(segment);
    }
    return segments;
  }

 private:
  /// Of segment `i`; one past the last: where the values end.
  [[nodiscard]] std::size_t Start(std::size_t i) const {
    if (i == 0) return 0;
    return i > cuts_.size() ? values_.size() : cuts_[i - 1];
  }

  void Divide(std::size_t first, std::size_t end) {
    if (end - first < 2 * kLeastBetween) return;
    const auto part = values_.subspan(first, end - first);
    const Arc arc = Highest(part);
    // Equal values differ by rounding alone.
    if (arc.height <= 1e-12 * std::abs(part.front())) return;
    const double p = ShareOfOrders(part, [&](std::span<const double> order) {
      return Reaches(Highest(order).height, arc.height);
    });
    if (p > options_.risk) return;
    std::size_t from = first;
    for (const std::size_t cut : {first + arc.first, first + arc.end, end}) {
      if (cut == from) continue;
      if (cut < end) cuts_.push_back(cut);
      Divide(from, cut);
      from = cut;
    }
  }

  /// The share of orders of `part` that `reach`; 1 as soon as it is above the risk.
  template <typename Reach>
  double ShareOfOrders(std::span<const double> part, const Reach& reach) {
    std::vector<double> order(part.begin(), part.end());
    double reached = 1.0;  // the order that was measured
    for (double i = 0.0; i < tries_; ++i) {
      std::shuffle(order.begin(), order.end(), random_);
      if (reach(order)) ++reached;
      if (reached > options_.risk * (tries_ + 1.0)) return 1.0;
    }
    return reached / (tries_ + 1.0);
  }

  /// Of the two segments at a cut, with nothing else around them.
  double ChanceOf(std::size_t cut) {
    const std::size_t first = Start(cut);
    const auto pair = values_.subspan(first, Start(cut + 2) - first);
    const std::size_t size = Start(cut + 1) - first;
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
    p_.clear();
    for (std::size_t cut = 0; cut < cuts_.size(); ++cut) p_.push_back(ChanceOf(cut));
    const auto least_sure = std::max_element(p_.begin(), p_.end());
    if (least_sure == p_.end() || *least_sure <= options_.risk) return false;
    Drop(static_cast<std::size_t>(least_sure - p_.begin()));
    return true;
  }

  bool DropSmall() {
    const std::vector<Segment> segments = Segments();
    const auto smallest = std::min_element(
        segments.begin() + 1, segments.end(),
        [](const auto& a, const auto& b) { return std::abs(a.change) < std::abs(b.change); });
    if (smallest == segments.end() || std::abs(smallest->change) >= options_.least) return false;
    Drop(static_cast<std::size_t>(smallest - segments.begin() - 1));
    return true;
  }

  const std::span<const double> values_;
  const TrendOptions options_;
  const double tries_;
  std::mt19937_64 random_;
  std::vector<std::size_t> cuts_;  // indices of first values, ascending once all are found
  std::vector<double> p_;          // of each cut
};

}  // namespace

std::vector<Segment> FindChanges(std::span<const double> values, const TrendOptions& options) {
  if (values.empty()) return {};
  return Segmentation(values, options).Segments();
}

}  // namespace twofold::stats
