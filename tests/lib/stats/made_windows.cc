#include "tests/lib/stats/made_windows.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

namespace twofold::stats {
namespace {

constexpr double kSeconds = 60.0;
constexpr double kLife = 0.2;

/// Of workers of which every other one is faster and slower by as much as makes `sd` of all.
std::vector<WorkerGroup> EvenGroups(std::uint32_t workers, double throughput, double sd) {
  const double pairs = static_cast<double>(workers / 2 * 2);
  const double off = pairs > 0.0 ? sd * std::sqrt((workers - 1.0) / pairs) : 0.0;
  std::vector<WorkerGroup> groups(workers);
  for (std::uint32_t i = 0; i < workers; ++i) {
    const double side = i >= workers / 2 * 2 ? 0.0 : i % 2 == 0 ? off : -off;
    groups[i].jobs.fill(throughput / workers * kSeconds / double{kParts} * (1.0 + side));
  }
  return groups;
}

}  // namespace

MeasuredWindow EvenWindow(std::uint32_t workers, double throughput, double sd) {
  return MeasureGroups(kSeconds, kLife, EvenGroups(workers, throughput, sd));
}

MeasuredWindow NoisyWindow(std::uint32_t workers, double throughput, double own, double common,
                           std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<WorkerGroup> groups = EvenGroups(workers, throughput, 0.0);
  for (std::size_t part = 0; part < kParts; ++part) {
    const double shared = common * normal(random);
    for (WorkerGroup& group : groups) {
      group.jobs[part] *= std::max(1.0 + shared + own * normal(random), 0.0);
    }
  }
  return MeasureGroups(kSeconds, kLife, std::move(groups));
}

}  // namespace twofold::stats
