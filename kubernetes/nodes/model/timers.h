#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "lib/common/instant.h"

namespace twofold::nodes {

/// Who is due when; everyone has one instant at most.
///
/// Cost     O(log n) a call.
class Timers {
 public:
  using Key = std::uint64_t;

  /// In place of the instant that `key` had.
  void Set(Key key, Instant due) {
    Cancel(key);
    order_.insert({due, key});
    due_[key] = due;
  }

  void Cancel(Key key) {
    const auto found = due_.find(key);
    if (found == due_.end()) return;
    order_.erase({found->second, key});
    due_.erase(found);
  }

  [[nodiscard]] bool Has(Key key) const { return due_.contains(key); }

  /// The earliest instant; nullopt: nobody is due.
  [[nodiscard]] std::optional<Instant> Next() const {
    if (order_.empty()) return std::nullopt;
    return order_.begin()->first;
  }

  /// Removes and returns the earliest that is due at `now`.
  std::optional<Key> Take(Instant now) {
    if (order_.empty() || order_.begin()->first > now) return std::nullopt;
    const Key key = order_.begin()->second;
    Cancel(key);
    return key;
  }

 private:
  std::set<std::pair<Instant, Key>> order_;
  std::unordered_map<Key, Instant> due_;
};

}  // namespace twofold::nodes
