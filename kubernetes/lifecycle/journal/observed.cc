#include "kubernetes/lifecycle/journal/observed.h"

#include <chrono>

namespace twofold::lifecycle {

// Whoever is held up between two readings takes two clocks apart by as much: the shortest try of
// several counts.
Anchor AnchorNow() {
  constexpr int kTries = 10;
  Anchor best;
  Duration shortest = Duration::max();
  for (int i = 0; i < kTries; ++i) {
    const Instant before = Now();
    const Duration unix_time = std::chrono::system_clock::now().time_since_epoch();
    const Duration took = Now() - before;
    if (took >= shortest) continue;
    shortest = took;
    best = {before + took / 2, unix_time.count()};
  }
  return best;
}

}  // namespace twofold::lifecycle
