#pragma once

#include <cstddef>

namespace twofold::show {

/// From now on text tables are at most so wide, as the terminal is; 0, as it is at first: as wide
/// as their cells. Long cells are cut, the first column's never; what then has no place is left out
/// from the right, and a line beneath names it.
///
/// Threads  Call it before tables are made.
void FitTables(std::size_t width);

}  // namespace twofold::show
