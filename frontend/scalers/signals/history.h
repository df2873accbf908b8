#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "frontend/scalers/signals/reading.h"
#include "lib/common/instant.h"

namespace twofold::scalers {

/// The last ten minutes of a queue, or of one of its shards, by which its rates are known.
///
/// Threads  Not safe.
/// Cost     Add: O(1). Over: linear in the samples, 600 at most. 32 bytes a sample.
class History {
 public:
  static constexpr Duration kLongestWindow = std::chrono::minutes(10);
  /// Samples that come sooner are left out.
  static constexpr Duration kPeriod = std::chrono::seconds(1);
  /// Over less time there are no rates: one job in half a second is not two a second.
  static constexpr Duration kShortest = std::chrono::seconds(5);

  /// Instants ascend. Counters of another epoch begin anew, and so does the history.
  void Add(Instant at, std::uint64_t epoch, const Counts& counts);

  /// Averages over the last `window`, or over what there is of it. nullopt: that is too short.
  [[nodiscard]] std::optional<Flow> Over(Duration window) const;

 private:
  struct Sample {
    Instant at;
    std::uint64_t arrived;
    std::uint64_t ended;
    std::uint64_t running;
  };
  std::uint64_t epoch_ = 0;
  std::deque<Sample> samples_;
};

}  // namespace twofold::scalers
