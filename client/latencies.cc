#include "client/latencies.h"

#include <algorithm>

namespace twofold::client {

void Latencies::Record(Duration wait, Duration run, Duration round_trip) {
  // Compared without a sum: what comes from outside may be as large as it likes.
  const Duration rest = round_trip - std::min(wait, round_trip);
  const bool negative = wait > round_trip || run > rest;
  if (negative) ++clamped_;
  Of(Part::kWait).Record(wait);
  Of(Part::kRun).Record(run);
  Of(Part::kOverhead).Record(negative ? Duration(0) : rest - run);
  Of(Part::kRoundTrip).Record(round_trip);
}

LatencySummary Latencies::Summary(Part part) const {
  const stats::Histogram& histogram = histograms_[static_cast<std::size_t>(part)];
  return {.max = histogram.Max(),
          .avg = histogram.Mean(),
          .min = histogram.Min(),
          .p50 = histogram.Quantile(0.5),
          .p90 = histogram.Quantile(0.9),
          .p99 = histogram.Quantile(0.99),
          .p999 = histogram.Quantile(0.999)};
}

}  // namespace twofold::client
