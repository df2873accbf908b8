#pragma once

#include <cstdint>
#include <ostream>
#include <string_view>
#include <vector>

#include "lib/common/instant.h"

namespace twofold::cluster {

enum class FaultKind : std::uint8_t {
  kPause,     ///< the process stands still; its answers wait for it
  kCut,       ///< its requests do not reach the database
  kDeaf,      ///< its requests are carried out, the answers get lost or say "in doubt"
  kLate,      ///< requests and answers take seconds
  kDouble,    ///< requests are carried out twice and answered twice
  kKill,      ///< the process ends and comes back under its name
  kGone,      ///< the process ends for good
  kOutage,    ///< the database answers nobody
  kRollback,  ///< the database goes back in time; its connections break
  kDrain,     ///< an admin drains the frontend, which ends then, and comes back
  kMove,      ///< an admin moves a partition
};
inline constexpr int kFaultKinds = 11;

std::string_view Name(FaultKind kind);

/// One thing that goes wrong, or that an admin does.
struct Fault {
  Duration at;
  FaultKind kind;
  std::size_t frontend;
  Duration length;        ///< of a rollback: how far back
  std::size_t partition;  ///< kMove: this one, to frontend + 1
};

/// "12.3 s: cut frontend 2 for 4.5 s"
std::ostream& operator<<(std::ostream& out, const Fault& fault);

/// All that a simulation depends on.
struct Scenario {
  std::uint64_t seed;
  std::size_t frontends;
  std::size_t partitions;
  std::vector<Fault> faults;  ///< by time; all are over at kFaultsEnd
};
inline constexpr Duration kFaultsEnd = std::chrono::seconds(60);

/// The seed decides all.
Scenario RandomScenario(std::uint64_t seed);

}  // namespace twofold::cluster
