// Volatile load: who sends it on or passes it on, how many frontends carry it, and without the
// database.

#include <algorithm>

#include "bench/frontends/load.h"
#include "bench/frontends/scenarios.h"
#include "bench/frontends/trouble.h"

namespace twofold::budgets {
namespace {

/// Of a new client that dials this frontend first.
double RateThrough(const Frontend& contact, double seconds) {
  const Load load({.frontend = contact.client()});
  Sleep(kWarmUp);
  return RateOf(load, seconds);
}

/// Jobs for each second of CPU of the frontends that carry these loads.
double JobsACpuSecond(const std::vector<const Load*>& loads,
                      const std::vector<const Frontend*>& frontends, double seconds) {
  double sum = 0;
  std::vector<double> jobs, cpu;
  for (const Load* load : loads) jobs.push_back(-static_cast<double>(load->Ended()));
  for (const Frontend* frontend : frontends) cpu.push_back(-frontend->CpuSeconds());
  Sleep(seconds);
  for (std::size_t i = 0; i < loads.size(); ++i) {
    jobs[i] += static_cast<double>(loads[i]->Ended());
    cpu[i] += frontends[i]->CpuSeconds();
    sum += jobs[i] / cpu[i];
  }
  return sum;
}

}  // namespace

void RunRedirect(const Bench& bench) {
  Cluster cluster(bench.place, {});
  const bench::Child worker = StartWorker(bench.place, cluster.Contacts(), kSlots);
  cluster.AwaitSlots(kSlots);
  const Frontend& owner = cluster.Owner();
  const Frontend& other = cluster.OtherThan(owner);
  std::vector<double> direct, redirected, ratios;
  for (int i = 0; i < 2 * bench.options.rounds; ++i) {
    const bool first = i % 2 == 0;  // who goes first, as rates drift
    const double one = RateThrough(first ? owner : other, bench.options.seconds / 2);
    const double two = RateThrough(first ? other : owner, bench.options.seconds / 2);
    direct.push_back(first ? one : two);
    redirected.push_back(first ? two : one);
    ratios.push_back(redirected.back() / direct.back());
  }
  bench.Add("direct stream", direct, "jobs/s");
  bench.Add("stream that was sent on", redirected, "jobs/s");
  bench.Add("rate of a stream that was sent on, to a direct one", ratios, "", AtLeast(0.98));
}

void RunCores(const Bench& bench) {
  const std::string kOther = "other";
  Cluster cluster(bench.place, {.frontends = 2, .queues = {kQueue, kOther}, .pinned = true});
  const Frontend& home = cluster.Owner();
  Frontend& away = cluster.OtherThan(home);
  if (&cluster.Owner(kOther) != &away) cluster.Move(kOther, away);
  const bench::Child worker = StartWorker(bench.place, home.worker(), kSlots);
  const bench::Child second = StartWorker(bench.place, away.worker(), kSlots, kOther);
  const Load load({.frontend = home.client()});
  std::vector<double> one, two, ratios;
  for (int i = 0; i < bench.options.rounds; ++i) {
    one.push_back(JobsACpuSecond({&load}, {&home}, bench.options.seconds));
    const Load beside({.frontend = away.client(), .queue = kOther});
    Sleep(kWarmUp);
    two.push_back(JobsACpuSecond({&load, &beside}, {&home, &away}, bench.options.seconds));
    ratios.push_back(two.back() / one.back());
  }
  bench.Add("one frontend, one queue", one, "jobs/CPU s");
  bench.Add("two frontends, two queues: sum of both", two, "jobs/CPU s");
  bench.Add("two to one, each with a core of its own", ratios, "", AtLeast(1.9));
}

void RunRelay(const Bench& bench) {
  Cluster cluster(bench.place, {.frontends = 2, .relay = true});
  const Frontend& owner = cluster.Owner();
  const Frontend& door = cluster.OtherThan(owner);
  const bench::Child worker = StartWorker(bench.place, door.worker(), kSlots);
  cluster.AwaitSlots(kSlots);
  for (const std::uint32_t outstanding : {1024U, 64U}) {
    const Load load({.frontend = door.client(), .outstanding = outstanding});
    Sleep(kWarmUp);
    std::vector<double> rates, of_door, of_owner;
    for (int i = 0; i < bench.options.rounds; ++i) {
      const double door_before = door.CpuSeconds();
      const double owner_before = owner.CpuSeconds();
      rates.push_back(RateOf(load, bench.options.seconds));
      const double millions = rates.back() * bench.options.seconds / 1e6;
      of_door.push_back((door.CpuSeconds() - door_before) / millions);
      of_owner.push_back((owner.CpuSeconds() - owner_before) / millions);
    }
    const std::string shape = std::to_string(outstanding) + " outstanding: ";
    bench.Add(shape + "jobs through the frontend that relays", rates, "jobs/s");
    bench.Add(shape + "its CPU", of_door, "s / 1M");
    bench.Add(shape + "the owner's CPU", of_owner, "s / 1M");
  }
}

void RunOutage(const Bench& bench) {
  constexpr int kMostRounds = 2;  // each takes minutes
  Cluster cluster(bench.place, {});
  const bench::Child worker = StartWorker(bench.place, cluster.Contacts(), kSlots);
  const Load load({.frontend = cluster.Owner().client()});
  Sleep(kWarmUp);
  const Database& database = bench.place.database();
  const double seconds = bench.options.outage_seconds;
  std::vector<double> with = {RateOf(load, seconds)}, without, ratios;
  for (int i = 0; i < std::min(bench.options.rounds, kMostRounds); ++i) {
    database.Freeze();
    without.push_back(RateOf(load, seconds));
    database.Thaw();
    with.push_back(RateOf(load, seconds));
    ratios.push_back(2 * without.back() / (with[with.size() - 2] + with.back()));
  }
  bench.Add("with the database", with, "jobs/s");
  bench.Add("without it", without, "jobs/s");
  bench.Add("rate without it, to the mean before and after", ratios, "", AtLeast(0.95));
}

}  // namespace twofold::budgets
