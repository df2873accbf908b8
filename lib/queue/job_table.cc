#include "lib/queue/job_table.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace twofold::queue {
namespace {

constexpr std::uint32_t kGenerations = 1U << 23;

// Generation 0 is left out, so that no id is 0.
std::uint32_t Valid(std::uint32_t generation) { return std::max(generation % kGenerations, 1U); }

void NextGeneration(Job& job) { job.generation = Valid(job.generation + 1) & (kGenerations - 1); }

}  // namespace

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
    : id_base_(std::uint64_t{queue_number} << 56), first_generation_(Valid(first_generation)) {
  tries_.Take();  // those of jobs that were never handed out
}

JobTable::~JobTable() {
  for (Slot slot = 0; slot < end(); ++slot) specs_.Free(jobs_[slot].stored_spec);
}

Slot JobTable::Add(std::shared_ptr<const JobOptions> options, std::string_view spec,
                   std::uint64_t sequence, std::uint32_t spec_elsewhere) {
  const Slot slot = jobs_.Take();
  if (options->durable) durable_.emplace(DurableId(sequence), slot);
  Job& job = jobs_[slot];
  if (job.generation == 0) job.generation = first_generation_ & (kGenerations - 1);  // a new slot
  while (!by_kept_ids_.empty() && by_kept_ids_.contains(OwnId(slot))) NextGeneration(job);
  job.options = std::move(options);
  job.sequence = sequence;
  job.stored_spec = spec_elsewhere > 0 ? specs_.AddElsewhere(spec_elsewhere) : specs_.Add(spec);
  job.state = JobState::kWaiting;
  return slot;
}

void JobTable::Free(Slot slot) {
  Job& job = jobs_[slot];
  if (job.options->durable) durable_.erase(DurableId(job.sequence));
  if (job.keeps_id) by_kept_ids_.erase(kept_ids_.extract(slot).mapped());
  job.keeps_id = 0;
  job.options.reset();
  specs_.Free(std::exchange(job.stored_spec, nullptr));
  if (const Slot tries = std::exchange(job.tries, 0); tries != 0) tries_.Free(tries);
  job.submitter = nullptr;
  NextGeneration(job);
  job.state = JobState::kFree;
  jobs_.Free(slot);
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
