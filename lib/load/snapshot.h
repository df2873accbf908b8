#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/common/instant.h"
#include "lib/load/counts.h"
#include "lib/load/job_entry.h"
#include "lib/load/marks.h"
#include "lib/load/profile.h"
#include "lib/load/segment.h"
#include "lib/stats/histogram.h"
#include "lib/stats/measured_window.h"
#include "lib/stats/throughput.h"
#include "lib/stats/worker_spread.h"

namespace twofold::load {

enum class Link : std::uint8_t {
  kConnecting,  ///< has not reached the frontend yet
  kConnected,
  kMoving,        ///< follows its queue to another frontend
  kReconnecting,  ///< has lost the frontend
};

constexpr std::string_view Name(Link link) {
  constexpr std::array<std::string_view, 4> kNames = {"connecting", "connected", "moving",
                                                      "reconnecting"};
  return kNames[static_cast<std::size_t>(link)];
}

/// Since the client was started.
struct Totals {
  OutcomeCounts finished{};  ///< answers, as the frontend counts them
  std::uint64_t interruptions = 0;
  std::uint64_t unknown_answers = 0;  ///< to jobs that are not outstanding; ignored
  std::uint64_t sent = 0;             ///< jobs of an open loop
  std::uint64_t sent_late = 0;        ///< of these, more than kLateAfter after they were due
  Duration lateness{};                ///< of these, added up
  stats::Histogram round_trips;       ///< of all jobs that succeeded
};

/// The jobs without an answer.
struct InFlight {
  std::vector<OpenJob> jobs;
  std::vector<Instant> at_work;  ///< since when workers have had those that run, as far as known
};

/// The client's state at one moment; all pages are made from it.
struct Snapshot {
  std::string queue;
  std::string frontend;  ///< host:port
  Link link = Link::kConnecting;

  std::uint32_t parallelism = 0;
  std::uint64_t pending = 0;  ///< submitted, no answer yet
  /// Wanted but not submitted: not connected, after a rejection, or for lack of room.
  std::uint64_t held_back = 0;

  // Of an open loop, and of a profile.
  std::optional<double> rate{};              ///< planned now, jobs a second; nullopt: a closed loop
  std::shared_ptr<const Profile> profile{};  ///< nullptr: none is carried out
  std::optional<std::size_t> stage{};        ///< of the profile; nullopt: not begun, or over
  Duration load_time{};                      ///< since the profile's time began
  bool load_over = false;
  bool warm = false;  ///< of a load that is recorded: its warm-up is over

  // Of the window.
  stats::ThroughputEstimate estimate;
  stats::MeasuredWindow measured{};  ///< as a verdict needs it
  Times times;
  JobCounts jobs;  ///< that were planned in it
  std::vector<Mark> spoiled{};
  std::uint64_t refused = 0;  ///< answers; such jobs of a closed loop go out again
  std::uint64_t interruptions = 0;
  std::vector<Place> places;
  stats::Spread spread;  ///< between the workers, each a place
  ErrorCounts::Map errors;

  Totals totals;
};

}  // namespace twofold::load
