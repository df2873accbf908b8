#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <optional>

#include "lib/queue/fair_lanes.h"
#include "lib/queue/job_table.h"
#include "lib/queue/types.h"

namespace twofold::queue {

/// The order between jobs, of different priorities too: the smaller one goes first. It never
/// changes.
struct Precedence {
  Instant rank;  ///< what ages; the same for all when priorities do not
  int level;     ///< the negative priority
  Instant accepted;
  std::uint64_t sequence;

  friend auto operator<=>(const Precedence&, const Precedence&) = default;
};

/// The order of the jobs that wait for a worker: the lanes of each priority, and a rule between
/// their heads.
///
/// Priority first, but nothing starves: having waited for `ageing` is worth one level. So of two
/// heads the one goes first whose (now - accepted) / ageing + priority is larger. `now` is the same
/// for both and drops out: it is the one whose accepted - priority * ageing is smaller. That value
/// never changes, so a job needs no new place as it ages, and choosing needs no clock.
///
/// Jobs whose turn has come and who wait for something else are set aside: they are out of the line
/// and keep their rank.
///
/// Cost     That of Lane, with at most 21 heads to compare; see FairLanes for what keys add.
class WaitingLine {
 public:
  /// `ageing` 0: strict priority.
  WaitingLine(JobTable& jobs, Duration ageing) : jobs_(jobs), ageing_(ageing) {}

  /// Puts a job in its place (see Lane).
  void Add(Slot slot) {
    const std::size_t level = LevelOf(jobs_[slot]);
    levels_[level].lanes.Add(jobs_, slot);
    if (HasKey(slot)) levels_[level].keyed.Add(jobs_, slot);
    occupied_ |= 1U << level;
    ++size_;
  }

  /// Takes a job out of turn.
  void Remove(Slot slot);

  /// Takes the job that goes next: `slot` is what Front says.
  void Take(Slot slot) {
    const std::size_t level = LevelOf(jobs_[slot]);
    levels_[level].lanes.Take(jobs_, slot);
    if (HasKey(slot)) levels_[level].keyed.Remove(jobs_, slot);
    Left(level);
  }
  /// REQUIRES: !empty().
  [[nodiscard]] Slot Front() const { return levels_[FrontLevel()].lanes.Front(); }

  /// Takes the job that goes next, and counts it among those that wait until it no longer does.
  void SetAside(Slot slot);
  void EndAside(Slot slot);

  [[nodiscard]] Precedence PrecedenceOf(Slot slot) const;

  /// Without those set aside.
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::uint64_t size() const { return size_; }

  /// How many jobs go before this one, if no more come: of its own priority as FairLanes says; of
  /// others, and of those set aside, the jobs with Precedence, as if keys there took no turns.
  ///
  /// Cost  Lane::CountWhile for each priority, and what FairLanes::Ahead adds.
  [[nodiscard]] std::uint64_t Ahead(Slot slot) const;

  /// When the job was accepted that waits longest, set aside or not; nullopt: there is none.
  [[nodiscard]] std::optional<Instant> Oldest() const;

 private:
  static constexpr std::size_t kLevels = kHighestPriority - kLowestPriority + 1;
  static_assert(kLevels <= 32, "occupied_ has one bit a level");

  struct Level {
    FairLanes lanes;
    Lane keyed;  // jobs with a fair key once more, for their rank
    Lane aside;
  };

  /// The priority of a job, from 0.
  [[nodiscard]] static std::size_t LevelOf(const Job& job) {
    return static_cast<std::size_t>(
        std::clamp(job.options->priority, kLowestPriority, kHighestPriority) - kLowestPriority);
  }
  [[nodiscard]] bool HasKey(Slot slot) const { return !jobs_[slot].options->fair_key.empty(); }
  [[nodiscard]] std::size_t FrontLevel() const;
  [[nodiscard]] Instant Rank(std::size_t level) const;
  void Left(std::size_t level) {
    if (levels_[level].lanes.empty()) occupied_ &= ~(1U << level);
    --size_;
  }

  JobTable& jobs_;
  const Duration ageing_;
  std::array<Level, kLevels> levels_;
  std::uint32_t occupied_ = 0;  // bit i: level i is not empty
  std::uint64_t size_ = 0;
};

}  // namespace twofold::queue
