#pragma once

#include <string>
#include <vector>

#include "lib/report/figure.h"

namespace twofold::report {

/// A histogram: the finite ones of `values` in bins of equal width, which begin at multiples of it;
/// with `logarithmic`, of equal ratio (ten a decade), and what is not above 0 left out. The width
/// is a round number that makes at most 30 bins, but no less than `least_width`, nor than some 60th
/// of the greatest value. Empty bins are there, too.
///
/// Cost  O(values).
std::vector<Datum> BinsOf(const std::vector<double>& values, bool logarithmic = false,
                          double least_width = 0.0);

}  // namespace twofold::report
