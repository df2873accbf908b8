#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

#include "lib/stats/measured_window.h"
#include "lib/stats/scaling.h"
#include "lib/stats/throughput.h"

/// How long a step of a scaling validation is measured: looks at its window, of which one is the
/// last. docs/statistics.md ("Looks") explains the rules.
namespace twofold::stats {

/// How long a window is measured.
struct Cap {
  double seconds = 60.0;
  /// Until then it goes on while a verdict is likely to come. Not more than `seconds`: it does not.
  double patience = 0.0;

  [[nodiscard]] double most() const { return std::max(seconds, patience); }
};

/// A look at a measurement that its verdict may stop. Every look spends a part of the 5 % of error
/// that the verdict may have (docs/statistics.md, "Verdict", as all rules here).
///
/// Source   J. Haybittle (1971) and R. Peto (1976); S. Pocock (1977); C. Jennison, B. Turnbull,
///          "Group Sequential Methods" (2000), chapter 2.6. The sum is found by simulation of
///          Brownian motion (tests/lib/stats/looks_test.cc).
struct Look {
  bool due = false;                 ///< the window is long enough to be looked at
  bool at_cap = false;              ///< it goes on only while a verdict is likely
  bool last = false;                ///< it does not go on
  double confidence = 0.0;          ///< of the intervals for a verdict of this look
  double confidence_if_last = 0.0;  ///< the same if no look comes after this one
  double next_seconds = 0.0;        ///< until the next look; 0 after the last one
};

/// The look at a window of `seconds` in which jobs live `mean_life` seconds (0: not known yet). The
/// first look is due after ten lives and two seconds, or at the cap.
Look LookAt(double seconds, double mean_life, const Cap& cap);

/// Whether another step will be compared with this one, so that it has to be known well.
enum class Next : std::uint8_t { kAlways, kUnlessFailed, kNever };

/// How a step is measured.
struct StepPlan {
  std::uint32_t workers = 1;
  double scale = 1.8;
  Cap cap{};
  std::uint32_t repeats = 1;  ///< planned; 0: as many as the verdicts of the first one ask for
  Next next = Next::kAlways;
  Pods pods = Pods::kAny;  ///< of which a verdict is wanted
};

/// When a step will be done if all stays as it is.
struct Expectation {
  double seconds = 0.0;  ///< of the window
  double lower = 0.0;    ///< of the interval of the ratio then; 0: no verdict is open
  double upper = 0.0;
};

/// The result of a look at the window of a step.
struct StepLook {
  Look look;
  bool done = false;  ///< stop measuring
  StepRecord record;
  std::optional<StepVerdict> verdict;   ///< none: the first step of a repeat
  std::optional<Expectation> expected;  ///< none: it is done, or time does not help
};

/// Looks at the window of a step after `earlier` steps, and says whether it has been measured long
/// enough. When repeats are planned, only precision stops a step, never a verdict, and the cap has
/// no patience, so no repeat is biased by when it ended.
///
/// Cost     2 ms.
StepLook LookAtStep(std::span<const StepRecord> earlier, const ThroughputEstimate& estimate,
                    const MeasuredWindow& window, const StepPlan& plan);

}  // namespace twofold::stats
