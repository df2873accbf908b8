#pragma once

#include <string>
#include <vector>

#include "lib/load/recorder.h"

namespace twofold::load {

/// The laws that the numbers of each finished load keep (docs/statistics.md, "The ledger of a
/// load"). Returns in words which ones these break; that is a fault of the program, whatever the
/// system did.
///
/// Cost     O(stages + slices).
std::vector<std::string> BrokenLaws(const Recorder& recorder);

}  // namespace twofold::load
