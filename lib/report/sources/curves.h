#pragma once

#include <vector>

#include "lib/report/sources/run_figures.h"

namespace twofold::report {

/// What jobs have measured row by row (SeriesResult): a picture a column, such as latency by
/// message size, with a line for each run and permutation. Sizes lie on a logarithmic axis, times
/// on a linear one. Of very many columns, and of very many rows in all, the first are drawn; the
/// last caption says so.
std::vector<Picture> CurvePictures(const std::vector<NamedRun>& runs);

}  // namespace twofold::report
