#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kubernetes/lifecycle/moments/moment.h"
#include "kubernetes/lifecycle/times/clock_offset.h"
#include "kubernetes/lifecycle/times/evidence_table.h"
#include "kubernetes/lifecycle/times/span.h"

namespace twofold::lifecycle {

/// Nanoseconds since 1970 by a clock of Kubernetes.
using UnixNs = std::int64_t;

/// What it takes to compare instants of the watcher with times of the API server.
struct ClockFit {
  Anchor anchor;
  Between offset;    ///< by which the API server's clock is ahead, seconds; low <= high
  double lag = 0.0;  ///< seconds by which the watch may be late

  /// From `theirs` to `seen` by one clock, with the middle of the offsets that there may be.
  [[nodiscard]] double Difference(Instant seen, UnixNs theirs) const {
    return static_cast<double>(anchor.UnixNs(seen) - theirs) / 1e9 + offset.Middle();
  }
  [[nodiscard]] double Doubt() const { return (offset.high - offset.low) / 2.0; }
};

/// Collects the differences of one source and moment.
///
/// Threads  Not thread-safe.
/// Cost     8 bytes each.
class Differences {
 public:
  /// `row`: whose clock, and what of it is compared with what.
  Differences(EvidenceRow row, const ClockFit& clocks) : row_(std::move(row)), clocks_(clocks) {}

  void Add(const Sight& seen, UnixNs theirs);
  void AddMissing() { ++row_.missing; }

  [[nodiscard]] EvidenceRow Row() const;

 private:
  EvidenceRow row_;
  const ClockFit clocks_;
  std::vector<double> seconds_;
};

}  // namespace twofold::lifecycle
