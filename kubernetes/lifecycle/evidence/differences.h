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

/// Whose clock, and what of it is compared with what.
struct Compared {
  std::string source;
  std::string moment;
  std::string clock;
};

/// Collects the differences of one source and moment.
///
/// Threads  Not thread-safe.
/// Cost     8 bytes each.
class Differences {
 public:
  Differences(Compared what, const ClockFit& clocks) : what_(std::move(what)), clocks_(clocks) {}

  void Add(const Sight& seen, UnixNs theirs);
  void AddMissing() { ++missing_; }

  [[nodiscard]] EvidenceRow Row() const;
  [[nodiscard]] std::uint64_t matched() const { return seconds_.size() + inexact_; }

 private:
  const Compared what_;
  const ClockFit clocks_;
  std::uint64_t missing_ = 0;
  std::uint64_t inexact_ = 0;
  std::vector<double> seconds_;
};

}  // namespace twofold::lifecycle
