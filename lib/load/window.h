#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "lib/common/instant.h"
#include "lib/load/counts.h"
#include "lib/load/marks.h"
#include "lib/load/snapshot.h"
#include "lib/load/tally.h"

namespace twofold::load {

/// One measuring window: everything that /reset starts afresh.
///
/// A job that ends in the window counts as succeeded or failed, whenever it was submitted; the
/// throughput counts the window's share of it (lib/stats). The latencies count only jobs that
/// succeeded and were due in the window: waiting during a warm-up must not distort them.
/// Rejected jobs never ran; they are counted separately and not in the throughput.
///
/// Time     Callers pass instants of one clock.
/// Threads  Not thread-safe. A copy is a snapshot, about 300 KiB, 80 KiB more in an open loop.
class Window {
 public:
  explicit Window(Instant start) : tally_(start) {}

  Places& places() { return places_; }

  void Succeeded(const Answer& job);
  void Failed(const Answer& job, std::string_view error);
  void Rejected(std::string_view error);
  void Interrupted() { ++interruptions_; }
  void ParallelismChanged() { parallelism_changed_ = true; }
  void LoadChanged() { load_changed_ = true; }

  /// A job of an open loop was sent.
  void Sent(Instant now, Instant due) { tally_.Sent(now, due); }

  /// Something spoils the numbers.
  void Spoil(const Mark& mark) { marks_.Add(mark); }

  /// Fills in the window's part of the snapshot. `in_flight` has the submit instants of all jobs
  /// without an answer.
  void Describe(Instant now, std::span<const Instant> in_flight, Snapshot& snapshot) const;

 private:
  [[nodiscard]] stats::ThroughputEstimate Estimate(Instant now,
                                                   std::span<const Instant> in_flight) const;
  [[nodiscard]] std::string WhyDisturbed() const;
  [[nodiscard]] std::vector<Mark> Spoiling() const;

  Tally tally_;
  Marks marks_;
  Places places_;
  ErrorCounts errors_;
  std::uint64_t rejected_ = 0;
  std::uint64_t interruptions_ = 0;
  bool parallelism_changed_ = false;
  bool load_changed_ = false;
};

}  // namespace twofold::load
