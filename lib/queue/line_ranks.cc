#include "lib/queue/line_ranks.h"

#include <algorithm>
#include <vector>

namespace twofold::queue {

void LineRanks::BeginBlock(Level& level, Slot first) {
  const bool is_left_empty = level.last != nullptr && level.last->count == 0;
  level.blocks.push_back({order_.PrecedenceOf(first), std::unique_ptr<Slots>(new Slots)});
  level.last = level.blocks.back().slots.get();
  if (level.first == nullptr) level.first = level.last;
  if (is_left_empty) DropBlock(level, level.blocks.size() - 2);
}

/// The last job of a block has left, and none will come any more.
void LineRanks::DropBlock(Level& level, std::size_t index) {
  level.blocks[index].slots.reset();
  while (level.blocks.front().slots == nullptr) {
    level.blocks.pop_front();
    level.first_number += kBlock;
  }
  level.first = level.blocks.front().slots.get();
}

void LineRanks::AddSorted(Level& level, Slot slot) { level.sorted.insert(PlaceOf(slot)); }

void LineRanks::RemoveSorted(Level& level, Slot slot) { level.sorted.erase(PlaceOf(slot)); }

std::uint64_t LineRanks::Ahead(Slot slot) const {
  const Precedence own = order_.PrecedenceOf(slot);
  std::uint64_t ahead = 0;
  for (const Level& level : levels_) {
    ahead += level.sorted.order_of_key({own, 0}) + AheadInOrder(level, own);
  }
  return ahead;
}

std::uint64_t LineRanks::AheadInOrder(const Level& level, const Precedence& of) const {
  // Those that begin before `of`; all but the last of them also end before it.
  const auto end = std::partition_point(level.blocks.begin(), level.blocks.end(),
                                        [&](const Block& block) { return block.begins < of; });
  if (end == level.blocks.begin()) return 0;
  const auto last = end - 1;
  std::uint64_t ahead = 0;
  for (auto block = level.blocks.begin(); block != last; ++block) {
    if (block->slots != nullptr) ahead += block->slots->count;
  }
  if (last->slots == nullptr) return ahead;
  const bool is_full = last != level.blocks.end() - 1 || level.next % kBlock == 0;
  const Slot* const slots = last->slots->slots.data();
  std::vector<Slot> there(last->slots->count);
  std::copy_if(slots, slots + (is_full ? kBlock : level.next % kBlock), there.begin(),
               [](Slot slot) { return slot != kNoSlot; });
  const auto before = std::partition_point(
      there.begin(), there.end(), [&](Slot slot) { return order_.PrecedenceOf(slot) < of; });
  return ahead + static_cast<std::uint64_t>(before - there.begin());
}

std::optional<Instant> LineRanks::Oldest() const {
  std::optional<Instant> oldest;
  const auto look_at = [&](Slot slot) {
    const Instant accepted = jobs_[slot].accepted;
    oldest = std::min(accepted, oldest.value_or(accepted));
  };
  for (const Level& level : levels_) {
    if (!level.sorted.empty()) look_at(level.sorted.begin()->second);
    if (level.first == nullptr || level.first->count == 0) continue;
    const Slot* first = level.first->slots.data();
    while (*first == kNoSlot) ++first;
    look_at(*first);
  }
  return oldest;
}

}  // namespace twofold::queue
