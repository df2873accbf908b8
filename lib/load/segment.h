#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "lib/common/instant.h"
#include "lib/load/job_entry.h"
#include "lib/stats/censored_times.h"
#include "lib/stats/histogram.h"
#include "lib/stats/throughput.h"

namespace twofold::load {

/// Times of the jobs that were planned in a segment. All but `late` are of those that succeeded;
/// the first two know the ages of those that have not ended.
struct Times {
  stats::CensoredTimes from_plan;
  stats::CensoredTimes from_send;
  stats::Histogram wait;
  stats::Histogram run;
  stats::Histogram overhead;  ///< from_send - wait - run
  stats::Histogram late;      ///< planned to sent, of an open loop's jobs that were sent
  /// Overheads that came out negative, as three clocks drift apart or a worker lies; they count as
  /// 0.
  std::uint64_t clamped = 0;

  void Record(const JobEntry& job);
};

/// A stretch of a load's time: the jobs that were planned in it, whenever they ended, and the
/// throughput of its time, whenever the jobs were planned. So segments that follow each other add
/// up, and a system that falls behind does not look fast.
///
/// Time     Callers pass instants of one clock.
/// Threads  Not thread-safe.
/// Cost     O(1) a job. 420 KiB.
class Segment {
 public:
  explicit Segment(Instant begin) : begin_(begin), throughput_(begin) {}

  void Planned(Instant planned) { counts_.planned += Has(planned) ? 1U : 0U; }
  /// For the first time. `open_loop`: whether the plan gave the moment.
  void Sent(Instant planned, Instant sent, bool open_loop);
  void Ended(const JobEntry& job);
  /// A job was planned and nobody will send it any more.
  void GivenUp(Instant planned, Instant now);

  /// The time ends: jobs that are planned from now on belong to others. `at_work` as for Estimate.
  void Close(Instant end, std::span<const Instant> at_work);

  /// For the time until now, or until it was closed. `at_work`: since when workers have had jobs.
  [[nodiscard]] stats::ThroughputEstimate Estimate(Instant now,
                                                   std::span<const Instant> at_work) const;

  /// The same until now, as a verdict needs it. REQUIRES: it is not closed.
  [[nodiscard]] stats::MeasuredWindow Measured(Instant now,
                                               std::span<const Instant> at_work) const {
    return throughput_.Measured(now, at_work);
  }

  /// With the ages of those of `open` that were planned in it.
  [[nodiscard]] Times TimesWith(std::span<const OpenJob> open, Instant now) const;
  [[nodiscard]] const Times& times() const { return times_; }
  [[nodiscard]] const JobCounts& counts() const { return counts_; }
  [[nodiscard]] Instant begin() const { return begin_; }
  [[nodiscard]] std::optional<Instant> end() const { return end_; }
  [[nodiscard]] bool Has(Instant planned) const {
    return planned >= begin_ && (!end_ || planned < *end_);
  }

 private:
  Instant begin_;
  std::optional<Instant> end_;
  stats::ThroughputWindow throughput_;
  stats::ThroughputEstimate closed_;
  Times times_;
  JobCounts counts_;
};

}  // namespace twofold::load
