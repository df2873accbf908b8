#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
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
  [[nodiscard]] Slot Find(const std::string& key) const;

  void Add(Slot slot, const Job& job);
  void Remove(Slot slot, const Job& job);

  void Follow(Slot slot, Follower follower) { Insert({slot, ++last_}, follower); }
  /// The follower was there before all others.
  void FollowFirst(Slot slot, Follower follower) { Insert({slot, --first_}, follower); }
  /// The submitter follows one job less. False: it followed none.
  bool RemoveOneOf(SubmitterId submitter);

  /// Removes and returns the one who follows the job longest; nullopt: nobody does.
  std::optional<Follower> TakeFollower(Slot slot);

  /// Of all jobs together.
  [[nodiscard]] std::uint64_t followers() const { return followers_.size(); }

 private:
  using Place = std::pair<Slot, std::int64_t>;  // the job, and the order among its followers

  void Insert(Place place, Follower follower);
  Follower Erase(std::map<Place, Follower>::iterator follower);

  std::unordered_map<std::string, Slot> jobs_;
  std::map<Place, Follower> followers_;
  std::set<std::pair<SubmitterId, Place>> by_submitter_;
  std::int64_t first_ = 0;
  std::int64_t last_ = 0;
};

}  // namespace twofold::queue
