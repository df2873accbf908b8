#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "lib/stats/scaling.h"

/// What a scaling validation found, in words: reports, the load client's page /verdict and, by
/// that, validate-scaling.sh all take them from here. Pure.
namespace twofold {

/// Of the throughput of a step, beside that of the step before it.
enum class Growth : std::uint8_t { kNotCompared, kEnough, kTooLittle, kUndecided };

/// A step over all repeats. Numbers that are not known are 0.
struct ScalingStep {
  std::uint32_t workers = 1;
  Growth growth = Growth::kNotCompared;
  double ratio = 0.0;
  double lower = 0.0;  ///< of the 95 % interval of `ratio`
  double upper = 0.0;  ///< 0 or infinity: too little was seen for an interval
  double limit = 0.0;
  std::string why{};         ///< of kUndecided, without a full stop
  std::uint64_t jobs = 0;    ///< that ended
  std::uint64_t failed = 0;  ///< of these
  double allowed = 0.0;      ///< share of the jobs that may fail
  bool all_failed = false;   ///< so that it was the last step
  std::string error{};       ///< that most of the failed jobs had

  /// Whether too many jobs failed.
  [[nodiscard]] stats::Verdict Failures() const;
};

struct ScalingFound {
  double scale = 1.8;                ///< least ratio for twice the workers
  std::vector<ScalingStep> steps{};  ///< each is compared with the one before it
};

/// Why a validation has its verdict.
enum class ScalingCause : std::uint8_t {
  kGrew,
  kNothingCompared,     ///< one step at most, in which no job failed
  kTooLittle,           ///< the throughput of a step grew too little
  kTooLittleAndFailed,  ///< that, and jobs failed
  kFailed,              ///< jobs failed: all of a step, or nothing was compared
  kGrewButFailed,       ///< jobs failed; all steps that were compared grew enough
  kUndecidedAndFailed,  ///< jobs failed; of a step nobody knows whether it grew enough
  kUndecided,           ///< of a step nobody knows whether it grew enough, or too many jobs failed
};
ScalingCause CauseOf(const ScalingFound& found);

/// What follows from the cause: too many failed jobs and any step that grew too little is a fail.
stats::Verdict VerdictOf(ScalingCause cause);

/// The word for a step in tables: that of its growth, and what failed jobs add to it.
///   "pass", "pass+failures", "pass+failures?"
std::string WordOf(std::string growth, stats::Verdict failures);

/// "2 of 854 jobs of 16 workers failed: exit code 1", "2 of 100 jobs of 4 workers failed (2 %, 95
/// %: 0.24 % to 7 %; 1 % allowed)"
std::string TextOfFailures(const ScalingStep& step);

/// One to four sentences, the first of which says verdict, cause and numbers:
///   "Fail: jobs failed, though the throughput grew enough: 2 of 854 jobs of 16 workers failed:
///   exit code 1."
std::string HeadlineOf(const ScalingFound& found);

/// One step by itself, for the check that it is:
///   "2 workers did 2.03 (95 %: 2.01 to 2.05) times the work of 1, limit 1.8; 3 of 90 jobs of 2
///   workers failed: exit code 1"
/// REQUIRES: `index` is that of a step.
std::string TextOfStep(const ScalingFound& found, std::size_t index);

/// Of a validation without a verdict; `reason` may be empty.
///   "No verdict: the workers changed. Measured until then: 1, 2 workers."
std::string HeadlineWithoutVerdict(const std::string& reason, const ScalingFound& found);

/// Why the verdict on `pods` is undecided; empty if it is not.
std::string WhyUndecided(const stats::StepVerdict& step, stats::Pods pods);

/// Instead of an interval that would say nothing (stats::SaysNothing).
inline constexpr const char* kTooLittleSeen = "too little was seen for an interval";

/// What a validation whose steps were measured once cannot see.
inline constexpr const char* kMeasuredOnce =
    "Each step was measured once: a change of all workers just between two steps, or a first step "
    "whose pods differ from others, would not show; repeats show it.";

/// What both windows of a step leave out as a warm-up; empty if they leave out nothing.
///   "first 31 s left out: jobs were 28 % slower"
std::string LeftOut(const stats::StepVerdict& step);

}  // namespace twofold
