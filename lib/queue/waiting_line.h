#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>

#include "lib/queue/job_table.h"
#include "lib/queue/types.h"

namespace twofold::queue {

/// The order of the jobs that wait: one line a priority level, and a rule between their heads.
///
/// Priority first, but nothing starves: having waited for `ageing` is worth one level. So of two
/// heads the one goes first whose (now - accepted) / ageing + priority is larger. `now` is the same
/// for both and drops out: it is the one whose accepted - priority * ageing is smaller. That value
/// never changes, so a job needs no new place as it ages, and choosing needs no clock.
///
/// Within a level the order is that of arrival. A returned job was handed out before all that still
/// wait in the level's line, so returned jobs, sorted among themselves, stand in front of the line.
///
/// Cost     O(1) a call, with at most 21 heads to compare; O(log r) for a job that is one of r
///          returned ones.
class WaitingLine {
 public:
  /// `ageing` 0: strict priority.
  WaitingLine(JobTable& jobs, Duration ageing) : jobs_(jobs), ageing_(ageing) {}

  /// Puts a job in its place: new ones at the back of their level, returned ones (by their state)
  /// at its front in order of arrival.
  void Add(Slot slot);
  void Remove(Slot slot);

  /// The job that goes next. There must be one.
  [[nodiscard]] Slot Front() const;

  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::uint64_t size() const { return size_; }

  /// When the job that waits longest was accepted; nullopt: none waits.
  [[nodiscard]] std::optional<Instant> Oldest() const;

 private:
  static constexpr std::size_t kLevels = kHighestPriority - kLowestPriority + 1;
  static_assert(kLevels <= 32, "occupied_ has one bit a level");

  struct Level {
    std::set<std::pair<std::uint64_t, Slot>> returned;  // by order of arrival
    JobsInPlace line;

    [[nodiscard]] bool empty() const { return returned.empty() && line.empty(); }
    [[nodiscard]] Slot front() const {
      return returned.empty() ? line.front() : returned.begin()->second;
    }
  };

  [[nodiscard]] std::size_t LevelOf(const Job& job) const;
  [[nodiscard]] Instant Rank(std::size_t level) const;

  JobTable& jobs_;
  const Duration ageing_;
  std::array<Level, kLevels> levels_;
  std::uint32_t occupied_ = 0;  // bit i: level i is not empty
  std::uint64_t size_ = 0;
};

}  // namespace twofold::queue
