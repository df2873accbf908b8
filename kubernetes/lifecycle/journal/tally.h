#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "kubernetes/api/connection.h"
#include "lib/common/instant.h"

/// What a report needs and no Observer knows.
namespace twofold::lifecycle {

/// How the sending goes.
struct SendCounts {
  std::uint64_t sent = 0;
  std::uint64_t created = 0;
  std::uint64_t late = 0;       ///< sent more than kLate after their planned instant
  std::uint64_t repeated = 0;   ///< sent again after the connection had broken
  std::uint64_t throttled = 0;  ///< times that the server asked to wait
  Duration throttled_time{};
  std::map<kube::Flow, std::uint64_t> throttled_by = {};  ///< of these, those that say by whom
  std::map<std::string, std::uint64_t> refused = {};      ///< by reason
  std::string refusal = {};                               ///< the first, as an example

  friend bool operator==(const SendCounts&, const SendCounts&) = default;
};

/// A workload that is sent so much after its planned instant is late.
inline constexpr Duration kLate = std::chrono::milliseconds(50);

struct Tally {
  SendCounts sending;
  std::uint64_t breaks = 0;             ///< of watches
  std::uint64_t resumed = 0;            ///< processes that went on where one had ended
  std::set<std::string> watchers = {};  ///< hosts on which they ran
  bool full = false;                    ///< the journal has come to its limit

  friend bool operator==(const Tally&, const Tally&) = default;
};

}  // namespace twofold::lifecycle
