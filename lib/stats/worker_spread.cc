#include "lib/stats/worker_spread.h"

#include <cmath>

namespace twofold::stats {
namespace {

/// The variance of ln(mean) that comes from the scatter of the times.
double LogVariance(const Moments& times) {
  return times.Variance() / static_cast<double>(times.count()) / (times.mean() * times.mean());
}

}  // namespace

Spread BetweenWorkers(std::span<const Moments> workers) {
  Moments log_times;
  double explained = 0.0;
  for (const Moments& worker : workers) {
    if (worker.count() < 2) continue;
    log_times.Add(std::log(worker.mean()));
    explained += LogVariance(worker);
  }
  if (log_times.count() < 2) return {};
  const auto count = static_cast<double>(log_times.count());
  return {log_times.Variance() - explained / count, count - 1.0};
}

Spread Pooled(std::span<const Spread> spreads) {
  Spread pooled;
  for (const Spread& spread : spreads) {
    pooled.variance += spread.variance * spread.degrees;
    pooled.degrees += spread.degrees;
  }
  if (pooled.degrees > 0.0) pooled.variance /= pooled.degrees;
  return pooled;
}

}  // namespace twofold::stats
