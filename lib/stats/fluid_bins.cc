#include "lib/stats/fluid_bins.h"

#include <algorithm>

namespace twofold::stats {
namespace {

/// The cumulated credit at `at`, between the two edges around it.
template <typename Edges>
double Interpolate(const Edges& edges, Duration width, Duration at) {
  const auto bin = static_cast<std::size_t>(at / width);
  if (bin + 1 >= edges.size()) return edges.back();
  const double part = ToSeconds(at % width) / ToSeconds(width);
  return edges[bin] + part * (edges[bin + 1] - edges[bin]);
}

}  // namespace

void FluidBins::Add(Duration from, Duration to, double density) {
  while (to / width_ >= static_cast<Duration::rep>(kBins)) Widen();
  if (from / width_ == to / width_) {  // most jobs; two ramps would only add rounding
    first_[static_cast<std::size_t>(from / width_)] += density * ToSeconds(to - from);
    return;
  }
  AddRamp(from, density);
  AddRamp(to, -density);
}

void FluidBins::AddRamp(Duration begin, double slope) {
  const auto bin = static_cast<std::size_t>(begin / width_);
  first_[bin] += slope * ToSeconds(width_ - begin % width_);
  slope_[bin + 1].Add(slope);
}

void FluidBins::Widen() {
  const double width = ToSeconds(width_);
  for (std::size_t i = 0; i < kBins / 2; ++i) {
    // A slope that changes in the middle of the new bin is a ramp that begins there.
    first_[i] = first_[2 * i] + first_[2 * i + 1] + width * slope_[2 * i + 1].Value();
  }
  for (std::size_t i = 1; i <= kBins / 2; ++i) {
    ExactSum both = slope_[2 * i - 1];
    both.Add(slope_[2 * i]);
    slope_[i] = both;
  }
  std::fill(first_.begin() + kBins / 2, first_.end(), 0.0);
  std::fill(slope_.begin() + kBins / 2 + 1, slope_.end(), ExactSum());
  width_ *= 2;
}

FluidBins::Edges FluidBins::Cumulative() const {
  const double width = ToSeconds(width_);
  Edges edges{};
  ExactSum slope;
  for (std::size_t i = 0; i < kBins; ++i) {
    slope.Add(slope_[i]);
    edges[i + 1] = edges[i] + first_[i] + width * slope.Value();
  }
  return edges;
}

std::vector<double> FluidBins::Split(Duration length, int parts) const {
  const Edges edges = Cumulative();
  std::vector<double> credit;
  double before = 0.0;
  for (int part = 1; part <= parts; ++part) {
    const double until =
        part == parts ? edges.back() : Interpolate(edges, width_, length * part / parts);
    credit.push_back(until - before);
    before = until;
  }
  return credit;
}

}  // namespace twofold::stats
