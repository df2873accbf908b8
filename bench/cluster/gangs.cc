// Gangs beside single jobs in one queue: the simulation of tests/lib/queue, with the slots of a
// frontend.

#include <absl/strings/str_format.h>

#include <algorithm>
#include <array>

#include "bench/cluster/report.h"
#include "tests/lib/queue/gang_simulation.h"

namespace twofold::scale {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

struct GangCase {
  std::uint32_t size;
  double load;
  Duration timeout;
};

constexpr std::array<GangCase, 5> kGangCases = {{{64, 0.95, seconds(30)},
                                                 {1024, 0.95, seconds(30)},
                                                 {4096, 0.95, seconds(30)},
                                                 {4096, 1.05, seconds(30)},
                                                 {4096, 1.05, seconds(10)}}};

queue::GangScenario ScenarioOf(const GangCase& gang, std::size_t slots, std::uint64_t seed) {
  return {.seed = seed,
          .workers = static_cast<std::uint32_t>(slots),
          .length = minutes(70),
          .shortest_run = seconds(10),
          .longest_run = minutes(10),
          .load = gang.load,
          .gang_size = gang.size,
          .gang_every = minutes(10),
          .gang_run = seconds(30),
          .gang_timeout = gang.timeout,
          .each_worker = false};
}

void AddGang(Report& report, const GangCase& gang, const queue::GangScenario& scenario) {
  const queue::GangFigures figures = queue::GangSimulation(scenario).Run();
  const std::string which = absl::StrFormat("%d at %.0f %%, %.0f s: ", gang.size, gang.load * 100,
                                            ToSeconds(gang.timeout));
  const double gangs = std::max(1.0, Count(figures.gangs_started));
  const double slot_time = ToSeconds(scenario.length) * scenario.workers;
  report.Add(which + "gathered within", figures.longest_gather,
             ToSeconds(5 * scenario.longest_run));
  report.Add(which + "slot time held idle", ToSeconds(figures.held) / slot_time * 100, "%");
  report.Add(which + "single jobs that passed, mean", Count(figures.small_passed) / gangs);
  report.Add(which + "a single job waited at most", figures.longest_small_wait);
}

}  // namespace

/// One queue with the workers of a frontend, and jobs of 10 s to 10 min beside the gangs.
void RunGangs(const Scenario& self, const WorldOptions& options, Findings& findings) {
  Report report(self, findings);
  const std::size_t slots = options.workers / options.frontends;
  report.Add("slots", Count(slots));
  for (const GangCase& gang : kGangCases) {
    if (gang.size <= slots) AddGang(report, gang, ScenarioOf(gang, slots, options.seed));
  }
}

}  // namespace twofold::scale
