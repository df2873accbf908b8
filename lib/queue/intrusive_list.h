#pragma once

#include <cstdint>

namespace twofold::queue {

/// Index of an entry in a table. Half the size of a pointer, and it survives growth of the table.
using Slot = std::uint32_t;
inline constexpr Slot kNoSlot = 0xffff'ffff;

/// Where an entry stands in one list; part of the entry.
struct Links {
  Slot prev = kNoSlot;
  Slot next = kNoSlot;
};

/// A doubly linked list through the entries of a table: no allocation, removal from the middle in
/// O(1). `kLinks` says which Links of the entry it uses, so an entry may be in several lists.
///
/// Errors   None checked: PushBack what is in no list by these links, Remove what is in this one.
template <typename Table, auto kLinks>
class IntrusiveList {
 public:
  [[nodiscard]] bool empty() const { return first_ == kNoSlot; }
  [[nodiscard]] Slot front() const { return first_; }  ///< kNoSlot if empty

  [[nodiscard]] Slot back() const { return last_; }  ///< the same

  void PushBack(Table& table, Slot slot) {
    table[slot].*kLinks = {last_, kNoSlot};
    (last_ == kNoSlot ? first_ : (table[last_].*kLinks).next) = slot;
    last_ = slot;
  }

  void Remove(Table& table, Slot slot) {
    const Links links = table[slot].*kLinks;
    (links.prev == kNoSlot ? first_ : (table[links.prev].*kLinks).next) = links.next;
    (links.next == kNoSlot ? last_ : (table[links.next].*kLinks).prev) = links.prev;
  }

 private:
  Slot first_ = kNoSlot;
  Slot last_ = kNoSlot;
};

}  // namespace twofold::queue
