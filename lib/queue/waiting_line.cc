#include "lib/queue/waiting_line.h"

#include <bit>

namespace twofold::queue {
namespace {

std::size_t Highest(std::uint32_t levels) {
  return static_cast<std::size_t>(std::bit_width(levels)) - 1;
}

}  // namespace

void WaitingLine::Add(Slot slot) {
  const std::size_t level = LevelOf(jobs_[slot]);
  levels_[level].Add(jobs_, slot);
  occupied_ |= 1U << level;
  ++size_;
}

void WaitingLine::Remove(Slot slot) {
  const std::size_t level = LevelOf(jobs_[slot]);
  levels_[level].Remove(jobs_, slot);
  Left(level);
}

void WaitingLine::Take(Slot slot) {
  const std::size_t level = LevelOf(jobs_[slot]);
  levels_[level].Take(jobs_, slot);
  Left(level);
}

Precedence WaitingLine::PrecedenceOf(Slot slot) const {
  const Job& job = jobs_[slot];
  const auto level = static_cast<int>(LevelOf(job));
  const bool strict = ageing_ == Duration::zero();
  const Instant rank = strict ? Instant() : job.accepted - level * ageing_;
  return {rank, -level, job.accepted, job.sequence};
}

std::size_t WaitingLine::FrontLevel() const {
  std::size_t best = Highest(occupied_);
  if (ageing_ > Duration::zero()) {
    // From high to low, so that of equals the higher priority stays.
    for (std::uint32_t rest = occupied_ & ~(1U << best); rest != 0;) {
      const std::size_t level = Highest(rest);
      if (Rank(level) < Rank(best)) best = level;
      rest &= ~(1U << level);
    }
  }
  return best;
}

Instant WaitingLine::Rank(std::size_t level) const {
  // Counted from the lowest level: a constant shift that changes no comparison.
  const Instant accepted = jobs_[levels_[level].Front(jobs_)].accepted;
  return accepted - static_cast<Duration::rep>(level) * ageing_;
}

void WaitingLine::Left(std::size_t level) {
  if (levels_[level].empty()) occupied_ &= ~(1U << level);
  --size_;
}

}  // namespace twofold::queue
