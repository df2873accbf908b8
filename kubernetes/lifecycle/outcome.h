#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kubernetes/lifecycle/journal/observed.h"
#include "kubernetes/lifecycle/journal/record.h"
#include "kubernetes/lifecycle/journal/tally.h"
#include "kubernetes/lifecycle/moments/life.h"
#include "kubernetes/lifecycle/times/clock_offset.h"
#include "kubernetes/lifecycle/times/report.h"
#include "lib/common/instant.h"

/// What a run has come to, whoever has sent and watched it.
namespace twofold::lifecycle {

struct Outcome {
  const Kind* kind = nullptr;
  std::string run = {};
  Report report = {};
  std::vector<Life> lives = {};
  Anchor anchor;
};

/// What is known beside the Observer.
struct Beside {
  Record record;
  Tally tally;
  Instant end;                          ///< of the watching
  std::vector<std::string> notes = {};  ///< that only the caller knows
};

/// A sentence for each thing about the sending that puts the numbers in doubt; `count` workloads
/// were to be sent.
std::vector<std::string> NotesOn(const SendCounts& counts, std::uint32_t count);

/// What the sender alone knows of, as counts of a report.
Counts CountsOf(const SendCounts& counts);

Outcome OutcomeOf(Observed& observed, const Beside& beside);

}  // namespace twofold::lifecycle
