#include "lib/queue/key_limits.h"

#include <algorithm>

namespace twofold::queue {

void KeyLimits::Enter(Slot slot) { Park(Tell(slot), PlaceOf(slot)); }

void KeyLimits::EnterRunning(Slot slot) { ++Tell(slot).running; }

void KeyLimits::Start(Slot slot) {
  Key& key = KeyOf(slot);
  key.in_line.erase(PlaceOf(slot));
  ++key.running;
}

void KeyLimits::PutBack(Slot slot) {
  Key& key = KeyOf(slot);
  --key.running;
  Park(key, PlaceOf(slot));
}

void KeyLimits::Leave(Slot slot) {
  Key& key = KeyOf(slot);
  const JobState state = jobs_[slot].state;
  if (state == JobState::kParked) {
    key.parked.erase(PlaceOf(slot));
    --parked_;
  } else if (key.in_line.erase(PlaceOf(slot)) == 0) {
    --key.running;
  }
  ForgetUnused(jobs_[slot].options->limit_key);
}

void KeyLimits::Release(const std::string& key) {
  --keys_.at(key).running;
  ForgetUnused(key);
}

void KeyLimits::ForgetUnused(const std::string& name) {
  const auto found = keys_.find(name);
  const Key& key = found->second;
  if (key.running == 0 && key.in_line.empty() && key.parked.empty()) keys_.erase(found);
}

std::optional<KeyLimits::Move> KeyLimits::NextMove(const std::string& name) {
  const auto found = keys_.find(name);
  if (found == keys_.end()) return std::nullopt;
  Key& key = found->second;
  const std::uint64_t admitted = key.running + key.in_line.size();
  const bool overtakes =
      !key.parked.empty() && !key.in_line.empty() && *key.parked.begin() < *key.in_line.rbegin();
  if (overtakes || (!key.parked.empty() && admitted < key.limit)) {
    const auto node = key.parked.extract(key.parked.begin());
    --parked_;
    key.in_line.insert(node.value());
    return Move{node.value().second, true};
  }
  if (key.in_line.empty() || admitted <= key.limit) return std::nullopt;
  const Place last = *key.in_line.rbegin();
  key.in_line.erase(last);
  Park(key, last);
  return Move{last.second, false};
}

/// The newest job says what counts for its key.
KeyLimits::Key& KeyLimits::Tell(Slot slot) {
  Key& key = KeyOf(slot);
  const Job& job = jobs_[slot];
  if (job.sequence >= key.said_by) {
    key.limit = std::max(job.options->key_limit, 1U);
    key.said_by = job.sequence;
  }
  return key;
}

void KeyLimits::Park(Key& key, Place place) {
  key.parked.insert(place);
  ++parked_;
}

}  // namespace twofold::queue
