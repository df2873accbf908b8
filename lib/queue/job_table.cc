#include "lib/queue/job_table.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace twofold::queue {
namespace {

constexpr std::uint32_t kGenerations = 1U << 23;

// Generation 0 is left out, so that no id is 0.
std::uint32_t Valid(std::uint32_t generation) { return std::max(generation % kGenerations, 1U); }

}  // namespace

char* SpecBytes::Add(std::string_view spec) {
  if (spec.empty()) return nullptr;
  char* const bytes = spec.size() > kLargest ? new char[spec.size()] : Take(Rounded(spec.size()));
  std::memcpy(bytes, spec.data(), spec.size());
  return bytes;
}

char* SpecBytes::Take(std::size_t size) {
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

void SpecBytes::Free(char* bytes, std::size_t size) {
  if (bytes == nullptr) return;
  if (size > kLargest) {
    delete[] bytes;
    return;
  }
  char*& freed = freed_[Rounded(size) / kStep];
  std::memcpy(bytes, &freed, sizeof freed);
  freed = bytes;
}

JobTable::JobTable(std::uint32_t first_generation, std::uint8_t queue_number)
    : id_base_(std::uint64_t{queue_number} << 56), first_generation_(Valid(first_generation)) {}

JobTable::~JobTable() {
  for (Slot slot = 0; slot < end_; ++slot) {
    specs_.Free((*this)[slot].spec_bytes, (*this)[slot].spec_size);
  }
}

Slot JobTable::Add(std::shared_ptr<const JobOptions> options, std::string_view spec,
                   std::uint64_t sequence) {
  const Slot slot = TakeSlot();
  if (options->durable) durable_.emplace(DurableId(sequence), slot);
  Job& job = (*this)[slot];
  job.options = std::move(options);
  job.sequence = sequence;
  job.spec_size = static_cast<std::uint32_t>(spec.size());
  job.spec_bytes = specs_.Add(spec);
  job.attempts = 0;
  job.lost_attempts = 0;
  job.gang = kNoSlot;
  job.state = JobState::kWaiting;
  return slot;
}

void JobTable::Free(Slot slot) {
  Job& job = (*this)[slot];
  if (job.options->durable) durable_.erase(DurableId(job.sequence));
  job.options.reset();
  specs_.Free(job.spec_bytes, job.spec_size);
  job.spec_bytes = nullptr;
  job.submitter = nullptr;
  job.generation = Valid(job.generation + 1) & (kGenerations - 1);
  job.state = JobState::kFree;
  job.place.next = free_;
  free_ = slot;
}

Slot JobTable::Find(JobId id) const {
  if (IsDurable(id)) {
    const auto found = durable_.find(id);
    return found == durable_.end() ? kNoSlot : found->second;
  }
  const Slot slot = static_cast<Slot>(static_cast<std::uint64_t>(id));
  if (slot >= end_) return kNoSlot;
  return (*this)[slot].state != JobState::kFree && IdOf(slot) == id ? slot : kNoSlot;
}

Slot JobTable::TakeSlot() {
  if (free_ != kNoSlot) return std::exchange(free_, (*this)[free_].place.next);
  if (end_ % kPage == 0) pages_.push_back(std::make_unique<Job[]>(kPage));
  (*this)[end_].generation = first_generation_ & (kGenerations - 1);
  return end_++;
}

}  // namespace twofold::queue
