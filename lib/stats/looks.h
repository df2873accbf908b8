#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "lib/stats/measured_window.h"
#include "lib/stats/scaling.h"
#include "lib/stats/throughput.h"

/// How long a step of a scaling validation is measured: looks at its window, of which one is the
/// last. docs/statistics.md ("Looks") explains the rules.
namespace twofold::stats {

/// A look at a measurement that its verdict may stop. Every look spends a part of the 5 % of error
/// that the verdict may have (docs/statistics.md, "Verdict", as all rules here).
///
/// Source   J. Haybittle (1971) and R. Peto (1976); C. Jennison, B. Turnbull, "Group Sequential
///          Methods" (2000), chapter 2.6. The sum is found by simulation of Brownian motion
///          (tests/lib/stats/looks_test.cc).
struct Look {
  bool due = false;           ///< the window is long enough to be looked at
  bool last = false;          ///< the window has reached the cap
  double confidence = 0.0;    ///< of the intervals for a verdict of this look
  double next_seconds = 0.0;  ///< until the next look; 0 after the last one
};

/// The look at a window of `seconds` in which jobs live `mean_life` seconds (0: not known yet),
/// which is measured for at most `cap` seconds. The first look is due after ten lives and two
/// seconds, or at the cap.
Look LookAt(double seconds, double mean_life, double cap);

/// How a step is measured.
struct StepPlan {
  std::uint32_t workers = 1;
  double scale = 1.8;
  double cap = 60.0;          ///< seconds
  std::uint32_t repeats = 1;  ///< planned for the validation
};

/// The result of a look at the window of a step.
struct StepLook {
  Look look;
  bool done = false;  ///< stop measuring
  StepRecord record;
  std::optional<StepVerdict> verdict;  ///< none: the first step of a repeat
};

/// Looks at the window of a step after `earlier` steps, and says whether it has been measured long
/// enough. When repeats are planned, only precision stops a step, never a verdict, so no repeat is
/// biased by when it ended.
StepLook LookAtStep(std::span<const StepRecord> earlier, const ThroughputEstimate& estimate,
                    const MeasuredWindow& window, const StepPlan& plan);

}  // namespace twofold::stats
