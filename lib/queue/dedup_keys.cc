#include "lib/queue/dedup_keys.h"

#include <limits>

namespace twofold::queue {
namespace {

constexpr std::int64_t kFirst = std::numeric_limits<std::int64_t>::min();

}  // namespace

Slot DedupKeys::Find(const std::string& key) const {
  const auto found = jobs_.find(key);
  return found == jobs_.end() ? kNoSlot : found->second;
}

void DedupKeys::Add(Slot slot, const Job& job) { jobs_.emplace(job.options->dedup_key, slot); }

void DedupKeys::Remove(Slot slot, const Job& job) {
  jobs_.erase(job.options->dedup_key);
  while (TakeFollower(slot)) {
  }
}

bool DedupKeys::RemoveOneOf(SubmitterId submitter) {
  const auto first = by_submitter_.lower_bound({submitter, {0, kFirst}});
  if (first == by_submitter_.end() || first->first != submitter) return false;
  Erase(followers_.find(first->second));
  return true;
}

std::optional<DedupKeys::Follower> DedupKeys::TakeFollower(Slot slot) {
  if (followers_.empty()) return std::nullopt;
  const auto first = followers_.lower_bound({slot, kFirst});
  if (first == followers_.end() || first->first.first != slot) return std::nullopt;
  return Erase(first);
}

void DedupKeys::Insert(Place place, Follower follower) {
  followers_.emplace(place, follower);
  by_submitter_.emplace(follower.submitter, place);
}

DedupKeys::Follower DedupKeys::Erase(std::map<Place, Follower>::iterator follower) {
  const Follower erased = follower->second;
  by_submitter_.erase({erased.submitter, follower->first});
  followers_.erase(follower);
  return erased;
}

}  // namespace twofold::queue
