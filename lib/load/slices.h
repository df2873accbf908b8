#pragma once

#include <cstdint>
#include <vector>

#include "lib/common/instant.h"
#include "lib/load/job_entry.h"
#include "lib/stats/histogram.h"

namespace twofold::load {

/// What happened in a slice of time: jobs that were planned, sent and ended in it.
struct Slice {
  JobCounts jobs;
  std::uint64_t outstanding = 0;        ///< at its end
  stats::Histogram::Parts from_plan{};  ///< of jobs that succeeded in it
};

/// A load's time in slices of equal width, the time in which the last jobs end included. The last
/// slice is the present one.
///
/// Time     Callers pass instants of one clock, in order.
/// Threads  Not thread-safe.
/// Cost     O(1) a job; 1 KiB a slice. When there are kMost, neighbours are merged.
class Slices {
 public:
  static constexpr std::size_t kMost = 2000;

  explicit Slices(Instant start) : start_(start) {}

  void Planned(Instant planned) { ++Of(planned).jobs.planned; }
  void Sent() { ++all_.back().jobs.sent; }
  void Ended(const JobEntry& job);

  /// Ends the slices whose time is over; nothing that happens at `now` belongs to them.
  void Advance(Instant now, std::uint64_t outstanding);
  /// Ends the last slice. One that has hardly begun is joined to the one before.
  void Close(Instant now);

  [[nodiscard]] Duration width() const { return width_; }
  /// Until when it lasts, since the start. All but the last one are as wide as each other.
  [[nodiscard]] Duration EndOf(std::size_t slice) const {
    return slice + 1 < all_.size() ? width_ * static_cast<Duration::rep>(slice + 1) : end_;
  }
  [[nodiscard]] const std::vector<Slice>& all() const { return all_; }

 private:
  Slice& Of(Instant at);
  void End(std::uint64_t outstanding);
  void MergePairs();

  Instant start_;
  Duration width_ = std::chrono::seconds(1);
  Duration end_{};  // once it is closed
  std::vector<Slice> all_ = std::vector<Slice>(1);
  stats::Histogram from_plan_;  // of the present slice
};

}  // namespace twofold::load
