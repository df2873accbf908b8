#include "lib/stats/outliers.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace twofold::stats {
namespace {

constexpr std::size_t kEachSide = 5;
constexpr std::size_t kNeighbours = 2 * kEachSide;
constexpr std::size_t kLeastForOutliers = 6;
constexpr std::size_t kOneIn = 10;     // values may be an outlier; more are another kind of scatter
constexpr double kFar = 4.0;           // standard deviations
constexpr double kAlike = 0.5;         // of the distance: as far, the next value belongs to it
constexpr double kNormalMad = 1.4826;  // standard deviations in the MAD of a normal distribution

/// Where a value stands beside its neighbourhood.
struct Place {
  double median = 0.0;
  double distance = 0.0;  ///< with its sign
  bool far = false;
};

/// Of `n` values, one or more, that come out sorted.
double MedianOf(double* values, std::size_t n) {
  std::sort(values, values + n);
  return (values[(n - 1) / 2] + values[n / 2]) / 2.0;
}

Place PlaceOf(std::span<const double> values, std::size_t i) {
  const std::size_t size = std::min(values.size(), kNeighbours + 1);
  const std::size_t latest = values.size() - size;
  const std::size_t first = std::min(i > kEachSide ? i - kEachSide : 0, latest);
  std::array<double, kNeighbours> near{};
  std::size_t n = 0;
  for (std::size_t k = first; k < first + size; ++k) {
    if (k != i) near[n++] = values[k];
  }
  Place place{.median = MedianOf(near.data(), n)};
  for (std::size_t k = 0; k < n; ++k) near[k] = std::abs(near[k] - place.median);
  place.distance = values[i] - place.median;
  place.far = std::abs(place.distance) > kFar * kNormalMad * MedianOf(near.data(), n);
  return place;
}

/// Whether the value at `next` stands out to the same side.
bool IsAlike(const Place& place, const Place& next) {
  return next.distance / place.distance >= kAlike;
}

bool IsAlone(std::span<const Place> places, std::size_t i) {
  const bool before = i > 0 && IsAlike(places[i], places[i - 1]);
  const bool behind = i + 1 < places.size() && IsAlike(places[i], places[i + 1]);
  return !before && !behind;
}

}  // namespace

std::vector<double> WithoutOutliers(std::span<const double> values) {
  std::vector<double> calm(values.begin(), values.end());
  if (values.size() < kLeastForOutliers) return calm;
  std::vector<Place> places;
  for (std::size_t i = 0; i < values.size(); ++i) places.push_back(PlaceOf(values, i));
  std::vector<std::size_t> alone;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (places[i].far && IsAlone(places, i)) alone.push_back(i);
  }
  std::sort(alone.begin(), alone.end(), [&](std::size_t a, std::size_t b) {
    return std::abs(places[a].distance) > std::abs(places[b].distance);
  });
  alone.resize(std::min(alone.size(), std::max<std::size_t>(values.size() / kOneIn, 1)));
  for (const std::size_t i : alone) calm[i] = places[i].median;
  return calm;
}

}  // namespace twofold::stats
