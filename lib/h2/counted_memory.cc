#include "lib/h2/counted_memory.h"

#include <malloc.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <functional>

namespace twofold::h2 {
namespace {

constexpr std::size_t kPageBytes = 4 << 10;
constexpr std::size_t kFrameBufferBytes = 16 << 10;  // or a little more
constexpr std::size_t kBlockBytes = kPageBytes + kFrameBufferBytes;
constexpr std::size_t kFramesBytes = 128;  // of the first page: more than usual frames without data

constexpr std::size_t RoundUp(std::size_t size) {
  constexpr std::size_t kAlignment = alignof(std::max_align_t);
  return (size + kAlignment - 1) / kAlignment * kAlignment;
}

}  // namespace

CountedMemory::CountedMemory(Account& account)
    : account_(account),
      block_(account.Admits(kBlockBytes)
                 ? static_cast<char*>(Counted(std::aligned_alloc(kPageBytes, kBlockBytes)))
                 : nullptr) {}

CountedMemory::~CountedMemory() {
  account_.Release(malloc_usable_size(block_));
  std::free(block_);
}

nghttp2_mem CountedMemory::functions() { return {this, Malloc, Free, Calloc, Realloc}; }

void* CountedMemory::Counted(void* made) {
  account_.Charge(malloc_usable_size(made));
  return made;
}

/// A place in the block for what comes first; the buffer for frames is the last one. Null: there is
/// none. A place is not given back.
void* CountedMemory::Place(std::size_t size) {
  if (block_ == nullptr) return nullptr;
  const bool is_last = size >= kFrameBufferBytes;
  if (used_ + size > (is_last ? kBlockBytes : kPageBytes - kFramesBytes)) return nullptr;
  void* const placed = block_ + used_;
  used_ = is_last ? kBlockBytes : used_ + RoundUp(size);
  return placed;
}

bool CountedMemory::IsPlaced(const void* made) const {
  return block_ != nullptr && std::less_equal<>()(block_, made) &&
         std::less<>()(made, block_ + kBlockBytes);
}

void* CountedMemory::Malloc(std::size_t size, void* self) {
  auto& memory = *static_cast<CountedMemory*>(self);
  if (void* const placed = memory.Place(size)) return placed;
  return memory.account_.Admits(size) ? memory.Counted(std::malloc(size)) : nullptr;
}

void* CountedMemory::Calloc(std::size_t count, std::size_t size, void* self) {
  auto& memory = *static_cast<CountedMemory*>(self);
  if (void* const placed = memory.Place(count * size)) return std::memset(placed, 0, count * size);
  return memory.account_.Admits(count * size) ? memory.Counted(std::calloc(count, size)) : nullptr;
}

void CountedMemory::Free(void* made, void* self) {
  auto& memory = *static_cast<CountedMemory*>(self);
  if (memory.IsPlaced(made)) return;
  memory.account_.Release(malloc_usable_size(made));
  std::free(made);
}

void* CountedMemory::Realloc(void* made, std::size_t size, void* self) {
  auto& memory = *static_cast<CountedMemory*>(self);
  if (made == nullptr) return Malloc(size, self);
  if (memory.IsPlaced(made)) {
    const char* const end = memory.block_ + kBlockBytes;
    const auto there = static_cast<std::size_t>(end - static_cast<char*>(made));
    void* const moved = Malloc(size, self);
    return moved == nullptr ? nullptr : std::memmove(moved, made, std::min(size, there));
  }
  const std::size_t before = malloc_usable_size(made);
  if (size > before && !memory.account_.Admits(size - before)) return nullptr;
  void* const moved = std::realloc(made, size);
  if (moved == nullptr) return nullptr;
  memory.account_.Release(before);
  return memory.Counted(moved);
}

}  // namespace twofold::h2
