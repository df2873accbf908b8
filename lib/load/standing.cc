#include "lib/load/standing.h"

#include <algorithm>
#include <cstddef>

namespace twofold::load {
namespace {

// What comes from outside must not carry an instant over the end of the clock.
constexpr Duration kLongestWait = std::chrono::hours(24 * 365);

}  // namespace

void AddAtWork(std::vector<Instant>& sent, const std::optional<Standing>& standing,
               std::vector<Instant>& at_work) {
  if (!standing) return void(at_work.insert(at_work.end(), sent.begin(), sent.end()));
  const std::uint64_t running = std::min(standing->running, sent.size());
  const std::uint64_t most =
      standing->waiting > 0 ? running : std::max(running, standing->most_running);
  const auto waited = sent.begin() + static_cast<std::ptrdiff_t>(running);
  const auto last = sent.begin() + static_cast<std::ptrdiff_t>(std::min(most, sent.size()));
  std::nth_element(sent.begin(), last, sent.end());
  std::nth_element(sent.begin(), waited, last);
  const Duration wait =
      running > 0 ? standing->waited / static_cast<Duration::rep>(standing->running) : Duration(0);
  for (auto job = sent.begin(); job != waited; ++job) {
    at_work.push_back(*job + std::min(wait, kLongestWait));
  }
  at_work.insert(at_work.end(), waited, last);
}

}  // namespace twofold::load
