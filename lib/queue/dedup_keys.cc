#include "lib/queue/dedup_keys.h"

#include <utility>

namespace twofold::queue {

Slot DedupKeys::Find(const std::string& key) const {
  const auto found = jobs_.find(key);
  return found == jobs_.end() ? kNoSlot : found->second;
}

void DedupKeys::Add(Slot slot, const Job& job) { jobs_.emplace(job.options->dedup_key, slot); }

void DedupKeys::Remove(Slot slot, const Job& job) {
  jobs_.erase(job.options->dedup_key);
  TakeFollowers(slot);
}

void DedupKeys::RemoveFollower(SubmitterId submitter) {
  for (auto& [slot, followers] : followers_) {
    count_ -=
        std::erase_if(followers, [&](const Follower& one) { return one.submitter == submitter; });
  }
  std::erase_if(followers_, [](const auto& entry) { return entry.second.empty(); });
}

std::vector<DedupKeys::Follower> DedupKeys::TakeFollowers(Slot slot) {
  auto found = followers_.extract(slot);
  if (!found) return {};
  count_ -= found.mapped().size();
  return std::move(found.mapped());
}

}  // namespace twofold::queue
