#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "lib/common/instant.h"
#include "lib/stats/throughput.h"

namespace twofold::stats {

using Random = std::mt19937_64;

/// A number in (0, 1], the same on all platforms.
double Uniform(Random& random);

struct SimulatedJob {
  Instant submitted;
  Instant ended;
  bool succeeded = true;
  std::uint32_t lane = 0;
};

/// Draws the life of the next job of a lane, which begins at `seconds` after the origin.
using DrawLife = std::function<double(double seconds, Random&)>;

/// `lanes` workers, each with one job after the other from the origin (Instant{}) until all have
/// passed `seconds`. Sorted by end, as a client sees them.
std::vector<SimulatedJob> RunLanes(int lanes, double seconds, const DrawLife& draw, Random& random);

/// A window from `start`, in seconds from the origin, over jobs as RunLanes gives them.
class LanesWindow {
 public:
  /// `jobs` outlive it.
  LanesWindow(const std::vector<SimulatedJob>& jobs, double start);

  /// What it says about [start, now]. REQUIRES: `now` is not before that of the last look.
  ThroughputEstimate Look(double now);

 private:
  std::vector<SimulatedJob>::const_iterator next_;  // the first that has not ended
  const std::vector<SimulatedJob>::const_iterator end_;
  ThroughputWindow window_;
};

/// What a window over [start, now], in seconds from the origin, says about the jobs.
ThroughputEstimate Measure(const std::vector<SimulatedJob>& jobs, double start, double now);

}  // namespace twofold::stats
