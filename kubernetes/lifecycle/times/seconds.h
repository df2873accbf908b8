#pragma once

#include <vector>

#include "kubernetes/lifecycle/moments/kind.h"
#include "kubernetes/lifecycle/moments/life.h"
#include "kubernetes/lifecycle/times/differences.h"

namespace twofold::lifecycle {

/// For each moment, whether it was seen within the second that Kubernetes wrote: the instant was,
/// by some offset of the clocks and some lateness of the watch that there may be, not before that
/// second began nor after it ended. The rest are off by at least what the row says. `created` fits
/// by construction, as the offset comes from it. Moments of which Kubernetes writes no time have no
/// row.
std::vector<EvidenceRow> CompareSeconds(const Kind& kind, const std::vector<Life>& lives,
                                        const ClockFit& clocks);

}  // namespace twofold::lifecycle
