#include "lib/queue/key_limits.h"

#include <algorithm>

namespace twofold::queue {

void KeyLimits::Enter(Slot slot) { Park(Tell(*jobs_[slot].options), PlaceOf(slot)); }

void KeyLimits::EnterRunning(Slot slot) { ++Tell(*jobs_[slot].options).running; }

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
  Retract(key, *jobs_[slot].options);
  ForgetUnused(jobs_[slot].options->limit_key);
}

void KeyLimits::Keep(const JobOptions& options) { ++Tell(options).running; }

void KeyLimits::Release(const JobOptions& options) {
  Key& key = keys_.at(options.limit_key);
  --key.running;
  Retract(key, options);
  ForgetUnused(options.limit_key);
}

/// Who has a place says a limit.
void KeyLimits::ForgetUnused(const std::string& name) {
  const auto found = keys_.find(name);
  if (found->second.said.empty()) keys_.erase(found);
}

std::optional<KeyLimits::Move> KeyLimits::NextMove(const std::string& name) {
  const auto found = keys_.find(name);
  if (found == keys_.end()) return std::nullopt;
  Key& key = found->second;
  const std::uint64_t admitted = key.running + key.in_line.size();
  const bool overtakes =
      !key.parked.empty() && !key.in_line.empty() && *key.parked.begin() < *key.in_line.rbegin();
  if (overtakes || (!key.parked.empty() && admitted < key.limit())) {
    const auto node = key.parked.extract(key.parked.begin());
    --parked_;
    key.in_line.insert(node.value());
    return Move{node.value().second, true};
  }
  if (key.in_line.empty() || admitted <= key.limit()) return std::nullopt;
  const Place last = *key.in_line.rbegin();
  key.in_line.erase(last);
  Park(key, last);
  return Move{last.second, false};
}

/// One more says this limit.
KeyLimits::Key& KeyLimits::Tell(const JobOptions& options) {
  Key& key = keys_[options.limit_key];
  ++key.said[std::max(options.key_limit, 1U)];
  return key;
}

void KeyLimits::Retract(Key& key, const JobOptions& options) {
  const auto said = key.said.find(std::max(options.key_limit, 1U));
  if (--said->second == 0) key.said.erase(said);
}

void KeyLimits::Park(Key& key, Place place) {
  key.parked.insert(place);
  ++parked_;
}

}  // namespace twofold::queue
