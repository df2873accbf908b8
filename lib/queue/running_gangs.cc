#include "lib/queue/running_gangs.h"

#include <utility>

namespace twofold::queue {

void RunningGangs::Start(Slot gang, std::vector<Slot> members) {
  const std::size_t size = members.size();
  gangs_[gang] = {std::move(members), std::vector<bool>(size), size};
}

RunningGangs::Barrier RunningGangs::Ready(Slot slot, std::size_t rank) {
  Gang& gang = gangs_.at(slot);
  if (gang.awaited == 0) return Barrier::kOpen;
  if (gang.ready[rank]) return Barrier::kClosed;
  gang.ready[rank] = true;
  return --gang.awaited == 0 ? Barrier::kOpens : Barrier::kClosed;
}

RunningGangs::Barrier RunningGangs::Ended(Slot slot, std::size_t rank) {
  gangs_.at(slot).members[rank] = kNoSlot;
  return Ready(slot, rank);
}

}  // namespace twofold::queue
