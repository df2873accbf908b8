#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

/// Whether a number has changed from run to run, and when. Pure.
namespace twofold::stats {

/// Values between two changes.
struct Segment {
  std::size_t first = 0;  ///< index of its first value
  std::size_t size = 0;
  double mean = 0.0;
  double change = 0.0;  ///< mean / mean of the segment before - 1; 0 of the first segment
  double p = 1.0;       ///< of the two segments at its start, by permutation; 1 of the first one
};

struct TrendOptions {
  double risk = 0.05;  ///< of finding any change where there is none
  double least = 0.0;  ///< changes of a smaller share are no changes: 0.05 is 5 %
  std::uint64_t seed = 1;
};

/// Cuts `values`, in the order of time, where their mean changes: circular binary segmentation
/// (docs/statistics.md, "Changes from run to run"). Two values at least stand between cuts, so the
/// newest value alone is never a change.
///
/// No distribution is assumed, but without a change values must be exchangeable: drift and seasons
/// are found as changes. Values that are all equal have no change.
///
/// Threads  Any. The same values, options and seed give the same result.
/// Cost     O(values^2) an order, 20 / risk orders a cut: 10 ms for 100 values, 1 s for 1000.
/// Source   A. Olshen, E. Venkatraman, R. Lucito, M. Wigler, "Circular binary segmentation",
///          Biostatistics 5 (2004).
std::vector<Segment> FindChanges(std::span<const double> values, const TrendOptions& options);

}  // namespace twofold::stats
