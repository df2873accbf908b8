#include "kubernetes/lifecycle/sending/pace.h"

#include <algorithm>

namespace twofold::lifecycle {

Pace::Pace(const PaceSettings& settings, Instant begin) : settings_(settings), begin_(begin) {}

std::uint32_t Pace::WaveSize() const {
  return settings_.wave == 0 ? settings_.count : settings_.wave;
}

std::optional<Pace::Turn> Pace::Take() {
  const std::uint32_t end = first_ + std::min(WaveSize(), settings_.count - first_);
  if (taken_ == end) return std::nullopt;
  Turn turn;
  turn.index = taken_++;
  if (settings_.wave > 0) turn.wave = turn.index / settings_.wave + 1;
  if (settings_.rate > 0) {
    turn.planned = begin_ + FromSeconds((turn.index - first_) / settings_.rate);
  } else if (first_ > 0) {
    turn.planned = begin_;  // after the delay, and then as soon as may be
  }
  return turn;
}

bool Pace::Answer(Instant now) {
  ++answered_;
  const bool over = settings_.wave > 0 && answered_ == first_ + settings_.wave && !IsOver();
  if (!over) return false;
  first_ += settings_.wave;
  begin_ = now + settings_.delay;
  return true;
}

}  // namespace twofold::lifecycle
