#include "lib/queue/key_limits.h"

#include <algorithm>

namespace twofold::queue {

bool KeyLimits::Enter(Slot slot) {
  Job& job = jobs_[slot];
  if (job.options->limit_key.empty()) return true;
  Key& key = keys_[job.options->limit_key];
  key.limit = std::max(job.options->key_limit, 1U);
  if (key.admitted < key.limit && key.parked.empty()) {
    ++key.admitted;
    return true;
  }
  job.state = JobState::kParked;
  key.parked.insert(PlaceOf(slot));
  ++parked_;
  return false;
}

void KeyLimits::Readmit(Slot slot) {
  const JobOptions& options = *jobs_[slot].options;
  if (options.limit_key.empty()) return;
  Key& key = keys_[options.limit_key];
  key.limit = std::max(options.key_limit, 1U);
  ++key.admitted;
}

void KeyLimits::Leave(Slot slot) {
  const Job& job = jobs_[slot];
  if (job.options->limit_key.empty()) return;
  const auto found = keys_.find(job.options->limit_key);
  Key& key = found->second;
  if (job.state == JobState::kParked) {
    key.parked.erase(PlaceOf(slot));
    --parked_;
  } else {
    --key.admitted;
  }
  if (key.admitted == 0 && key.parked.empty()) keys_.erase(found);
}

Slot KeyLimits::AdmitNext(const std::string& name) {
  const auto found = keys_.find(name);
  if (found == keys_.end()) return kNoSlot;
  Key& key = found->second;
  if (key.parked.empty() || key.admitted >= key.limit) return kNoSlot;
  const Slot slot = std::get<Slot>(*key.parked.begin());
  key.parked.erase(key.parked.begin());
  --parked_;
  ++key.admitted;
  return slot;
}

std::tuple<int, std::uint64_t, Slot> KeyLimits::PlaceOf(Slot slot) const {
  const Job& job = jobs_[slot];
  return {-job.options->priority, job.sequence, slot};
}

}  // namespace twofold::queue
