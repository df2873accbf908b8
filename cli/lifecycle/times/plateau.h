#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/common/instant.h"

namespace twofold::lifecycle {

/// Who works at a step, so that a flat rate can be told from a known limit of theirs.
enum class Worker { kScheduler, kController };

/// A time in which a step went at one flat rate while work waited for it: something limits it.
struct Plateau {
  std::string step;      ///< "scheduled"
  double rate = 0.0;     ///< a second
  double seconds = 0.0;  ///< for which it held
  double waiting = 0.0;  ///< that waited meanwhile, on average
  std::string limiter;   ///< what is known to have this rate; empty: nothing
};

/// The longest plateau of a step that takes what came (`in`) and finishes it (`out`), each in any
/// order. Flat means that seconds differ far less from each other than they would by chance (a
/// variance under a quarter of the mean), for five seconds at least, with half a second's work or
/// more waiting at the end of each: a generator that sends at a flat rate is no limit. nullopt:
/// there is none.
///
/// Cost  O(n log n).
std::optional<Plateau> FindPlateau(std::string_view step, Worker worker, std::vector<Instant> in,
                                   std::vector<Instant> out);

}  // namespace twofold::lifecycle
