#include "lib/stats/comparison.h"

#include <algorithm>
#include <array>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>

#include "lib/stats/summary.h"

namespace twofold::stats {
namespace {

/// The rate as it would be after more measuring.
Rate After(double more_seconds, Rate rate) {
  rate.log_error *= std::sqrt(rate.seconds / (rate.seconds + more_seconds));
  rate.seconds += more_seconds;
  return rate;
}

/// The error of ln(now / base), and its degrees of freedom.
struct LogError {
  double error = 0.0;
  double degrees = 1.0;
};

LogError Together(const Rate& base, const Rate& now) {
  const double base_variance = Squared(base.log_error);
  const double now_variance = Squared(now.log_error);
  const double variance = base_variance + now_variance;
  if (variance == 0.0) return {};
  // Shares instead of squares of variances: tiny errors must not underflow.
  return {std::sqrt(variance), 1.0 / (Squared(base_variance / variance) / base.degrees +
                                      Squared(now_variance / variance) / now.degrees)};
}

Comparison WithInterval(const Rate& base, const Rate& now, double limit, double confidence) {
  Comparison result;
  const double factor = std::exp(LogHalfWidth(base, now, confidence));
  result.ratio = now.throughput / base.throughput;
  result.lower = result.ratio / factor;
  result.upper = result.ratio * factor;
  result.verdict = Judge(result.lower, result.upper, limit);
  return result;
}

/// The least time in (0, kLongestSeconds] for which `decides(time)`, to a thousandth of it, from
/// above; kLongestSeconds if there is none.
template <typename Decides>
double LeastTime(Decides decides) {
  double high = kLongestSeconds;
  if (!decides(high)) return high;
  double low = 1e-9;
  while (high > low * 1.001) {
    const double middle = std::sqrt(low * high);
    (decides(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace

bool SaysNothing(double lower, double upper) {
  constexpr double kFactor = 10.0;  // between its ends
  return upper > kFactor * lower;
}

bool IsKnown(const Rate& rate) { return rate.throughput > 0.0 && std::isfinite(rate.log_error); }

double LogHalfWidth(const Rate& base, const Rate& now, double confidence) {
  const LogError both = Together(base, now);
  return both.error == 0.0 ? 0.0 : StudentFactor(confidence, both.degrees) * both.error;
}

Verdict Judge(double lower, double upper, double limit) {
  if (lower >= limit) return Verdict::kPass;
  return upper < limit ? Verdict::kFail : Verdict::kUndecided;
}

std::string_view Name(Verdict verdict) {
  static constexpr std::array<std::string_view, 3> kNames = {"pass", "fail", "undecided"};
  return kNames[static_cast<std::size_t>(verdict)];
}

Comparison Compare(const Rate& base, const Rate& now, double limit, double confidence) {
  if (!IsKnown(base) || !IsKnown(now)) {
    return {.ratio = base.throughput > 0.0 ? now.throughput / base.throughput : 0.0,
            .upper = std::numeric_limits<double>::infinity(),
            .more_seconds = kLongestSeconds,
            .more_seconds_each = kLongestSeconds};
  }
  Comparison result = WithInterval(base, now, limit, confidence);
  if (result.verdict != Verdict::kUndecided) return result;
  const auto decided = [&](const Rate& later_base, const Rate& later_now) {
    return WithInterval(later_base, later_now, limit, confidence).verdict != Verdict::kUndecided;
  };
  result.more_seconds = LeastTime([&](double more) { return decided(base, After(more, now)); });
  result.more_seconds_each =
      LeastTime([&](double more) { return decided(After(more, base), After(more, now)); });
  if (SaysNothing(result.lower, result.upper)) {
    result.lower = 0.0;
    result.upper = std::numeric_limits<double>::infinity();
  }
  return result;
}

double StudentQuantile(double probability, double degrees) {
  // With fewer degrees a quantile may be more than a double can be, which Boost throws.
  return boost::math::quantile(boost::math::students_t(std::max(degrees, 0.1)), probability);
}

}  // namespace twofold::stats
