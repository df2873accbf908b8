#include "lib/queue/job_table.h"

#include <algorithm>
#include <utility>

namespace twofold::queue {
namespace {

constexpr std::uint32_t kGenerations = 1U << 23;

// Generation 0 is left out, so that no id is 0.
std::uint32_t Valid(std::uint32_t generation) { return std::max(generation % kGenerations, 1U); }

}  // namespace

JobTable::JobTable(std::uint32_t first_generation, std::uint8_t queue_number)
    : id_base_(std::uint64_t{queue_number} << 56), first_generation_(Valid(first_generation)) {}

Slot JobTable::Add(std::shared_ptr<const JobOptions> options, std::string_view spec,
                   std::uint64_t sequence) {
  const Slot slot = TakeSlot();
  if (options->durable) durable_.emplace(DurableId(sequence), slot);
  Job& job = (*this)[slot];
  job.options = std::move(options);
  job.sequence = sequence;
  job.spec_size = static_cast<std::uint32_t>(spec.size());
  if (!spec.empty()) {
    job.spec_bytes.reset(new char[spec.size()]);  // make_unique would clear it first
    std::copy(spec.begin(), spec.end(), job.spec_bytes.get());
  }
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
  job.spec_bytes.reset();
  job.submitter = nullptr;
  job.generation = Valid(job.generation + 1);
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
  (*this)[end_].generation = first_generation_;
  return end_++;
}

}  // namespace twofold::queue
