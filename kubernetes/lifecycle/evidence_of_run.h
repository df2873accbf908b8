#pragma once

#include <string>
#include <vector>

#include "kubernetes/lifecycle/event_follower.h"
#include "kubernetes/lifecycle/moments/kind.h"
#include "kubernetes/lifecycle/moments/life.h"
#include "kubernetes/lifecycle/times/clock_offset.h"
#include "kubernetes/lifecycle/times/report.h"

namespace twofold::lifecycle {

/// What a run has seen, and what else says something of it.
struct EvidenceSources {
  const Kind& kind;
  const std::vector<Life>& lives;
  const Anchor& anchor;
  EventFollower* events;                  ///< nullptr: not asked for
  const std::vector<std::string>& audit;  ///< files; none: not asked for
};

/// Adds the rows, counts and notes of all sources to a report whose clock offset is known. Reads
/// the files.
void AddEvidence(const EvidenceSources& sources, Report& report);

}  // namespace twofold::lifecycle
