#include "lib/queue/job_table.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace twofold::queue {

char* SpecBytes::Add(std::string_view spec) {
  if (spec.empty()) return nullptr;
  char* const stored = Take(StoredSize(spec.size()));
  const auto size = static_cast<std::uint32_t>(spec.size());
  std::memcpy(stored, &size, sizeof size);
  std::memcpy(stored + sizeof size, spec.data(), spec.size());
  return stored;
}

char* SpecBytes::AddElsewhere(std::uint32_t size) {
  if (size == 0) return nullptr;
  char* const stored = Take(StoredSize(1));
  const std::uint32_t marked = size | kIsElsewhere;
  std::memcpy(stored, &marked, sizeof marked);
  return stored;
}

char* SpecBytes::Take(std::size_t size) {
  if (size > kLargest) return new char[size];
  char*& freed = freed_[size / kStep];
  if (char* const bytes = freed; bytes != nullptr) {
    std::memcpy(&freed, bytes, sizeof freed);
    return bytes;
  }
  if (left_ < size) {
    slabs_.emplace_back(new char[kSlab]);  // make_unique would clear it first
    left_ = kSlab;
  }
  left_ -= size;
  return &slabs_.back()[left_];
}

void SpecBytes::Free(char* stored) {
  if (stored == nullptr) return;
  const std::size_t size = StoredSize(std::max<std::size_t>(View(stored).size(), 1));
  if (size > kLargest) {
    delete[] stored;
    return;
  }
  char*& freed = freed_[size / kStep];
  std::memcpy(stored, &freed, sizeof freed);
  freed = stored;
}

std::string_view SpecBytes::View(const char* stored) {
  if (stored == nullptr) return {};
  std::uint32_t size = 0;
  std::memcpy(&size, stored, sizeof size);
  if ((size & kIsElsewhere) != 0) return {};
  return {stored + sizeof size, size};
}

std::uint32_t SpecBytes::Elsewhere(const char* stored) {
  if (stored == nullptr) return 0;
  std::uint32_t size = 0;
  std::memcpy(&size, stored, sizeof size);
  return (size & kIsElsewhere) != 0 ? size & ~kIsElsewhere : 0;
}

JobTable::JobTable(std::uint32_t first_generation, std::uint8_t queue_number)
    : id_base_(static_cast<std::uint64_t>(LowestId(queue_number))),
      first_generation_(Valid(first_generation)) {
  tries_.Take();  // those of jobs that were never handed out
}

JobTable::~JobTable() {
  for (Slot slot = 0; slot < end(); ++slot) specs_.Free(jobs_[slot].stored_spec);
}

void JobTable::KeepId(Slot slot, JobId id) {
  jobs_[slot].keeps_id = 1;
  kept_ids_.emplace(slot, id);
  by_kept_ids_.emplace(id, slot);
}

Slot JobTable::Find(JobId id) const {
  if (IsDurable(id)) {
    const auto found = durable_.find(id);
    return found == durable_.end() ? kNoSlot : found->second;
  }
  const Slot slot = static_cast<Slot>(static_cast<std::uint64_t>(id));
  if (slot < end() && jobs_[slot].state != JobState::kFree && IdOf(slot) == id) return slot;
  if (by_kept_ids_.empty()) return kNoSlot;
  const auto kept = by_kept_ids_.find(id);
  return kept == by_kept_ids_.end() ? kNoSlot : kept->second;
}

}  // namespace twofold::queue
