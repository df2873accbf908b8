#include "lib/stats/worker_spread.h"

#include <cmath>

#include "lib/stats/comparison.h"

namespace twofold::stats {
namespace {

/// The variance of ln(mean) that comes from the scatter of the times.
double LogVariance(const Moments& times) {
  return times.Variance() / static_cast<double>(times.count()) / (times.mean() * times.mean());
}

constexpr double kLeastExcess = 0.05;  // of the mean worker's time
constexpr double kChance = 0.05;       // that one of all workers looks slow

}  // namespace

void Moments::Merge(const Moments& other) {
  if (other.count_ == 0) return;
  const auto mine = static_cast<double>(count_);
  const auto others = static_cast<double>(other.count_);
  const double distance = other.mean_ - mean_;
  mean_ += distance * others / (mine + others);
  squares_ += other.squares_ + distance * distance * mine * others / (mine + others);
  count_ += other.count_;
}

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

std::optional<Straggler> SlowestWorker(std::span<const Moments> workers) {
  Moments means;
  std::optional<std::size_t> slowest;
  for (std::size_t i = 0; i < workers.size(); ++i) {
    if (workers[i].count() < 2) continue;
    means.Add(workers[i].mean());
    if (!slowest || workers[i].mean() > workers[*slowest].mean()) slowest = i;
  }
  if (means.count() < 3) return std::nullopt;
  const Moments& times = workers[*slowest];
  const auto count = static_cast<double>(times.count());
  const double error = std::sqrt(times.Variance() / count);
  const double confidence = 1.0 - kChance / static_cast<double>(means.count());
  const double excess = times.mean() - means.mean();
  const bool is_chance = excess <= error * StudentFactor(confidence, count - 1.0);
  if (is_chance || excess < kLeastExcess * means.mean()) return std::nullopt;
  return Straggler{*slowest, excess / means.mean()};
}

}  // namespace twofold::stats
