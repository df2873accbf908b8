#pragma once

#include <cstdint>
#include <set>
#include <tuple>

#include "lib/queue/job_table.h"

namespace twofold::queue {

/// Jobs in order of arrival: when they were accepted (or their delay was over), then by number.
/// Those that come in order stand in a list; those that were elsewhere meanwhile
/// (JobState::kSortedIn) are sorted in.
///
/// Cost     O(1) a call; O(log s) for one of s jobs that were sorted in.
class Lane {
 public:
  void Add(JobTable& jobs, Slot slot) {
    const Job& job = jobs[slot];
    if (job.state == JobState::kSortedIn) {
      sorted_in_.insert(PlaceOf(job, slot));
    } else {
      line_.PushBack(jobs, slot);
    }
  }

  void Remove(JobTable& jobs, Slot slot) {
    const Job& job = jobs[slot];
    if (job.state == JobState::kSortedIn) {
      sorted_in_.erase(PlaceOf(job, slot));
    } else {
      line_.Remove(jobs, slot);
    }
  }

  [[nodiscard]] bool empty() const { return line_.empty() && sorted_in_.empty(); }

  /// REQUIRES: !empty().
  [[nodiscard]] Slot Front(const JobTable& jobs) const {
    if (sorted_in_.empty()) return line_.front();
    const Place first = *sorted_in_.begin();
    if (line_.empty()) return std::get<Slot>(first);
    const Slot front = line_.front();
    return first < PlaceOf(jobs[front], front) ? std::get<Slot>(first) : front;
  }

 private:
  using Place = std::tuple<Instant, std::uint64_t, Slot>;

  static Place PlaceOf(const Job& job, Slot slot) { return {job.accepted, job.sequence, slot}; }

  std::set<Place> sorted_in_;
  JobsInPlace line_;
};

}  // namespace twofold::queue
