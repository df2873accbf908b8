#pragma once

#include <queue>
#include <utility>
#include <vector>

#include "bench/peers/arrivals.h"

namespace twofold::bench {

/// Jobs that a worker "runs": each kept for a random time of its own, so that they end one by one.
/// As many at once as come: no peer's workers are limited.
///
/// Cost     O(log n) a job.
template <typename Job>
class HeldJobs {
 public:
  /// Run times are exponential with this mean; 0: jobs need not be held at all.
  HeldJobs(Duration mean, std::uint64_t seed) : at_once_(mean == Duration(0)), times_(mean, seed) {}

  [[nodiscard]] bool at_once() const { return at_once_; }

  void Hold(Instant now, Job job) { heap_.push({now + times_.Draw(), std::move(job)}); }

  [[nodiscard]] Instant NextDue() const {
    return heap_.empty() ? Instant::max() : heap_.top().until;
  }

  /// Calls visit(Job&) for each job whose time has come, earliest first.
  template <typename Visit>
  void TakeDue(Instant now, Visit&& visit) {
    while (NextDue() <= now) {
      Job job = heap_.top().job;
      heap_.pop();
      visit(job);
    }
  }

 private:
  struct Held {
    Instant until;
    Job job;
    friend bool operator<(const Held& a, const Held& b) { return a.until > b.until; }
  };

  bool at_once_;
  ExponentialTimes times_;
  std::priority_queue<Held> heap_;
};

}  // namespace twofold::bench
