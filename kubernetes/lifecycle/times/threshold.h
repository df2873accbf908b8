#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kubernetes/lifecycle/times/span.h"
#include "lib/common/result.h"
#include "lib/stats/limit.h"

namespace twofold::lifecycle {

/// Counted things by name: {"lost", 3}.
using Counts = std::vector<std::pair<std::string, std::uint64_t>>;

/// What --fail-if says: "pod_ready_p99>5s", "created_mean>=250ms", "never_seen>0".
struct Threshold {
  std::string text;      ///< as it was given
  std::string name;      ///< of a span or of a count
  std::string stat;      ///< p50, p90, p99, mean, min, max; empty: a count
  stats::Limit limit{};  ///< seconds, or a number
};

/// Reads one. Errors  kInvalidArgument that shows the form.
Result<Threshold> ReadThreshold(const std::string& text);

/// OK if `threshold` does not hold. A percentile is judged by its interval, with `lenient` by its
/// value.
///
/// Errors   kInternal: it holds, or there is no value to hold it against: an empty set fails, and
///          so do a percentile and a max among what never came, whatever the sign.
///          kFailedPrecondition: it cannot be judged, as the interval holds the limit, or as
///          workloads ended the span before they began it.
///          kInvalidArgument: there is no such span or count; the message has the known names.
Status Check(const Threshold& threshold, const std::vector<SpanSummary>& spans,
             const Counts& counts, bool lenient = false);

}  // namespace twofold::lifecycle
