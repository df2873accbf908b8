#pragma once

#include <cstdint>
#include <string_view>

namespace twofold::stats {

/// A value and the interval that holds the true one; infinite bounds are no bounds.
struct Bounded {
  double value = 0.0;
  double lower = 0.0;
  double upper = 0.0;
};

/// Whether an interval of something above 0 is so wide that no reader can use it. Results then have
/// 0 and infinity instead, which is no interval, and words say that too little was seen.
bool SaysNothing(double lower, double upper);

/// A throughput and how well it is known; see ThroughputEstimate for the words.
struct Rate {
  double throughput = 0.0;
  double log_error = 0.0;
  double degrees = 1.0;
  double seconds = 0.0;  ///< length of the window it comes from
};

/// Whether there is something to compare: a throughput above 0 with a finite error.
bool IsKnown(const Rate& rate);

/// Half the width of the interval of ln(now / base), both known: errors add in squares, Student's t
/// with the degrees of freedom of Welch and Satterthwaite.
double LogHalfWidth(const Rate& base, const Rate& now, double confidence);

enum class Verdict : std::uint8_t {
  kPass,       ///< the whole interval is at or above the limit
  kFail,       ///< the whole interval is below the limit
  kUndecided,  ///< the limit is inside
};

/// What the interval [lower, upper] of a ratio says about the limit.
Verdict Judge(double lower, double upper, double limit);

/// "pass", "fail", "undecided"
std::string_view Name(Verdict verdict);

/// The longest advised measurement, 30 days; it means "no time is enough".
inline constexpr double kLongestSeconds = 30.0 * 24 * 3600;

struct Comparison {
  double ratio = 0.0;  ///< now / base
  double lower = 0.0;  ///< interval of the ratio
  double upper = 0.0;
  Verdict verdict = Verdict::kUndecided;

  /// If undecided: how much longer `now` must be measured, with `base` as it is, until the interval
  /// would decide at this same ratio. kLongestSeconds if no time is enough: the ratio is too near
  /// the limit, or the error of `base` alone is too large.
  double more_seconds = 0.0;

  /// The same if both windows are measured that much longer.
  double more_seconds_each = 0.0;
};

/// Judges whether now.throughput is at least `limit` (more than 0) times base.throughput.
///
/// The interval is that of LogHalfWidth. `confidence` is two-sided: at 0.95 a true ratio just at
/// the limit passes in 2.5 % of the comparisons and fails in 2.5 %, if each is made once; scaling.h
/// is for repeated looks. The times assume that the error shrinks with 1 / sqrt(time) and that the
/// degrees of freedom stay.
///
/// With a rate of 0 or an infinite error the interval is 0..infinity and the verdict undecided; so
/// is an interval that leaves it undecided and SaysNothing.
Comparison Compare(const Rate& base, const Rate& now, double limit, double confidence = 0.95);

/// The value that a Student t variable with `degrees` of freedom (more than 0, fractions allowed;
/// less than 0.1 counts as 0.1, whose quantiles say as little) stays under with `probability`
/// (0..1, both excluded).
double StudentQuantile(double probability, double degrees);

/// Half the width of a two-sided interval, in standard errors: StudentQuantile(0.975, ...) for
/// 0.95.
inline double StudentFactor(double confidence, double degrees) {
  return StudentQuantile(0.5 + confidence / 2.0, degrees);
}

/// Of an interval that somebody looks at again and again until it is narrow enough: it ends at a
/// narrow one by chance, too, and so holds the truth in about 95 % (docs/statistics.md).
inline constexpr double kConfidenceOfLooks = 0.98;

}  // namespace twofold::stats
