#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "lib/common/instant.h"
#include "lib/load/counts.h"
#include "lib/load/snapshot.h"
#include "lib/stats/throughput.h"

namespace twofold::load {

/// The times and the place of one answered job.
struct Answer {
  Instant submitted;
  Instant ended;
  Duration wait{};
  Duration run{};
  Places::Index place = 0;
};

/// One measuring window: everything that /reset starts afresh.
///
/// A job that ends in the window counts as succeeded or failed, whenever it was submitted; the
/// throughput counts the window's share of it (lib/stats). The latencies count only jobs that
/// succeeded and were submitted in the window: waiting during a warm-up must not distort them.
/// Rejected jobs never ran; they are counted separately and not in the throughput.
///
/// Time     Callers pass instants of one clock.
/// Threads  Not thread-safe. A copy is a snapshot, about 300 KiB.
class Window {
 public:
  explicit Window(Instant start) : start_(start), throughput_(start) {}

  Places& places() { return places_; }

  void Succeeded(const Answer& job);
  void Failed(const Answer& job, std::string_view error);
  void Rejected(std::string_view error);
  void Interrupted() { ++interruptions_; }
  void ParallelismChanged() { parallelism_changed_ = true; }

  /// Fills in the window's part of the snapshot. `in_flight` has the submit instants of all jobs
  /// without an answer.
  void Describe(Instant now, std::span<const Instant> in_flight, Snapshot& snapshot) const;

 private:
  [[nodiscard]] stats::ThroughputEstimate Estimate(Instant now,
                                                   std::span<const Instant> in_flight) const;
  [[nodiscard]] std::string WhyDisturbed() const;

  Instant start_;
  stats::ThroughputWindow throughput_;
  Latencies latencies_;
  Places places_;
  ErrorCounts errors_;
  std::uint64_t rejected_ = 0;
  std::uint64_t interruptions_ = 0;
  bool parallelism_changed_ = false;
};

}  // namespace twofold::load
