#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "lib/common/instant.h"
#include "lib/load/counts.h"
#include "lib/stats/histogram.h"
#include "lib/stats/throughput.h"

namespace twofold::load {

/// The times and the place of one answered job.
struct Answer {
  Instant submitted;
  Instant due;  ///< when it was to be submitted
  Instant ended;
  Duration wait{};
  Duration run{};
  Places::Index place = 0;
};

/// Times that only an open loop has: in a closed one a job is due when it is sent.
struct OpenTimes {
  stats::Histogram from_plan;  ///< due to its answer, of jobs that succeeded
  stats::Histogram late;       ///< due to sent, of all jobs that were sent
  std::uint64_t sent = 0;
  std::uint64_t sent_late = 0;  ///< by more than kLateAfter
};

/// The throughput of the time from one instant to another, and the times of the jobs that were due
/// in it.
///
/// A job that ends in that time counts as succeeded or failed, whenever it was due; the throughput
/// counts the tally's share of it (lib/stats). Times count jobs by the instant at which they were
/// due, also if they end after the tally is closed: else a system that falls behind would look
/// fast.
///
/// Time     Callers pass instants of one clock.
/// Threads  Not thread-safe.
/// Cost     O(1) a job. 250 KiB; an open loop takes 80 KiB more.
class Tally {
 public:
  explicit Tally(Instant start) : start_(start), throughput_(start) {}

  /// Optional: counts the jobs that were due in its time.
  void Submitted(Instant due) {
    if (Has(due)) ++submitted_;
  }

  /// A job of an open loop was sent.
  void Sent(Instant now, Instant due);

  void Ended(const Answer& job, bool succeeded);

  /// The time ends: jobs that are due from now on belong to others.
  void Close(Instant now, std::span<const Instant> in_flight);

  /// For the time until now, or until it was closed.
  [[nodiscard]] stats::ThroughputEstimate Estimate(Instant now,
                                                   std::span<const Instant> in_flight) const;

  [[nodiscard]] const Latencies& latencies() const { return latencies_; }
  [[nodiscard]] const std::optional<OpenTimes>& open() const { return open_; }
  [[nodiscard]] std::uint64_t submitted() const { return submitted_; }
  [[nodiscard]] Instant start() const { return start_; }

 private:
  [[nodiscard]] bool Has(Instant due) const { return due >= start_ && (!end_ || due < *end_); }

  Instant start_;
  std::optional<Instant> end_;
  stats::ThroughputWindow throughput_;
  stats::ThroughputEstimate closed_;
  Latencies latencies_;
  std::uint64_t submitted_ = 0;
  std::optional<OpenTimes> open_;
};

}  // namespace twofold::load
