#pragma once

namespace twofold::stats {

/// A look at a measurement that its verdict may stop. Looks are due each time the window has grown
/// by half, up to its cap. Every look spends a part of the 5 % of error that the verdict may have:
/// 0.3 % before the cap and 3.5 % at it. That is 5 % in all for a cap of up to thirty times the
/// first look, and 6 % for a hundred times.
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

}  // namespace twofold::stats
