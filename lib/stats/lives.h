#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "lib/common/instant.h"
#include "lib/stats/histogram.h"
#include "lib/stats/worker_spread.h"

namespace twofold::stats {

/// How long jobs lived, and the expected credit of a job that is still alive.
///
/// Density is credit per second of life: 1 / life for a job that succeeded, 0 for one that failed.
///
/// Threads  Not thread-safe.
/// Cost     Add O(1), no allocation. ExpectedDensity O(5248 buckets), then O(1) a job. 82 KiB.
class Lives {
 public:
  Lives() : buckets_(kBuckets) {}

  /// `life` is more than 0.
  void Add(Duration life, bool succeeded);

  [[nodiscard]] std::uint64_t count() const { return seconds_.count(); }
  [[nodiscard]] std::uint64_t succeeded() const { return succeeded_; }
  [[nodiscard]] double MeanSeconds() const { return seconds_.mean(); }

  /// The third moment about the mean, in standard deviations: how much of the scatter a few long
  /// lives have. What differs by less than buckets do counts as equal. 0 without lives.
  [[nodiscard]] double Skewness() const;

  /// The relative standard error of the rate of successes if lives and successes are independent
  /// draws, the "renewal error" of docs/statistics.md. Infinity with fewer than two lives or
  /// without a success.
  [[nodiscard]] double RenewalError() const;

  /// E[density | life > age] over the lives that were added so far, as a function of age. Never
  /// more than 1 / age, so that the past of a stuck job is worth one job at most. If no job lived
  /// that long, the job counts as about to end: 1 / age x the share of successes.
  [[nodiscard]] std::function<double(Duration age)> ExpectedDensity() const;

  /// How many lives were at least a given length, and their sum; within 1/128 of the length.
  struct Tail {
    double count = 0.0;
    double seconds = 0.0;
  };
  [[nodiscard]] Tail From(Duration least) const;

 private:
  struct Bucket {
    std::uint64_t lives = 0;
    double density = 0.0;  // sum over the lives
  };

  [[nodiscard]] double SuccessShare() const;

  std::vector<Bucket> buckets_;
  Moments seconds_;
  std::uint64_t succeeded_ = 0;
};

}  // namespace twofold::stats
