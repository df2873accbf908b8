// What frontends do while there is nothing to do.

#include "bench/frontends/scenarios.h"
#include "bench/frontends/trouble.h"

namespace twofold::budgets {
namespace {

constexpr double kSettle = 3;

}  // namespace

void RunIdle(const Bench& bench) {
  Cluster cluster(bench.place, {});
  const Frontend alone(bench.place, {.name = "alone"});
  Sleep(bench.options.quick ? 0 : kSettle);
  std::vector<double> cpu;
  for (const auto& frontend : cluster.frontends()) cpu.push_back(-frontend->CpuSeconds());
  const double alone_before = alone.CpuSeconds();
  const double database_before = bench.place.database().CpuSeconds();
  const Instant start = Now();
  Sleep(bench.options.idle_seconds);
  const double percent = 100 / ToSeconds(Now() - start);
  for (std::size_t i = 0; i < cpu.size(); ++i) {
    cpu[i] = (cpu[i] + cluster.frontends()[i]->CpuSeconds()) * percent;
  }
  bench.Add("each of three frontends", cpu, "% core", AtMost(0.3));
  bench.Add("frontend without a database", {(alone.CpuSeconds() - alone_before) * percent},
            "% core");
  bench.Add("PostgreSQL", {(bench.place.database().CpuSeconds() - database_before) * percent},
            "% core");
}

}  // namespace twofold::budgets
