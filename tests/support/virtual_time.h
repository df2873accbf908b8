#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "lib/common/instant.h"

namespace twofold {

/// A clock that a simulation moves, and what is to happen when.
///
/// Threads  Not thread-safe. An action may call anything here but Run.
/// Cost     O(log n) a call for n actions to come. An action of at most 16 trivial bytes allocates
///          nothing.
/// Order    By time; actions of one instant in the order in which they were added.
class VirtualTime {
 public:
  [[nodiscard]] Instant now() const { return now_; }

  /// Of an instant that is past: as soon as possible.
  void At(Instant when, std::function<void()> action) {
    events_.push_back({std::max(when, now_), ++added_, std::move(action)});
    std::push_heap(events_.begin(), events_.end(), After);
  }

  /// When the next action is due; nullopt: none is to come.
  [[nodiscard]] std::optional<Instant> next() const {
    return events_.empty() ? std::nullopt : std::optional(events_.front().at);
  }

  /// Nothing happens until `then`. REQUIRES: no action is due before.
  void MoveTo(Instant then) { now_ = std::max(now_, then); }

  /// Moves to the next action and carries it out; false: none is due at `last` or before.
  bool RunNext(Instant last) {
    if (events_.empty() || events_.front().at > last) return false;
    std::pop_heap(events_.begin(), events_.end(), After);
    const Event event = std::move(events_.back());
    events_.pop_back();
    now_ = event.at;
    event.action();
    return true;
  }

  /// All that is due by then; ends at `last`.
  void Run(Instant last) {
    while (RunNext(last)) {
    }
    MoveTo(last);
  }

 private:
  struct Event {
    Instant at;
    std::uint64_t number;
    std::function<void()> action;
  };

  static bool After(const Event& one, const Event& other) {
    return std::pair(one.at, one.number) > std::pair(other.at, other.number);
  }

  std::vector<Event> events_;  // a heap
  Instant now_{};
  std::uint64_t added_ = 0;
};

}  // namespace twofold
