#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <ext/pb_ds/assoc_container.hpp>
#include <ext/pb_ds/tree_policy.hpp>
#include <memory>
#include <optional>
#include <utility>

#include "lib/queue/job_table.h"
#include "lib/queue/waiting_line.h"

namespace twofold::queue {

/// Where each job that a worker could have stands among all of them, and which one is the oldest.
///
/// Jobs of one priority that come in order are numbered and kept in blocks of 1024 numbers, so that
/// a job is found by its number and the jobs before it are counted block by block. Jobs that were
/// elsewhere meanwhile (any state but JobState::kWaiting) are in a tree that counts its nodes.
///
/// Cost     Add, Remove O(1) and 4 bytes for a job that comes in order, O(log n) and some 100 bytes
///          for others. Ahead: O(log n) for each priority in use, and a word read for each block:
///          1000 words with a million jobs. Oldest: O(1) for each priority in use.
class LineRanks {
 public:
  LineRanks(JobTable& jobs, const WaitingLine& order) : jobs_(jobs), order_(order) {}

  /// REQUIRES: the state of the job says where it waits.
  void Add(Slot slot) {
    Job& job = jobs_[slot];
    Level& level = levels_[WaitingLine::LevelOf(job)];
    if (job.state != JobState::kWaiting) return AddSorted(level, slot);
    const std::uint32_t place = level.next % kBlock;
    if (place == 0) BeginBlock(level, slot);
    job.number_in_line = level.next++;
    level.last->slots[place] = slot;
    ++level.last->count;
  }

  /// REQUIRES: the state of the job is that of its Add.
  void Remove(Slot slot) {
    const Job& job = jobs_[slot];
    Level& level = levels_[WaitingLine::LevelOf(job)];
    if (job.state != JobState::kWaiting) return RemoveSorted(level, slot);
    const std::uint32_t place = job.number_in_line - level.first_number;
    Slots* const block = place < kBlock ? level.first : level.blocks[place / kBlock].slots.get();
    block->slots[place % kBlock] = kNoSlot;
    if (--block->count == 0 && block != level.last) DropBlock(level, place / kBlock);
  }

  /// How many jobs go before this one, which has been added, or could be.
  [[nodiscard]] std::uint64_t Ahead(Slot slot) const;

  /// When the job was accepted that waits longest; nullopt: there is none.
  [[nodiscard]] std::optional<Instant> Oldest() const;

 private:
  static constexpr std::uint32_t kBlock = 1024;

  using Place = std::pair<Precedence, Slot>;
  using Sorted =
      __gnu_pbds::tree<Place, __gnu_pbds::null_type, std::less<Place>, __gnu_pbds::rb_tree_tag,
                       __gnu_pbds::tree_order_statistics_node_update>;

  struct Slots {
    std::uint32_t count = 0;         // of jobs that have not left
    std::array<Slot, kBlock> slots;  // kNoSlot: the job has left
  };
  struct Block {
    Precedence begins;             // that of its first job, which may have left
    std::unique_ptr<Slots> slots;  // nullptr: all have left
  };

  /// The jobs of one priority.
  struct Level {
    Slots* first = nullptr;  // of the first block, which is never empty unless it is the last, too
    Slots* last = nullptr;
    std::uint32_t first_number = 0;  // where the first block begins; numbers wrap around
    std::uint32_t next = 0;          // the number of the job that comes next
    std::deque<Block> blocks;
    Sorted sorted;
  };

  [[nodiscard]] Place PlaceOf(Slot slot) const { return {order_.PrecedenceOf(slot), slot}; }
  void BeginBlock(Level& level, Slot first);
  static void DropBlock(Level& level, std::size_t index);
  void AddSorted(Level& level, Slot slot);
  void RemoveSorted(Level& level, Slot slot);
  [[nodiscard]] std::uint64_t AheadInOrder(const Level& level, const Precedence& of) const;

  JobTable& jobs_;
  const WaitingLine& order_;
  std::array<Level, WaitingLine::kLevels> levels_;
};

}  // namespace twofold::queue
