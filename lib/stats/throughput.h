#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/common/instant.h"
#include "lib/stats/fluid_bins.h"
#include "lib/stats/lives.h"
#include "lib/stats/measured_window.h"

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
  double lower = 0.0;           ///< 95 % interval of throughput; 0 if it SaysNothing
  double upper = 0.0;           ///< infinity if it SaysNothing, as if log_error is infinite
  int batches = 0;              ///< parts among which a step is looked for; 0: too short a window
  double mean_life = 0.0;       ///< seconds that a worker had a job that ended; 0 until one has
  std::uint64_t jobs_needed = 0;  ///< that must have ended before a look at it may be the last one
  bool usable = false;            ///< long enough for a verdict, which copes with changes itself
  bool steady = false;            ///< whether the interval can be relied on
  std::string reason;             ///< why not, for people; empty if steady

  /// Whether throughput is known within `share` of it to who asks again and again, until it is. It
  /// is not before `jobs_needed` have ended: 500, of which one in a hundred is missing in less than
  /// 1 % of the cases, or 25 times the square of the skewness of their lives.
  /// Source   W. Cochran, "Sampling Techniques" (1977), 2.15.
  [[nodiscard]] bool IsKnownWithin(double share) const;

  /// Seconds that the window should go on until IsKnownWithin `share`, if jobs scatter as they did:
  /// the error falls with the square root of the window. nullopt: no error is known yet, or time
  /// alone does not help, as the window is not steady.
  [[nodiscard]] std::optional<double> SecondsUntilKnownWithin(double share) const;
};

/// Estimates the throughput of a window of time, wherever the window cuts the jobs: a job's one
/// unit of work flows evenly over its life [begun, ended], in which a worker has it, and the window
/// gets the part inside. Jobs that are at work at its end count by what is expected of their ages.
/// docs/statistics.md ("Throughput", "Error and interval", "Warm-up and steadiness") has the
/// formulas, why the estimate is unbiased, and its conditions.
///
/// Time     Callers pass instants of one clock. `now` of Estimate is not before any end.
/// Threads  Not thread-safe.
/// Cost     Ended O(1), an allocation for a new worker. Estimate a ninth of Measured, and 0.2 ms.
///          88 KiB, and 3 KiB for each worker, 192 KiB at most.
/// Source   lib/stats/evidence.h; renewal counts: any text on simulation output (Law, Kelton).
class ThroughputWindow {
 public:
  explicit ThroughputWindow(Instant start) : start_(start) {}

  /// A job ended that a worker had from `begun` on, perhaps before the window. A job that ended
  /// before it is ignored. `worker`: a small number of its own; nullopt: not known.
  void Ended(Instant begun, Instant ended, bool succeeded,
             std::optional<std::uint32_t> worker = std::nullopt);

  /// A job failed that no worker had.
  void NeverBegan() { ++never_began_; }

  /// The estimate for [start, now]. `at_work`: since when workers have had jobs that have not
  /// ended.
  [[nodiscard]] ThroughputEstimate Estimate(Instant now, std::span<const Instant> at_work) const;

  /// The same window as a verdict needs it: the same credit, told apart by worker. Whose the jobs
  /// at work are is not known; the one that began last is taken to be of the worker that ended one
  /// last, and so on. What is of no known worker counts as that of all alike, so it says nothing
  /// about how they differ. Not known (IsKnown) until a job has succeeded.
  ///
  /// Cost     O(at work x log + 64 groups x 128), and that of MeasureGroups.
  [[nodiscard]] MeasuredWindow Measured(Instant now, std::span<const Instant> at_work) const;

 private:
  static constexpr std::size_t kMostWorkers = 64;  ///< more of them share credit

  [[nodiscard]] MeasuredWindow MeasuredUpTo(std::size_t most_cut, Instant now,
                                            std::span<const Instant> at_work) const;
  [[nodiscard]] FluidBins WithThoseAtWork(Instant now, std::span<const Instant> at_work) const;
  [[nodiscard]] std::string WhyNotSteady(Instant now, std::span<const Instant> at_work,
                                         const FluidBins& credit, int batches) const;
  [[nodiscard]] bool IsNatural(Duration hole, Instant now, std::span<const Instant> at_work) const;

  [[nodiscard]] std::vector<FluidBins> ByWorker(Instant now,
                                                std::span<const Instant> at_work) const;
  [[nodiscard]] std::vector<double> MembersByWorker() const;

  Instant start_;
  FluidBins credit_;
  std::vector<FluidBins> by_worker_;                // the same, by worker modulo kMostWorkers
  std::vector<std::optional<Instant>> last_ended_;  // by worker; nullopt: none has
  FluidBins busy_;                                  // how many workers had jobs that have ended
  Lives lives_;
  std::uint64_t never_began_ = 0;
};

}  // namespace twofold::stats
