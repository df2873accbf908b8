#pragma once

#include <string>
#include <vector>

#include "kubernetes/lifecycle/outcome.h"
#include "kubernetes/lifecycle/watching/event_follower.h"

namespace twofold::lifecycle {

/// Adds the rows, counts and notes of what else says something of a run to its report, whose clock
/// offset is known: Kubernetes' own seconds, its events (nullptr: not asked for), and logs of
/// audits, which are read.
void AddEvidence(EventFollower* events, const std::vector<std::string>& audit, Outcome& outcome);

}  // namespace twofold::lifecycle
