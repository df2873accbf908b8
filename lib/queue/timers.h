#pragma once

#include <optional>
#include <set>
#include <utility>

#include "lib/common/instant.h"
#include "lib/queue/intrusive_list.h"

namespace twofold::queue {

/// The longest time that anybody may ask for: keeps sums of instants and 20 levels of ageing far
/// from the ends of the clock.
inline constexpr Duration kLongest = std::chrono::hours(24 * 365 * 10);

/// Entries of a table that wait for an instant. Of one instant, the lower slot is due first.
///
/// Cost     O(log n) a change, O(1) a question.
class Timers {
 public:
  void Add(Instant at, Slot slot) { entries_.emplace(at, slot); }
  void Remove(Instant at, Slot slot) { entries_.erase({at, slot}); }

  /// The first entry whose instant has come; kNoSlot: none.
  [[nodiscard]] Slot Due(Instant now) const {
    return entries_.empty() || entries_.begin()->first > now ? kNoSlot : entries_.begin()->second;
  }

  /// When the first entry is due; nullopt: there are none.
  [[nodiscard]] std::optional<Instant> Next() const {
    return entries_.empty() ? std::nullopt : std::optional(entries_.begin()->first);
  }

  [[nodiscard]] std::size_t size() const { return entries_.size(); }

 private:
  std::set<std::pair<Instant, Slot>> entries_;
};

}  // namespace twofold::queue
