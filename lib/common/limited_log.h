#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "lib/common/instant.h"

namespace twofold {

/// Lets one message a second through: for messages that a peer can cause at will.
///
/// Threads  Any.
class LimitedLog {
 public:
  /// What to append to the message: how many were left out since the last logged one. nullopt:
  /// leave out this message as well.
  std::optional<std::string> Admit(Instant now) {
    Duration::rep next = next_.load();
    const Duration::rep time = now.time_since_epoch().count();
    const Duration::rep then = time + Duration(std::chrono::seconds(1)).count();
    if (time < next || !next_.compare_exchange_strong(next, then)) {
      ++left_out_;
      return std::nullopt;
    }
    const std::uint64_t left_out = left_out_.exchange(0);
    return left_out == 0 ? "" : " (" + std::to_string(left_out) + " before it were left out)";
  }

 private:
  std::atomic<Duration::rep> next_ = 0;
  std::atomic<std::uint64_t> left_out_ = 0;
};

}  // namespace twofold
