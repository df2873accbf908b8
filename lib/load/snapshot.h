#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/common/instant.h"
#include "lib/load/counts.h"
#include "lib/stats/histogram.h"
#include "lib/stats/throughput.h"
#include "lib/stats/worker_spread.h"

namespace twofold::load {

enum class Link : std::uint8_t {
  kConnecting,  ///< has not reached the frontend yet
  kConnected,
  kReconnecting,  ///< has lost the frontend
};

constexpr std::string_view Name(Link link) {
  constexpr std::array<std::string_view, 3> kNames = {"connecting", "connected", "reconnecting"};
  return kNames[static_cast<std::size_t>(link)];
}

/// Numbers of ended jobs, by v1::Outcome.
using OutcomeCounts = std::array<std::uint64_t, 8>;

/// Since the client was started.
struct Totals {
  OutcomeCounts finished{};
  std::uint64_t interruptions = 0;
  std::uint64_t unknown_answers = 0;  ///< to jobs that are not outstanding; ignored
  stats::Histogram round_trips;       ///< of all jobs that succeeded
};

/// The client's state at one moment; all pages are made from it.
struct Snapshot {
  std::string queue;
  std::string frontend;  ///< host:port
  Link link = Link::kConnecting;

  std::uint32_t parallelism = 0;
  std::uint64_t pending = 0;    ///< submitted, no answer yet
  std::uint64_t held_back = 0;  ///< wanted but not submitted: not connected, or after a rejection

  // Of the window.
  stats::ThroughputEstimate estimate;
  Latencies latencies;
  std::uint64_t rejected = 0;
  std::uint64_t interruptions = 0;
  std::vector<Place> places;
  stats::Spread spread;  ///< between the workers, each a place
  ErrorCounts::Map errors;

  Totals totals;
};

}  // namespace twofold::load
