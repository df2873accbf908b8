#pragma once

#include <string>

#include "lib/common/result.h"
#include "lib/stats/censored_times.h"
#include "lib/stats/histogram.h"
#include "lib/suite/measurements.h"
#include "twofold/v1/spec/histogram.pb.h"

/// Durations that programs of ours report.
namespace twofold::suite {

v1::Histogram ToMessage(const stats::Histogram& histogram);
v1::Histogram ToMessage(const stats::Histogram::Parts& parts);

/// Errors   kDataLoss: no histogram can have these numbers.
Result<stats::Histogram> FromMessage(const v1::Histogram& message);

/// Adds what a histogram says: `NAME_mean`, `_p50`, `_p90`, `_p99`, `_p99_9` and `_max` in us, the
/// p99 as a headline if `headline`, and its buckets as the series `NAME`, columns "time" (the
/// lowest of the bucket) in us and "count". An empty one adds nothing.
void AddLatencies(const std::string& name, const stats::Histogram& histogram,
                  const Dimensions& dimensions, bool headline, Measurements& result);

/// As above, with requests that have not ended: what they hide is left out, as it is not known.
void AddLatencies(const std::string& name, const stats::CensoredTimes& times,
                  const Dimensions& dimensions, bool headline, Measurements& result);

}  // namespace twofold::suite
