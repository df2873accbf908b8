#include "bench/cluster/scenarios.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <string>
#include <vector>

#include "bench/cluster/report.h"

namespace twofold::scale {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

// Of what docs/scale.md promises.
constexpr double kMostTakeoverSlack = 2;  // seconds beyond the TTL
constexpr double kMostPause = 1;          // seconds, of a queue that is moved
constexpr double kMostDrain = 10;         // seconds
constexpr double kMostMemory = 8;         // GiB of a frontend
constexpr Duration kLongestWait = minutes(3);

/// Until `done`, looked for ten times a second.
template <typename Done>
void RunUntil(World& world, Report& report, const char* what, const Done& done) {
  const Instant last = world.now() + kLongestWait;
  while (!done() && world.now() < last) world.Run(std::chrono::milliseconds(100));
  if (!done()) {
    report.Complain(absl::StrCat("not ", what, " after ", ToSeconds(kLongestWait), " s"));
  }
}

/// All workers are back, and have worked for a while.
void RunUntilCalm(World& world, Report& report) {
  RunUntil(world, report, "all workers back", [&] { return world.WorkersAway() == 0; });
  world.Run(seconds(20));
  report.Complain(world.Complaint());
}

// ---- Nothing happens

void Steady(const Scenario& self, const WorldOptions& options, Findings& findings) {
  Report report(self, findings);
  World world(options);
  const Frontends::Counts before = world.frontends().counts();
  const Duration busy = world.database_busy();
  std::vector<Duration> cpu;
  for (std::size_t i = 0; i < options.frontends; ++i) cpu.push_back(world.CpuOf(i));
  constexpr double kSeconds = 60;
  world.Run(FromSeconds(kSeconds));
  double memory = 0;
  for (std::size_t i = 0; i < options.frontends; ++i) {
    cpu[i] = world.CpuOf(i) - cpu[i];
    memory = std::max(memory, Count(world.WorkersOf(i)) * ValueOf(Cost::kIdleWorker) +
                                  Count(world.UnfinishedOf(i)) * ValueOf(Cost::kUnfinishedJob));
  }
  const Frontends::Counts& after = world.frontends().counts();
  const Ledger& ledger = world.ledger();
  report.Add("beats, at the database", Count(after.beats - before.beats) / kSeconds, "/s",
             ValueOf(Cost::kWrites));
  report.Add("looks", Count(after.looks - before.looks) / kSeconds, "/s");
  report.Add("rows of a look", Count(options.frontends + options.queues));
  report.Add("claims and releases",
             Count(after.claims - before.claims + after.releases - before.releases), "", 0);
  report.Add("durable jobs", Count(ledger.ended) / kSeconds, "/s");
  report.Add("the database's time for them",
             ToSeconds(world.database_busy() - busy) / kSeconds * 100, "%", 100);
  report.Add("heartbeats, at a frontend",
             Count(ledger.heartbeats) / kSeconds / Count(options.frontends), "/s");
  report.Add("cores that the busiest frontend uses", ToSeconds(Longest(cpu)) / kSeconds, "cores",
             ValueOf(Cost::kCores));
  constexpr double kGiB = 1024.0 * 1024 * 1024;
  report.Add("memory of the fullest frontend", memory / kGiB, "GiB", kMostMemory);
  report.AddJobs(world);
  report.Complain(world.Complaint());
}

// ---- Frontends are lost

/// `most_owned`: seconds within which each queue has an owner.
void AddTakeover(const World& world, Report& report, double most_owned) {
  const Ledger& ledger = world.ledger();
  report.Add("queues that got an owner", Count(ledger.owned.size()));
  report.Add("the last was owned after", Longest(ledger.owned), most_owned);
  report.Add("... and could hand out jobs after", Longest(ledger.served));
  // Their attempts wait for them from when the queue was read.
  report.AddWorkers(world, ToSeconds(world.options().grace + Share(ledger.served, 0)));
  report.AddConnections(world);
  report.AddJobs(world);
}

void Restarted(const Scenario& self, const WorldOptions& options, Findings& findings) {
  Report report(self, findings);
  World world(options);
  world.Kill(0);
  world.Run(TimeOf(Cost::kProcessStart));
  world.Start(0);
  RunUntilCalm(world, report);
  AddTakeover(world, report, ToSeconds(world.frontends().times().ttl) + kMostTakeoverSlack);
}

void Lose(const Scenario& self, const WorldOptions& options, std::size_t hosts,
          Findings& findings) {
  Report report(self, findings);
  World world(options);
  for (std::size_t i = 0; i < hosts; ++i) world.LoseHost(i);
  RunUntilCalm(world, report);
  AddTakeover(world, report, ToSeconds(world.frontends().times().ttl) + kMostTakeoverSlack);
}

void LoseOne(const Scenario& self, const WorldOptions& options, Findings& findings) {
  Lose(self, options, 1, findings);
}

void LoseThree(const Scenario& self, const WorldOptions& options, Findings& findings) {
  Lose(self, options, 3, findings);
}

// ---- Frontends are drained

/// Returns how long it took.
Duration DrainOne(World& world, Report& report, std::size_t frontend) {
  const Instant begin = world.now();
  world.Drain(frontend);
  RunUntil(world, report, "drained", [&] { return !world.frontends().IsUp(frontend); });
  return world.now() - begin;
}

void Drain(const Scenario& self, const WorldOptions& options, Findings& findings) {
  Report report(self, findings);
  World world(options);
  const std::size_t queues = world.QueuesOf(0);
  report.Add("queues handed over", Count(queues));
  report.Add("the frontend is rid of them after", DrainOne(world, report, 0), kMostDrain);
  world.Start(0);  // it stays, without a queue
  RunUntilCalm(world, report);
  report.Add("pause of a queue, half of them", Share(world.ledger().served, 0.5));
  report.Add("... the longest", Longest(world.ledger().served), kMostPause);
  report.AddWorkers(world);
  report.AddConnections(world);
  report.AddJobs(world);
}

void Rolling(const Scenario& self, const WorldOptions& options, Findings& findings) {
  Report report(self, findings);
  World world(options);
  const Instant begin = world.now();
  Duration slowest{};
  for (std::size_t i = 0; i < options.frontends; ++i) {
    slowest = std::max(slowest, DrainOne(world, report, i));
    world.Run(TimeOf(Cost::kProcessStart));
    world.Start(i);
    RunUntil(world, report, "up", [&] { return world.frontends().Find(i, 0) != nullptr; });
  }
  report.Add("all frontends are restarted after", world.now() - begin);
  report.Add("the slowest drain", slowest, kMostDrain);
  RunUntilCalm(world, report);
  report.Add("moves of queues", Count(world.ledger().owned.size()));
  report.Add("pause of a queue, half of them", Share(world.ledger().served, 0.5));
  report.Add("... the longest", Longest(world.ledger().served), kMostPause);
  report.AddWorkers(world);
  report.AddConnections(world);
  report.AddJobs(world);
}

// ---- The database is away

void Outage(const Scenario& self, const WorldOptions& options, Findings& findings) {
  Report report(self, findings);
  World world(options);
  constexpr Duration kAway = seconds(60);
  const Frontends::Counts before = world.frontends().counts();
  const Instant begin = world.now();
  world.SetDatabaseUp(false);
  world.Run(kAway);
  world.SetDatabaseUp(true);
  world.Run(seconds(60));
  report.Complain(world.Complaint());
  const Ledger& ledger = world.ledger();
  const Frontends::Counts& after = world.frontends().counts();
  const auto until = [&](const std::vector<Instant>& times, bool last) {
    if (times.empty()) return Duration{};
    return (last ? times.back() : times.front()) - begin;
  };
  report.Add("the first queue stopped durable work after", until(ledger.suspended, false));
  report.Add("the last one", until(ledger.suspended, true));
  report.Add("durable work goes on after the database is back: last queue",
             until(ledger.resumed, true) - kAway, ToSeconds(world.frontends().times().ttl));
  report.Add("results that waited at workers, at most", Count(ledger.most_results_waiting));
  report.Add("all of them were stored, after the database was back",
             ledger.last_result - begin - kAway);
  report.Add("queues that changed hands", Count(after.claims - before.claims), "", 0);
  report.Add("workers that lost their stream", Count(ledger.back.size()), "", 0);
  report.AddJobs(world);
}

}  // namespace

const std::array<Scenario, kScenarios> kAllScenarios = {{
    {"steady", "nothing happens for a minute", Steady},
    {"restart", "a frontend's process is killed and starts again", Restarted, 2},
    {"lose-one", "a frontend's host is lost, for good", LoseOne, 2},
    {"lose-three", "three hosts are lost at once", LoseThree, 10},
    {"drain", "a frontend hands its queues over", Drain, 2},
    {"rolling", "all frontends are drained and restarted, one after the other", Rolling, 2},
    {"outage", "the database is away for a minute", Outage},
    {"gangs", "gangs of 64, 1 024 and 4 096 in one queue: size, load, timeout", RunGangs},
}};

const Scenario* FindScenario(std::string_view name) {
  const auto* found = std::find_if(kAllScenarios.begin(), kAllScenarios.end(),
                                   [&](const Scenario& each) { return each.name == name; });
  return found == kAllScenarios.end() ? nullptr : found;
}

}  // namespace twofold::scale
