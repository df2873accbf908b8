#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

/// Whether a number has changed from run to run, and when. Pure.
namespace twofold::stats {

enum class Changed : std::uint8_t {
  kLevel,    ///< the mean
  kScatter,  ///< the standard deviation alone: no change of the mean is certain
};

/// Values between two changes.
struct Segment {
  std::size_t first = 0;  ///< index of its first value
  std::size_t size = 0;
  double mean = 0.0;  ///< with single outliers drawn in
  Changed changed = Changed::kLevel;
  /// Mean, or standard deviation, / that of the segment before - 1; 0 of the first segment.
  double change = 0.0;
  /// How rarely values without a change show one as strong anywhere; 1 of the first segment.
  double p = 1.0;
};

struct TrendOptions {
  double risk = 0.05;  ///< of finding any change of the level where there is none; and of scatter
  double least = 0.0;  ///< changes of the level by a smaller share are none: 0.05 is 5 %
  /// The smallest p that matters, if that is less than the risk: of many series at once, the risk
  /// divided by their number. At least kLeastRisk, else no change is found.
  double finest = 1.0;
  std::uint64_t seed = 1;
};

/// No p is smaller: so many orders of the values are tried at most.
inline constexpr double kLeastRisk = 1.0 / 20'001.0;

/// Cuts `values`, in the order of time, where their mean or their scatter changes: circular binary
/// segmentation (docs/statistics.md, "Changes from run to run"). Two values at least stand between
/// cuts, so the newest value alone is never a change, and a value that stands out alone is drawn
/// in, and hides none.
///
/// No distribution is assumed, but without a change values must be exchangeable: a drift is found
/// as changes. Values that are all equal have no change.
///
/// Threads  Any. The same values, options and seed give the same result.
/// Cost     O(values^2) an order, 20 / finest orders a cut, 400 to 20 000: 20 ms for 100 values and
///          400 orders, 1 s for 1000.
/// Source   A. Olshen, E. Venkatraman, R. Lucito, M. Wigler, "Circular binary segmentation",
///          Biostatistics 5 (2004).
std::vector<Segment> FindChanges(std::span<const double> values, const TrendOptions& options);

}  // namespace twofold::stats
