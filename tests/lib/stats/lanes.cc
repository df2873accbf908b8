#include "tests/lib/stats/lanes.h"

#include <algorithm>

namespace twofold::stats {

double Uniform(Random& random) { return (static_cast<double>(random() >> 11) + 1.0) * 0x1p-53; }

std::vector<SimulatedJob> RunLanes(int lanes, double seconds, const DrawLife& draw,
                                   Random& random) {
  std::vector<SimulatedJob> jobs;
  const Instant end = Instant{} + FromSeconds(seconds);
  for (int lane = 0; lane < lanes; ++lane) {
    for (Instant at{}; at <= end;) {
      const Instant next = at + FromSeconds(draw(ToSeconds(at.time_since_epoch()), random));
      jobs.push_back({at, next, true, static_cast<std::uint32_t>(lane)});
      at = next;
    }
  }
  std::stable_sort(jobs.begin(), jobs.end(),
                   [](const auto& a, const auto& b) { return a.ended < b.ended; });
  return jobs;
}

LanesWindow::LanesWindow(const std::vector<SimulatedJob>& jobs, double start)
    : next_(jobs.begin()), end_(jobs.end()), window_(Instant{} + FromSeconds(start)) {}

ThroughputEstimate LanesWindow::Look(double now) {
  const Instant end = Instant{} + FromSeconds(now);
  for (; next_ != end_ && next_->ended <= end; ++next_) {
    window_.Ended(next_->submitted, next_->ended, next_->succeeded, next_->lane);
  }
  std::vector<Instant> at_work;
  for (auto job = next_; job != end_; ++job) {
    if (job->submitted <= end) at_work.push_back(job->submitted);
  }
  return window_.Estimate(end, at_work);
}

ThroughputEstimate Measure(const std::vector<SimulatedJob>& jobs, double start, double now) {
  return LanesWindow(jobs, start).Look(now);
}

}  // namespace twofold::stats
