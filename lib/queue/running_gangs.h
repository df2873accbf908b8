#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lib/queue/intrusive_list.h"

namespace twofold::queue {

/// Gangs that run: where their members are, and the barrier before the start.
///
/// Cost     O(1) a call, Start linear in the members.
class RunningGangs {
 public:
  enum class Barrier : std::uint8_t {
    kClosed,  ///< others are not ready yet
    kOpens,   ///< this was the last one
    kOpen,    ///< all have been ready before
  };

  void Start(Slot gang, std::vector<Slot> members) {
    const std::size_t size = members.size();
    gangs_[gang] = {std::move(members), std::vector<bool>(size), size};
  }
  void Remove(Slot gang) { gangs_.erase(gang); }

  /// By rank; kNoSlot: the member has ended.
  [[nodiscard]] std::span<const Slot> members(Slot gang) const { return gangs_.at(gang).members; }

  /// A member waits at the barrier; saying so again changes nothing.
  Barrier Ready(Slot slot, std::size_t rank) {
    Gang& gang = gangs_.at(slot);
    if (gang.awaited == 0) return Barrier::kOpen;
    if (gang.ready[rank]) return Barrier::kClosed;
    gang.ready[rank] = true;
    return --gang.awaited == 0 ? Barrier::kOpens : Barrier::kClosed;
  }

  /// A member has ended, and keeps nobody waiting. kOpens: the others may go now.
  Barrier Ended(Slot gang, std::size_t rank) {
    gangs_.at(gang).members[rank] = kNoSlot;
    return Ready(gang, rank);
  }

 private:
  struct Gang {
    std::vector<Slot> members;
    std::vector<bool> ready;
    std::size_t awaited;
  };

  std::unordered_map<Slot, Gang> gangs_;
};

}  // namespace twofold::queue
