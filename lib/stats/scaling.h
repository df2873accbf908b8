#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "lib/stats/comparison.h"
#include "lib/stats/measured_window.h"
#include "lib/stats/worker_spread.h"

/// Verdicts of a scaling validation: does twice the workers do twice the work?
///
/// A validation measures steps of 1, 2, 4 ... workers, and may repeat all of them with new pods.
/// Each step is compared with the one before, twice: *these pods* covers only noise over time, so
/// it holds for the measured pods; *any pods* also covers how much workers differ, so it holds for
/// the pods of another deployment.
namespace twofold::stats {

/// Confidence of a verdict that is made once, and of each one where a second one may be made.
inline constexpr double kOnce = 0.95;
inline constexpr double kOneOfTwo = 0.97;

/// The record of a measured step.
struct StepRecord {
  std::uint32_t workers = 1;
  MeasuredWindow window;
  double confidence = kOnce;  ///< of the look that ended the step (lib/stats/looks.h)
  bool steady = true;         ///< ThroughputEstimate::usable
  std::uint64_t jobs = 0;     ///< that ended
  std::uint64_t failed = 0;   ///< of these
};

/// An interval of a ratio, and what it says about the limit.
struct RatioInterval {
  double lower = 0.0;
  double upper = 0.0;  ///< infinity: too little was seen for an interval
  Verdict verdict = Verdict::kUndecided;
};

/// Why a step is undecided for any pods.
enum class Doubt : std::uint8_t {
  kNone,         ///< it is decided
  kNotMeasured,  ///< a throughput is not known
  kNotSteady,    ///< a window was not steady
  kOneWorker,    ///< nothing says how much workers differ
  kNoise,        ///< the limit is inside the interval, most of all for noise of time
  kWorkers,      ///< the same, most of all as workers differ
};

/// Which pods a verdict speaks of.
enum class Pods : std::uint8_t { kAny, kThese };

/// A step beside the one before, over all repeats.
struct StepVerdict {
  std::uint32_t workers = 1;
  std::uint32_t base_workers = 1;
  std::uint32_t repeats = 1;
  double limit = 0.0;
  double throughput = 0.0;  ///< geometric mean of the repeats
  double ratio = 0.0;       ///< the same; 0: not known
  RatioInterval these_pods{};
  RatioInterval any_pods{};
  double cut = 0.0;         ///< seconds that both windows leave out as a warm-up; the longest
  double cut_change = 0.0;  ///< speed in that time / speed afterwards - 1, where it shows most
  double time_width = 0.0;  ///< half the width of the interval of ln(ratio): noise of time, drift
  double pods_width =
      0.0;  ///< the same: workers that differ, or repeats that do. any: both squared
  /// Repeats with new pods, these included, that would decide for any pods at this ratio; 0:
  /// decided, or no number would (the ratio is at the limit, or time_width alone is too large).
  std::uint32_t repeats_needed = 0;
  Doubt doubt = Doubt::kNone;
  std::uint32_t doubtful_workers = 0;  ///< of the step that was not measured, or not steady
  double spread = 0.0;                 ///< between workers: standard deviation of ln(speed)

  [[nodiscard]] const RatioInterval& Of(Pods pods) const {
    return pods == Pods::kAny ? any_pods : these_pods;
  }
};

struct ScalingVerdict {
  Spread spread;  ///< pooled over all steps and repeats
  std::vector<StepVerdict> steps;
};

/// Judges all steps that have a smaller one before them in their repeat. `records` are in the order
/// in which they were measured; a repeat begins where the number of workers does not grow. `scale`
/// (more than 0) is the least ratio for twice the workers; for f times it is scale^log2(f).
///
/// A step with a window that was not steady is undecided; so is any step for any pods if no window
/// had two workers.
///
/// Cost     0.5 ms a step without repeats.
/// Source   lib/stats/evidence.h, docs/statistics.md ("The test").
ScalingVerdict JudgeScaling(std::span<const StepRecord> records, double scale);

/// The last of `records` beside the one before it, which it has in its repeat: as if these two were
/// measured once, while all windows say how much workers differ.
StepVerdict JudgeLastStep(std::span<const StepRecord> records, double scale);

/// Whether `record` begins a repeat when it comes after `before` (null: nothing).
bool BeginsRepeat(const StepRecord* before, const StepRecord& record);

/// Repeats that a validation makes by itself, at most.
inline constexpr std::uint32_t kMostMadeRepeats = 10;

/// How many repeats to make where `needed` would decide: half as many again, as the ratio that was
/// seen may be off by luck, and `most` at most. 0: that would not be enough.
std::uint32_t RepeatsToMake(std::uint32_t needed, std::uint32_t most);

}  // namespace twofold::stats
