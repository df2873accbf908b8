#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "lib/common/instant.h"
#include "lib/load/counts.h"
#include "lib/load/marks.h"
#include "lib/load/segment.h"
#include "lib/load/snapshot.h"

namespace twofold::load {

/// One measuring window: everything that /reset starts afresh. The counts of the throughput are of
/// jobs that ended in the window, whenever they were planned; its times are of the jobs that were
/// planned in it: waiting during a warm-up must not distort them.
///
/// Time     Callers pass instants of one clock.
/// Threads  Not thread-safe. A copy is a snapshot, about 420 KiB.
class Window {
 public:
  explicit Window(Instant start) : segment_(start) {}

  Places& places() { return places_; }

  void Sent(Instant planned, Instant now, bool open_loop);
  void Ended(const JobEntry& job, std::string_view error);
  /// The frontend refused a job, which may go out again.
  void Refused(std::string_view error);
  void Interrupted() { ++interruptions_; }
  void ParallelismChanged() { parallelism_changed_ = true; }
  void LoadChanged() { load_changed_ = true; }

  /// Something spoils the numbers.
  void Spoil(const Mark& mark) { marks_.Add(mark); }

  /// Fills in the window's part of the snapshot.
  void Describe(Instant now, const InFlight& in_flight, Snapshot& snapshot) const;

 private:
  [[nodiscard]] std::string WhyDisturbed() const;

  Segment segment_;
  Marks marks_;
  Places places_;
  ErrorCounts errors_;
  std::uint64_t refused_ = 0;
  std::uint64_t interruptions_ = 0;
  bool parallelism_changed_ = false;
  bool load_changed_ = false;
};

}  // namespace twofold::load
