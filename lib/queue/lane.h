#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "lib/queue/job_table.h"

namespace twofold::queue {

/// Jobs in order of arrival: when they were accepted (or their delay was over), then by number.
///
/// They stand in sorted chunks, so jobs that come in order and leave in order cost a store each,
/// and the jobs before a given one are counted chunk by chunk.
///
/// Cost     Add behind all others, Remove of the first: O(1). Anywhere else: O(log n) looks at jobs
///          (of the distance from the front, so near the front it is few), and some 2 KiB moved.
///          Contains: O(log n) looks. CountWhile, CountBefore: O(log n) looks, and a word read for
///          each chunk: 500 with a million jobs. 4 to 8 bytes a job.
class Lane {
 public:
  void Add(const JobTable& jobs, Slot slot) {
    if (empty() || IsBefore(jobs, chunks_.back().slots.back(), slot)) {
      PushBack(slot);
    } else {
      Insert(jobs, slot);
    }
    ++size_;
  }

  void Remove(const JobTable& jobs, Slot slot) {
    --size_;
    if (slot != Front()) return Erase(jobs, slot);
    Chunk& first = chunks_.front();
    if (++first.gone == first.slots.size()) Drop(0);
  }

  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::uint64_t size() const { return size_; }

  /// REQUIRES: !empty().
  [[nodiscard]] Slot Front() const { return chunks_.front()[0]; }

  /// How many jobs there are before the first one of which `holds(slot)` is false. REQUIRES: it is
  /// false of all behind that one, too.
  template <typename Predicate>
  [[nodiscard]] std::uint64_t CountWhile(const Predicate& holds) const {
    if (empty()) return 0;
    const Place end = FirstNot(holds);
    std::uint64_t count = end.at;
    for (std::size_t i = 0; i < end.chunk; ++i) count += chunks_[i].size();
    return count;
  }

  /// How many jobs stand before the place of this one, which may be in another lane.
  [[nodiscard]] std::uint64_t CountBefore(const JobTable& jobs, Slot slot) const {
    return CountWhile([&](Slot other) { return IsBefore(jobs, other, slot); });
  }

  [[nodiscard]] bool Contains(const JobTable& jobs, Slot slot) const;

 private:
  static constexpr std::size_t kChunk = 2048;

  /// Never empty, unless it is the only one.
  struct Chunk {
    std::vector<Slot> slots;
    std::size_t gone = 0;  // of these, from the front

    [[nodiscard]] Slot operator[](std::size_t i) const { return slots[gone + i]; }
    [[nodiscard]] auto begin() { return slots.begin() + static_cast<std::ptrdiff_t>(gone); }
    [[nodiscard]] std::size_t size() const { return slots.size() - gone; }
    void Compact();
  };

  /// A chunk, and the index there of one that has not gone.
  struct Place {
    std::size_t chunk;
    std::size_t at;
  };

  static bool IsBefore(const JobTable& jobs, Slot a, Slot b) {
    const Job& left = jobs[a];
    const Job& right = jobs[b];
    if (left.accepted != right.accepted) return left.accepted < right.accepted;
    return left.sequence < right.sequence;
  }

  template <typename Predicate>
  [[nodiscard]] Place FirstNot(const Predicate& holds) const;
  [[nodiscard]] Place PlaceFor(const JobTable& jobs, Slot slot) const;
  void PushBack(Slot slot) {
    if (chunks_.empty() || chunks_.back().slots.size() == chunks_.back().slots.capacity()) Grow();
    chunks_.back().slots.push_back(slot);
  }
  void Grow();
  void Insert(const JobTable& jobs, Slot slot);
  void Erase(const JobTable& jobs, Slot slot);
  void Split(std::size_t chunk);
  void Join(std::size_t chunk);
  void Drop(std::size_t chunk);

  std::vector<Chunk> chunks_;
  std::uint64_t size_ = 0;
};

/// The end of what `holds` is true of, at most `count`; quick if that is near the beginning.
template <typename Predicate>
std::size_t CountFromFront(std::size_t count, const Predicate& holds) {
  std::size_t low = 0;  // it holds of all before
  std::size_t high = 1;
  for (; high <= count && holds(high - 1); high *= 2) low = high;
  high = std::min(high - 1, count);
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (holds(middle)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

template <typename Predicate>
Lane::Place Lane::FirstNot(const Predicate& holds) const {
  std::size_t chunk =
      CountFromFront(chunks_.size(), [&](std::size_t i) { return holds(chunks_[i].slots.back()); });
  if (chunk == chunks_.size()) return {chunk, 0};
  const Chunk& in = chunks_[chunk];
  return {chunk, CountFromFront(in.size(), [&](std::size_t i) { return holds(in[i]); })};
}

}  // namespace twofold::queue
