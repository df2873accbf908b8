#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "lib/queue/job_table.h"
#include "lib/queue/types.h"

namespace twofold::queue {

/// Which job a dedup key stands for, and who else wants to know how it ends.
/// Call it for jobs that have a key only.
///
/// Cost     O(1) a call, plus O(log f) with f jobs that have followers; RemoveFollower is linear in
///          all followers.
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

  void Follow(Slot slot, Follower follower) {
    followers_[slot].push_back(follower);
    ++count_;
  }
  /// It was there before all others.
  void FollowFirst(Slot slot, Follower follower) {
    auto& followers = followers_[slot];
    followers.insert(followers.begin(), follower);
    ++count_;
  }
  void RemoveFollower(SubmitterId submitter);

  /// Removes and returns those who follow the job, in order of arrival.
  std::vector<Follower> TakeFollowers(Slot slot);

  /// Of all jobs together.
  [[nodiscard]] std::uint64_t followers() const { return count_; }

 private:
  std::unordered_map<std::string, Slot> jobs_;
  std::map<Slot, std::vector<Follower>> followers_;
  std::uint64_t count_ = 0;
};

}  // namespace twofold::queue
