#include "lib/queue/lane.h"

#include <algorithm>
#include <iterator>

namespace twofold::queue {
namespace {

// A lane that is empty keeps the memory of so many jobs: one comes and goes at a time then.
constexpr std::size_t kKept = 64;

// Room for so many at first.
constexpr std::size_t kAtFirst = 16;

template <typename Container>
auto At(Container& container, std::size_t index) {
  return container.begin() + static_cast<std::ptrdiff_t>(index);
}

}  // namespace

void Lane::Chunk::Compact() {
  slots.erase(slots.begin(), begin());
  gone = 0;
}

/// The last chunk has no room behind its last job.
void Lane::Grow() {
  if (chunks_.empty()) chunks_.emplace_back().slots.reserve(kAtFirst);
  Chunk& last = chunks_.back();
  if (last.gone > 0 && last.gone >= last.size()) {
    last.Compact();
  } else if (last.slots.size() >= kChunk) {
    chunks_.emplace_back().slots.reserve(kChunk);
  }
}

Lane::Place Lane::PlaceFor(const JobTable& jobs, Slot slot) const {
  return FirstNot([&](Slot other) { return IsBefore(jobs, other, slot); });
}

bool Lane::Contains(const JobTable& jobs, Slot slot) const {
  if (empty()) return false;
  const Place place = PlaceFor(jobs, slot);
  return place.chunk < chunks_.size() && chunks_[place.chunk][place.at] == slot;
}

void Lane::Insert(const JobTable& jobs, Slot slot) {
  Place place = PlaceFor(jobs, slot);
  if (chunks_[place.chunk].size() >= kChunk) {
    Split(place.chunk);
    place = PlaceFor(jobs, slot);
  }
  Chunk& chunk = chunks_[place.chunk];
  if (chunk.gone == 0) {
    chunk.slots.insert(At(chunk, place.at), slot);
  } else {
    const auto moved = std::move(chunk.begin(), At(chunk, place.at), std::prev(chunk.begin()));
    *moved = slot;
    --chunk.gone;
  }
}

void Lane::Erase(const JobTable& jobs, Slot slot) {
  const Place place = PlaceFor(jobs, slot);
  Chunk& chunk = chunks_[place.chunk];
  const auto erased = At(chunk, place.at);
  if (place.at < chunk.size() / 2) {
    std::move_backward(chunk.begin(), erased, std::next(erased));
    ++chunk.gone;
  } else {
    chunk.slots.erase(erased);
  }
  if (chunk.size() == 0) return Drop(place.chunk);
  if (chunk.size() < kChunk / 4) Join(place.chunk);
}

/// Makes room for jobs between others.
void Lane::Split(std::size_t index) {
  chunks_[index].Compact();
  Chunk& half = *chunks_.emplace(At(chunks_, index + 1));
  std::vector<Slot>& full = chunks_[index].slots;
  half.slots.assign(At(full, kChunk / 2), full.end());
  full.resize(kChunk / 2);
}

/// Of two small neighbours one is enough.
void Lane::Join(std::size_t index) {
  if (index + 1 == chunks_.size()) return;
  Chunk& chunk = chunks_[index];
  Chunk& next = chunks_[index + 1];
  if (chunk.size() + next.size() > kChunk / 2) return;
  chunk.Compact();
  chunk.slots.insert(chunk.slots.end(), next.begin(), next.slots.end());
  Drop(index + 1);
}

/// The last job of the chunk has gone.
void Lane::Drop(std::size_t index) {
  if (chunks_.size() > 1) {
    chunks_.erase(At(chunks_, index));
    return;
  }
  Chunk& only = chunks_.front();
  if (only.slots.capacity() > kKept) only.slots = {};
  only.slots.clear();
  only.gone = 0;
}

}  // namespace twofold::queue
