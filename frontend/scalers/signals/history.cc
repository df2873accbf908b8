#include "frontend/scalers/signals/history.h"

#include <algorithm>
#include <iterator>

namespace twofold::scalers {
namespace {

double Growth(std::uint64_t from, std::uint64_t to) {
  return to > from ? static_cast<double>(to - from) : 0;
}

}  // namespace

void History::Add(Instant at, std::uint64_t epoch, const Counts& counts) {
  if (epoch != epoch_) samples_.clear();
  epoch_ = epoch;
  if (!samples_.empty() && at - samples_.back().at < kPeriod) return;
  samples_.push_back({at, counts.arrived, counts.ended, counts.running});
  while (at - samples_.front().at > kLongestWindow) samples_.pop_front();
}

std::optional<Flow> History::Over(Duration window) const {
  if (samples_.empty()) return std::nullopt;
  const Sample& last = samples_.back();
  const auto first = std::find_if(samples_.begin(), samples_.end(), [&](const Sample& sample) {
    return last.at - sample.at <= window;
  });
  const Duration span = last.at - first->at;
  if (span < kShortest) return std::nullopt;
  double job_seconds = 0;  // each sample holds until the next one
  for (auto sample = first; std::next(sample) != samples_.end(); ++sample) {
    job_seconds +=
        static_cast<double>(sample->running) * ToSeconds(std::next(sample)->at - sample->at);
  }
  const double seconds = ToSeconds(span);
  return Flow{.arrivals = Growth(first->arrived, last.arrived) / seconds,
              .ends = Growth(first->ended, last.ended) / seconds,
              .running = job_seconds / seconds};
}

}  // namespace twofold::scalers
