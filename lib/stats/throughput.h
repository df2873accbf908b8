#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "lib/common/instant.h"
#include "lib/stats/fluid_bins.h"
#include "lib/stats/lives.h"

namespace twofold::stats {

/// What a window shows about the throughput of a system.
struct ThroughputEstimate {
  double seconds = 0.0;         ///< length of the window
  std::uint64_t succeeded = 0;  ///< jobs that ended in the window
  std::uint64_t failed = 0;     ///< jobs that ended without success; they give no throughput
  double counted = 0.0;         ///< succeeded / seconds; depends on where the window cuts a wave
  double throughput = 0.0;      ///< successes per second, the fluid estimate; 0 until one is known
  double log_error = 0.0;       ///< standard error of ln(throughput); infinity if not known
  double degrees = 1.0;         ///< degrees of freedom of log_error
  double drift = 0.0;           ///< change over the window of the straight line through it / mean
  double lower = 0.0;           ///< 95 % interval of throughput
  double upper = 0.0;           ///< infinity if log_error is
  int batches = 0;              ///< parts that the halves are compared by; 0: too short a window
  double mean_life = 0.0;       ///< of the jobs that ended, seconds; 0 until one has
  bool steady = false;          ///< whether the interval can be relied on
  std::string reason;           ///< why not, for people; empty if steady

  /// Whether throughput is known within `share` of it to who asks again and again, until it is.
  [[nodiscard]] bool IsKnownWithin(double share) const;
};

/// Estimates the throughput of a window of time, wherever the window cuts the jobs.
///
/// Sixteen workers with jobs of equal length finish sixteen jobs at a time, so "jobs ended /
/// seconds" jumps by sixteen jobs with the end of the window. The fluid estimate spreads a
/// job's one unit of work evenly over its life [submitted, ended], and the window gets the part
/// inside:
///
///   ended in the window, begun in it     1
///   ended in the window, begun before    the fraction of its life inside
///   in flight at the end, at age A       (time inside) x E[1/S | S > A], S = lives of ended jobs
///
/// Unbiased  Jobs begin at a rate q in a steady state. Known lives S would give each moment the
///           expected credit q E[S x 1/S] = q, which is the throughput. Of a job in flight only
///           the age A is known; it gets the expectation of 1/S at that age, so the expectation of
///           the sum stays q. The end of the window need not be random.
/// Holds if  the state is steady: lives come from one distribution (lanes may differ, lives need
///           not be independent of each other) and begin at all phases alike, or are all equal,
///           when phases do not matter; and the end is not chosen by looking at the estimate.
/// Else      Jobs of unequal lives that all begin with the window are over-credited during about
///           one life: warm up first. Lives longer than the window never end in it, so they are
///           not in E: windows need eight mean lives to be called steady. A rate that changes
///           gives the mean rate, and steady = false if the change shows between the halves. A
///           stuck job is worth one job a window at most, and less in each later one.
///
/// The error is the one of two that gives the wider interval: that of the scatter of the window's
/// parts, for noise that may last several lives (ErrorOfMean; it sees what no theory knows: pauses,
/// neighbours, lanes that slow each other), and the renewal error (see Lives; it cannot look small
/// by luck). So intervals are rather too wide: of independent lives, 95 % intervals contain the
/// truth in 98 to 99 % of the windows. Equal lives in waves have error 0.
///
/// Time     Callers pass instants of one clock. `now` of Estimate is not before any end.
/// Threads  Not thread-safe.
/// Cost     Ended O(1), no allocation. Estimate O(in flight + 5248). 85 KiB.
/// Source   ErrorOfMean; renewal counts: any text on simulation output (Law, Kelton).
class ThroughputWindow {
 public:
  explicit ThroughputWindow(Instant start) : start_(start) {}

  /// A job ended; `submitted` may be before the window. One that ended before it is ignored.
  void Ended(Instant submitted, Instant ended, bool succeeded);

  /// The estimate for [start, now]. `in_flight` has the submit instants of all jobs not yet ended.
  [[nodiscard]] ThroughputEstimate Estimate(Instant now, std::span<const Instant> in_flight) const;

 private:
  [[nodiscard]] FluidBins WithInFlight(Instant now, std::span<const Instant> in_flight) const;
  [[nodiscard]] std::string WhyNotSteady(Instant now, std::span<const Instant> in_flight,
                                         const FluidBins& credit, int batches) const;
  [[nodiscard]] bool IsNatural(Duration hole, Instant now,
                               std::span<const Instant> in_flight) const;

  Instant start_;
  FluidBins credit_;
  Lives lives_;
};

}  // namespace twofold::stats
