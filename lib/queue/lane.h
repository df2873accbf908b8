#pragma once

#include <cstdint>
#include <set>
#include <utility>

#include "lib/queue/job_table.h"

namespace twofold::queue {

/// Jobs in order of arrival, by their numbers. Those that come in order stand in a list; those that
/// were elsewhere meanwhile (JobState::kSortedIn) are sorted in by number.
///
/// Cost     O(1) a call; O(log s) for one of s jobs that were sorted in.
class Lane {
 public:
  void Add(JobTable& jobs, Slot slot) {
    const Job& job = jobs[slot];
    if (job.state == JobState::kSortedIn) {
      sorted_in_.emplace(job.sequence, slot);
    } else {
      line_.PushBack(jobs, slot);
    }
  }

  void Remove(JobTable& jobs, Slot slot) {
    const Job& job = jobs[slot];
    if (job.state == JobState::kSortedIn) {
      sorted_in_.erase({job.sequence, slot});
    } else {
      line_.Remove(jobs, slot);
    }
  }

  [[nodiscard]] bool empty() const { return line_.empty() && sorted_in_.empty(); }

  /// REQUIRES: !empty().
  [[nodiscard]] Slot Front(const JobTable& jobs) const {
    if (sorted_in_.empty()) return line_.front();
    const auto [sequence, slot] = *sorted_in_.begin();
    return line_.empty() || sequence < jobs[line_.front()].sequence ? slot : line_.front();
  }

 private:
  std::set<std::pair<std::uint64_t, Slot>> sorted_in_;
  JobsInPlace line_;
};

}  // namespace twofold::queue
