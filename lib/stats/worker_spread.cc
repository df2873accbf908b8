#include "lib/stats/worker_spread.h"

#include <cmath>

namespace twofold::stats {

double WorkerTimes::LogVariance() const {
  const auto n = static_cast<double>(count_);
  return squares_ / (n - 1.0) / n / (mean_ * mean_);
}

Spread BetweenWorkers(std::span<const WorkerTimes> workers) {
  double count = 0.0;
  double mean = 0.0;
  double squares = 0.0;
  double explained = 0.0;
  for (const WorkerTimes& worker : workers) {
    if (worker.count() < 2) continue;
    const double log_time = std::log(worker.mean());
    const double distance = log_time - mean;
    mean += distance / ++count;
    squares += distance * (log_time - mean);
    explained += worker.LogVariance();
  }
  if (count < 2.0) return {};
  return {squares / (count - 1.0) - explained / count, count - 1.0};
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
