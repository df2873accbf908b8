#pragma once

#include <span>
#include <vector>

/// Single values of a series that stand out. Pure.
namespace twofold::stats {

/// `values`, in the order of time, with each that stands out alone moved to the median of its
/// neighbourhood, the ten values nearest in time. A value stands out if it is farther from that
/// median than four standard deviations, estimated by the median absolute deviation; and alone if
/// neither the value before nor the one behind is at least half as far from its own median on the
/// same side: two in a row are a change. Of more than one value in ten only the farthest are moved.
/// Fewer than six values are returned as they are.
///
/// Cost     O(values log(values)).
/// Source   F. Hampel, JASA 69 (1974); for series R. Pearson et al., EURASIP J. Adv. Signal
///          Process. 2016.
std::vector<double> WithoutOutliers(std::span<const double> values);

}  // namespace twofold::stats
