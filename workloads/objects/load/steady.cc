#include "workloads/objects/load/steady.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace twofold::objects {

bool Steady::Add(std::uint64_t done) {
  last_.push_back(done);
  if (last_.size() > seconds_) last_.pop_front();
  const double sum =
      static_cast<double>(std::accumulate(last_.begin(), last_.end(), std::uint64_t{0}));
  if (last_.size() < seconds_ || sum == 0) return false;
  const double mean = sum / static_cast<double>(last_.size());
  return std::all_of(last_.begin(), last_.end(), [&](std::uint64_t count) {
    return std::abs(static_cast<double>(count) - mean) <= mean * percent_ / 100;
  });
}

}  // namespace twofold::objects
