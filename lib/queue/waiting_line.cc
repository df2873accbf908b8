#include "lib/queue/waiting_line.h"

#include <bit>

namespace twofold::queue {
namespace {

std::size_t Highest(std::uint32_t levels) {
  return static_cast<std::size_t>(std::bit_width(levels)) - 1;
}

}  // namespace

void WaitingLine::Remove(Slot slot) {
  const std::size_t level = LevelOf(jobs_[slot]);
  levels_[level].lanes.Remove(jobs_, slot);
  if (HasKey(slot)) levels_[level].keyed.Remove(jobs_, slot);
  Left(level);
}

void WaitingLine::SetAside(Slot slot) {
  Take(slot);
  levels_[LevelOf(jobs_[slot])].aside.Add(jobs_, slot);
}

void WaitingLine::EndAside(Slot slot) { levels_[LevelOf(jobs_[slot])].aside.Remove(jobs_, slot); }

std::uint64_t WaitingLine::Ahead(Slot slot) const {
  const Precedence own = PrecedenceOf(slot);
  const auto is_ahead = [&](Slot other) { return PrecedenceOf(other) < own; };
  const Level& own_level = levels_[LevelOf(jobs_[slot])];
  const bool takes_turns = !own_level.aside.Contains(jobs_, slot);
  std::uint64_t ahead = takes_turns ? own_level.lanes.Ahead(jobs_, slot) : 0;
  for (const Level& level : levels_) {
    ahead += level.aside.CountWhile(is_ahead);
    if (takes_turns && &level == &own_level) continue;
    ahead += level.lanes.plain().CountWhile(is_ahead) + level.keyed.CountWhile(is_ahead);
  }
  return ahead;
}

std::optional<Instant> WaitingLine::Oldest() const {
  std::optional<Instant> oldest;
  for (const Level& level : levels_) {
    for (const Lane* lane : {&level.lanes.plain(), &level.keyed, &level.aside}) {
      if (lane->empty()) continue;
      const Instant accepted = jobs_[lane->Front()].accepted;
      oldest = std::min(accepted, oldest.value_or(accepted));
    }
  }
  return oldest;
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
  const Instant accepted = jobs_[levels_[level].lanes.Front()].accepted;
  return accepted - static_cast<Duration::rep>(level) * ageing_;
}

}  // namespace twofold::queue
