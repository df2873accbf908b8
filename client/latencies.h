#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "lib/common/instant.h"
#include "lib/stats/histogram.h"

namespace twofold::client {

/// The parts of a job's time, in the order in which they are shown.
enum class Part : std::uint8_t { kWait, kRun, kOverhead, kRoundTrip };
inline constexpr std::array kParts = {Part::kWait, Part::kRun, Part::kOverhead, Part::kRoundTrip};

/// One part of many jobs; nullopt: no job yet.
struct LatencySummary {
  std::optional<Duration> max, avg, min, p50, p90, p99, p999;
};

/// Where the time of jobs went: wait (frontend's clock), run time (worker's clock), round trip
/// (client's clock), and overhead = round trip - wait - run time.
///
/// As three clocks drift apart, an overhead may be negative by some nanoseconds, or by more if a
/// worker lies. A negative overhead counts as 0, and in `clamped()`.
class Latencies {
 public:
  void Record(Duration wait, Duration run, Duration round_trip);

  [[nodiscard]] LatencySummary Summary(Part part) const;
  [[nodiscard]] std::uint64_t clamped() const { return clamped_; }

 private:
  stats::Histogram& Of(Part part) { return histograms_[static_cast<std::size_t>(part)]; }

  std::array<stats::Histogram, kParts.size()> histograms_;
  std::uint64_t clamped_ = 0;
};

}  // namespace twofold::client
