#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "lib/common/instant.h"

namespace twofold::load {

/// What a cgroup's CPU quota has done to its processes, since the cgroup was made.
struct CpuTime {
  std::uint64_t periods = 0;  ///< in which the quota was used up
  Duration throttled{};       ///< how long they were held up
};

/// Reads cpu.stat of cgroup v2 (nr_throttled, throttled_usec) and v1 (nr_throttled,
/// throttled_time, in ns). nullopt: the text has no such lines, as no quota can be set.
std::optional<CpuTime> ParseCpuStat(std::string_view text);

}  // namespace twofold::load
