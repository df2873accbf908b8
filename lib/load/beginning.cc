#include "lib/load/beginning.h"

#include <algorithm>

namespace twofold::load {

namespace {

// In shorter blocks the credit of one job makes neighbours alike, and their scatter says too
// little.
constexpr double kLivesPerBlock = 2;

}  // namespace

// The next look.
void Beginning::Plan(Instant now) {
  next_.reset();
  if (now < last_) next_ = std::min(now + (now - start_), last_);
}

std::optional<Beginning::Cut> Beginning::Look(Instant now, const stats::MeasuredWindow& measured) {
  Plan(now);
  if (!measured.IsKnown() || measured.BlockSeconds() < kLivesPerBlock * measured.mean_life) {
    return std::nullopt;
  }
  const stats::WarmUp warm_up = stats::WarmUpOf(measured.total);
  if (warm_up.blocks == 0) return std::nullopt;
  const double before = ToSeconds(now - start_) - measured.seconds;
  return Cut{.seconds = before + static_cast<double>(warm_up.blocks) * measured.BlockSeconds(),
             .change = warm_up.change};
}

}  // namespace twofold::load
