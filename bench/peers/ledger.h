#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "lib/common/instant.h"

namespace twofold::bench {

/// The jobs that a client has submitted and not had back, by sequence number.
///
/// Cost     O(1) a call, amortised. Memory for the numbers from the oldest open one to the newest.
class Ledger {
 public:
  /// Opens the next number. `start` is what its latency counts from.
  std::uint64_t Open(Instant start) {
    entries_.push_back({start, true});
    ++open_;
    return first_ + entries_.size() - 1;
  }

  /// Ends a job; its start. nullopt: that number was never given out, or has ended before.
  std::optional<Instant> Close(std::uint64_t number) {
    const std::uint64_t index = number - first_;  // wraps to something huge if it is older
    if (index >= entries_.size() || !entries_[index].open) return std::nullopt;
    const Instant start = entries_[index].start;
    entries_[index].open = false;
    --open_;
    while (!entries_.empty() && !entries_.front().open) {
      entries_.pop_front();
      ++first_;
    }
    return start;
  }

  [[nodiscard]] std::uint64_t open() const { return open_; }

 private:
  struct Entry {
    Instant start;
    bool open;
  };

  std::deque<Entry> entries_;
  std::uint64_t first_ = 0;  ///< number of entries_.front()
  std::uint64_t open_ = 0;
};

}  // namespace twofold::bench
