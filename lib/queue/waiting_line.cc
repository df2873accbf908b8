#include "lib/queue/waiting_line.h"

#include <algorithm>
#include <bit>

namespace twofold::queue {
namespace {

std::size_t Highest(std::uint32_t levels) {
  return static_cast<std::size_t>(std::bit_width(levels)) - 1;
}

}  // namespace

void WaitingLine::Add(Slot slot) {
  const Job& job = jobs_[slot];
  const std::size_t at = LevelOf(job);
  if (job.state == JobState::kReturned) {
    levels_[at].returned.emplace(job.sequence, slot);
  } else {
    levels_[at].line.PushBack(jobs_, slot);
  }
  occupied_ |= 1U << at;
  ++size_;
}

void WaitingLine::Remove(Slot slot) {
  const Job& job = jobs_[slot];
  const std::size_t at = LevelOf(job);
  if (job.state == JobState::kReturned) {
    levels_[at].returned.erase({job.sequence, slot});
  } else {
    levels_[at].line.Remove(jobs_, slot);
  }
  if (levels_[at].empty()) occupied_ &= ~(1U << at);
  --size_;
}

Slot WaitingLine::Front() const {
  std::size_t best = Highest(occupied_);
  if (ageing_ > Duration::zero()) {
    // From high to low, so that of equals the higher priority stays.
    for (std::uint32_t rest = occupied_ & ~(1U << best); rest != 0;) {
      const std::size_t level = Highest(rest);
      if (Rank(level) < Rank(best)) best = level;
      rest &= ~(1U << level);
    }
  }
  return levels_[best].front();
}

std::optional<Instant> WaitingLine::Oldest() const {
  std::optional<Instant> oldest;
  for (const Level& level : levels_) {
    if (level.empty()) continue;
    const Instant accepted = jobs_[level.front()].accepted;
    oldest = oldest ? std::min(*oldest, accepted) : accepted;
  }
  return oldest;
}

std::size_t WaitingLine::LevelOf(const Job& job) const {
  return static_cast<std::size_t>(
      std::clamp(job.options->priority, kLowestPriority, kHighestPriority) - kLowestPriority);
}

Instant WaitingLine::Rank(std::size_t level) const {
  // Counted from the lowest level: a constant shift that changes no comparison.
  return jobs_[levels_[level].front()].accepted - static_cast<Duration::rep>(level) * ageing_;
}

}  // namespace twofold::queue
