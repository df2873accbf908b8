#include "lib/report/bins.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "lib/report/axis.h"

namespace twofold::report {
namespace {

constexpr double kMostBins = 30.0;
constexpr double kBinsADecade = 10.0;
constexpr double kFinite = 1e15;

/// The number of the bin that a value is in. A value on a bound begins a bin, though the quotient
/// may be a little less than a whole number.
double BinOf(double value, double width) { return std::floor(value / width + 1e-9); }

/// Bins of `width` on whatever scale the values have.
std::vector<double> CountsFrom(const std::vector<double>& values, double first, double width,
                               std::size_t bins) {
  std::vector<double> counts(bins);
  for (const double value : values) {
    const double bin = BinOf(value, width) - first;
    counts[std::min(bins - 1, static_cast<std::size_t>(std::max(0.0, bin)))] += 1.0;
  }
  return counts;
}

double WidthFor(double low, double high, bool logarithmic, double least_width) {
  const double span = high - low;
  if (logarithmic) return std::max(1.0 / kBinsADecade, NiceStep(std::max(span, 1e-3), kMostBins));
  // Axes of histograms begin at 0: bins of equal values would be too narrow to be seen on them.
  const double seen = std::max(std::abs(high), std::abs(low)) / 2.0;
  const double width = NiceStep(std::max({span, seen, 1e-9}), kMostBins - 1.0);
  return std::max(width, least_width);
}

}  // namespace

std::vector<Datum> BinsOf(const std::vector<double>& values, bool logarithmic, double least_width) {
  std::vector<double> scaled;
  for (const double value : values) {
    if (!std::isfinite(value) || std::abs(value) > kFinite) continue;
    if (logarithmic && value <= 0.0) continue;
    scaled.push_back(logarithmic ? std::log10(value) : value);
  }
  if (scaled.empty()) return {};
  const auto [low, high] = std::minmax_element(scaled.begin(), scaled.end());
  const double width = WidthFor(*low, *high, logarithmic, least_width);
  const double first = BinOf(*low, width);
  const auto bins = static_cast<std::size_t>(BinOf(*high, width) - first) + 1;
  const std::vector<double> counts = CountsFrom(scaled, first, width, bins);
  std::vector<Datum> data;
  for (std::size_t i = 0; i < bins; ++i) {
    const double from = (first + static_cast<double>(i)) * width;
    const double to = (first + static_cast<double>(i + 1)) * width;
    data.push_back({logarithmic ? std::pow(10.0, from) : from, counts[i],
                    logarithmic ? std::pow(10.0, to) : to});
  }
  return data;
}

}  // namespace twofold::report
