#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "lib/queue/job_table.h"
#include "lib/queue/types.h"

namespace twofold::queue {

/// Which job a dedup key stands for, and who else wants to know how it ends.
/// Call it for jobs that have a key only.
///
/// Cost     O(1) a call for keys, O(log f) for one of f followers.
class DedupKeys {
 public:
  /// Submitted the same job again.
  struct Follower {
    SubmitterId submitter;
    std::uint64_t tag;
  };

  /// The job that waits or runs with this key; kNoSlot if there is none.
  [[nodiscard]] Slot Find(const std::string& key) const {
    const auto found = jobs_.find(key);
    return found == jobs_.end() ? kNoSlot : found->second;
  }

  void Add(Slot slot, const Job& job) { jobs_.emplace(job.options->dedup_key, slot); }
  void Remove(Slot slot, const Job& job) {
    jobs_.erase(job.options->dedup_key);
    while (TakeFollower(slot)) continue;
  }

  void Follow(Slot slot, Follower follower) { Insert({slot, ++last_}, follower); }
  /// The follower was there before all others.
  void FollowFirst(Slot slot, Follower follower) { Insert({slot, --first_}, follower); }
  /// The submitter follows one job less. False: it followed none.
  bool RemoveOneOf(SubmitterId submitter) {
    const auto first = by_submitter_.lower_bound({submitter, {0, kFirst}});
    if (first == by_submitter_.end() || first->first != submitter) return false;
    Erase(followers_.find(first->second));
    return true;
  }

  /// Removes and returns the one who follows the job longest; nullopt: nobody does.
  std::optional<Follower> TakeFollower(Slot slot) {
    const auto first = followers_.lower_bound({slot, kFirst});
    if (first == followers_.end() || first->first.first != slot) return std::nullopt;
    return Erase(first);
  }

  /// Of all jobs together.
  [[nodiscard]] std::uint64_t followers() const { return followers_.size(); }

 private:
  using Place = std::pair<Slot, std::int64_t>;  // the job, and the order among its followers
  static constexpr std::int64_t kFirst = std::numeric_limits<std::int64_t>::min();

  void Insert(Place place, Follower follower) {
    followers_.emplace(place, follower);
    by_submitter_.emplace(follower.submitter, place);
  }
  Follower Erase(std::map<Place, Follower>::iterator at) {
    const Follower erased = at->second;
    by_submitter_.erase({erased.submitter, at->first});
    followers_.erase(at);
    return erased;
  }

  std::unordered_map<std::string, Slot> jobs_;
  std::map<Place, Follower> followers_;
  std::set<std::pair<SubmitterId, Place>> by_submitter_;
  std::int64_t first_ = 0;
  std::int64_t last_ = 0;
};

}  // namespace twofold::queue
