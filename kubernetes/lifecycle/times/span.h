#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "kubernetes/lifecycle/moments/kind.h"
#include "kubernetes/lifecycle/moments/moment.h"

namespace twofold::lifecycle {

/// A duration of which only an interval is known, in seconds. Infinite: the end was never seen.
struct Between {
  double low = 0.0;
  double high = 0.0;
  bool open = false;  ///< it is less than `high`, by however little

  [[nodiscard]] bool Came() const;
  /// It ended before it began, for certain.
  [[nodiscard]] bool IsNegative() const { return high < 0.0 || (open && high <= 0.0); }
  [[nodiscard]] double Middle() const { return (low + high) / 2.0; }
};

/// The time from one moment of a workload to another.
struct Span {
  std::string name;  ///< "pod_ready": from sending on; "created_to_first_pod": a step
  Moment from = Moment::kSent;
  Moment to = Moment::kSent;
};

/// What is measured of a kind: from sending to each moment; each step on the way, which add up; and
/// how far the pods of a gang are apart, if there are gangs, and how long claims wait, if there are
/// volumes.
std::vector<Span> SpansOf(const Kind& kind, bool gang = true, bool volumes = false);

/// Of one workload; nullopt: it never came to the first moment, so there is nothing to measure, nor
/// did a workload that has not failed. Missing ends stay missing.
std::optional<Between> Measure(const Span& span, const Sights& sights);

/// One quantile, and the interval that holds it: of chance, and of what was not seen exactly.
struct SpanQuantile {
  double q = 0.0;
  double value = 0.0;  ///< in its interval; infinite: so many never came
  double lower = 0.0;  ///< -infinity: there are too few values to say
  double upper = 0.0;  ///< infinity: the same
};

struct SpanSummary {
  std::string name;
  bool optional = false;     ///< not every cluster shows it: nobody having it is no loss
  std::size_t n = 0;         ///< that came
  std::size_t missing = 0;   ///< that began and never came; quantiles count them as infinitely late
  std::size_t inexact = 0;   ///< of which only an interval is known
  std::size_t negative = 0;  ///< that ended before they began, for certain: clocks disagree
  double mean = 0.0;         ///< of those that came
  double mean_lower = 0.0;
  double mean_upper = 0.0;
  double least = 0.0;
  double most = 0.0;
  std::vector<SpanQuantile> quantiles = {};  ///< p50, p90, p99; none if nothing began
};

/// The workloads' values of one span, in any order.
SpanSummary Summarize(const std::string& name, const std::vector<Between>& values);

/// Whether it says something. A span that many began and nobody ended does, if it ought to have
/// one.
bool IsShown(const SpanSummary& span);

/// "p50", "p99"
std::string QuantileName(double q);

}  // namespace twofold::lifecycle
