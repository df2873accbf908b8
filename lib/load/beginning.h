#pragma once

#include <optional>

#include "lib/common/instant.h"
#include "lib/stats/measured_window.h"

namespace twofold::load {

/// Watches the beginning of a load for a warm-up that only the series shows: jobs that are slower
/// or faster at first, for longer than the rule of WarmUp waits. A look is due when twice, four
/// times, eight times ... the time of the rule has passed, and at the last instant that it is
/// given. It looks for the cut of a validation (stats::WarmUpOf), if 32 job times were measured: by
/// then a sixteenth has two.
///
/// What is measured begins anew after a look that finds one, so nothing that the look has seen is
/// in it; slower and faster count alike: a cut favours no side.
///
/// Time     Callers pass instants of one clock, in order.
/// Threads  Not thread-safe.
class Beginning {
 public:
  /// How the first seconds of the load differed from those that came after them.
  struct Cut {
    double seconds = 0;
    double change = 0;  ///< throughput meanwhile / throughput later - 1
  };

  /// Of a load that began at `start`, where the rule is over `now`. The last look is at `last`.
  Beginning(Instant start, Instant now, Instant last) : start_(start), last_(last) { Plan(now); }

  [[nodiscard]] bool IsDue(Instant now) const { return next_ && now >= *next_; }

  /// There will be no look any more.
  [[nodiscard]] bool IsOver() const { return !next_; }

  /// What `measured`, all that was measured until `now`, shows to be a part of the warm-up;
  /// nullopt: nothing.
  std::optional<Cut> Look(Instant now, const stats::MeasuredWindow& measured);

 private:
  void Plan(Instant now);

  Instant start_;
  Instant last_;
  std::optional<Instant> next_;
};

}  // namespace twofold::load
