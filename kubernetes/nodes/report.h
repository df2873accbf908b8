#pragma once

#include <string>

#include "kubernetes/nodes/simulation.h"
#include "lib/common/instant.h"

namespace twofold::nodes {

/// Lines for people about what a simulation does, and how late it does it. Pure.
///
/// "1000 nodes up; pods 20 waiting, 300 running, 4000 ended; 412.0 changes/s of pods, late p50 1.2
/// ms, p99 8.1 ms, max 30.4 ms; leases 100.0/s, late p99 3.0 ms"
std::string ProgressLine(const SimulationCounts& counts, const SimulationCounts& before,
                         Duration time);

/// The same over the whole time, with endings and errors by reason; several lines.
std::string FinalReport(const SimulationCounts& counts, Duration time);

}  // namespace twofold::nodes
