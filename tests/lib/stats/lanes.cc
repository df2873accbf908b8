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

ThroughputEstimate Measure(const std::vector<SimulatedJob>& jobs, double start, double now) {
  const Instant end = Instant{} + FromSeconds(now);
  ThroughputWindow window(Instant{} + FromSeconds(start));
  std::vector<Instant> in_flight;
  for (const SimulatedJob& job : jobs) {
    if (job.ended <= end) {
      window.Ended(job.submitted, job.ended, job.succeeded, job.lane);
    } else if (job.submitted <= end) {
      in_flight.push_back(job.submitted);
    }
  }
  return window.Estimate(end, in_flight);
}

}  // namespace twofold::stats
