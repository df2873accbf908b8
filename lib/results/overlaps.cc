#include "lib/results/overlaps.h"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace twofold::results {
namespace {

constexpr std::int64_t kLeftOut = 100;  // a hundredth

}  // namespace

// A job that took no time has one nanosecond, or it would not overlap with itself.
Ran RanUntil(std::int64_t ended_unix_ns, std::int64_t run_ns) {
  return {ended_unix_ns - std::max<std::int64_t>(1, run_ns - run_ns / kLeftOut), ended_unix_ns};
}

Ran RanSince(std::int64_t started_unix_ns) {
  return {started_unix_ns, std::numeric_limits<std::int64_t>::max()};
}

Overlaps::Overlaps(const std::vector<Ran>& all) {
  for (const Ran& job : all) {
    begins_.push_back(job.began);
    ends_.push_back(job.ended);
  }
  std::sort(begins_.begin(), begins_.end());
  std::sort(ends_.begin(), ends_.end());
}

std::uint64_t Overlaps::With(const Ran& job) const {
  const auto begun = std::lower_bound(begins_.begin(), begins_.end(), job.ended) - begins_.begin();
  const auto over = std::upper_bound(ends_.begin(), ends_.end(), job.began) - ends_.begin();
  return static_cast<std::uint64_t>(std::max<std::ptrdiff_t>(begun - over - 1, 0));
}

}  // namespace twofold::results
