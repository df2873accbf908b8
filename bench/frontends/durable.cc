// Durable jobs and results: how many a second, and what they cost, on PostgreSQL and on SQLite.

#include <unistd.h>

#include <functional>
#include <memory>
#include <optional>

#include "bench/frontends/load.h"
#include "bench/frontends/scenarios.h"
#include "bench/frontends/trouble.h"
#include "bench/peers/process_stats.h"

namespace twofold::budgets {
namespace {

constexpr int kAccepted = 200'000;  // jobs a round

// Queues: jobs of kQueue wait for ever, those of the other one have a worker.
const std::string kServed = "served";

/// CPU seconds so far.
struct Cpu {
  double frontend = 0;
  double database = 0;
  double worker = 0;
  double client = 0;

  [[nodiscard]] double Sum() const { return frontend + database + worker + client; }
};

/// CPU of a million jobs, a value for each round.
struct CpuRounds {
  std::vector<double> frontend, database, worker, client, sum;

  void Add(const Cpu& before, const Cpu& after, double jobs) {
    const auto add = [&](std::vector<double>& to, double from, double until) {
      to.push_back((until - from) / jobs * 1e6);
    };
    add(frontend, before.frontend, after.frontend);
    add(database, before.database, after.database);
    add(worker, before.worker, after.worker);
    add(client, before.client, after.client);
    add(sum, before.Sum(), after.Sum());
  }
};

enum class Engine { kPostgres, kSqlite };

/// A frontend with a store, and a worker of kServed.
class Side {
 public:
  /// `start_worker` gets the frontend's address for workers.
  Side(const Bench& bench, Engine engine,
       const std::function<bench::Child(const std::string&)>& start_worker)
      : database_(engine == Engine::kPostgres ? &bench.place.database() : nullptr),
        cluster_(bench.place,
                 {.frontends = 1,
                  .queues = {kQueue, kServed},
                  .store = database_ ? "" : "sqlite:" + bench.place.NewFile("jobs.db")}),
        frontend_(*cluster_.frontends().front()),
        worker_(start_worker(frontend_.worker())) {}

  [[nodiscard]] const std::string& client() const { return frontend_.client(); }

  [[nodiscard]] Cpu Used() const {
    return {.frontend = frontend_.CpuSeconds(),
            .database = database_ == nullptr ? 0 : database_->CpuSeconds(),
            .worker = bench::CpuSeconds(worker_.pid()).value_or(0),
            .client = bench::CpuSeconds(getpid()).value_or(0)};
  }

  void Accept(int jobs) {
    const Cpu before = Used();
    accepts.push_back(PutJobs(client(), jobs));
    accept_cpu.Add(before, Used(), jobs);
  }

  void RoundTrips(double seconds) {
    const Load load({.frontend = client(), .durable = true, .queue = kServed});
    Sleep(kWarmUp);
    const Cpu before = Used();
    trips.push_back(RateOf(load, seconds));
    trip_cpu.Add(before, Used(), trips.back() * seconds);
  }

  std::vector<double> accepts, trips;  ///< jobs a second
  CpuRounds accept_cpu, trip_cpu;

 private:
  const Database* const database_;
  Cluster cluster_;
  const Frontend& frontend_;
  const bench::Child worker_;
};

std::vector<double> Ratios(const std::vector<double>& of, const std::vector<double>& to) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < of.size(); ++i) ratios.push_back(of[i] / to[i]);
  return ratios;
}

void AddCpu(const Bench& bench, const std::string& what, const CpuRounds& cpu, Budget budget) {
  constexpr std::string_view kUnit = "s / 1M";
  bench.Add(what + ": CPU in all", cpu.sum, kUnit, budget);
  bench.Add(what + ": CPU of the frontend", cpu.frontend, kUnit);
  bench.Add(what + ": CPU of PostgreSQL", cpu.database, kUnit);
  bench.Add(what + ": CPU of the worker", cpu.worker, kUnit);
  bench.Add(what + ": CPU of the client", cpu.client, kUnit);
}

}  // namespace

void RunDurable(const Bench& bench) {
  const auto worker = [&](const std::string& frontend) {
    return StartWorker(bench.place, frontend, kSlots, kServed);
  };
  Side postgres(bench, Engine::kPostgres, worker);
  Side sqlite(bench, Engine::kSqlite, worker);
  for (int i = 0; i < bench.options.rounds; ++i) {
    for (Side* side : {&postgres, &sqlite}) {
      side->Accept(bench.options.quick ? 1000 : kAccepted);
      side->RoundTrips(bench.options.seconds);
    }
  }
  bench.Add("PostgreSQL: jobs accepted", postgres.accepts, "jobs/s", AtLeast(100'000));
  bench.Add("SQLite: jobs accepted", sqlite.accepts, "jobs/s");
  bench.Add("accepted, to SQLite", Ratios(postgres.accepts, sqlite.accepts), "", AtLeast(0.5));
  AddCpu(bench, "accept", postgres.accept_cpu, {});
  bench.Add("PostgreSQL: round trips, 1 024 outstanding", postgres.trips, "jobs/s",
            AtLeast(40'000));
  bench.Add("SQLite: round trips", sqlite.trips, "jobs/s");
  bench.Add("round trips, to SQLite", Ratios(postgres.trips, sqlite.trips), "", AtLeast(0.5));
  AddCpu(bench, "round trip", postgres.trip_cpu, AtMost(20));
  bench.Add("SQLite, round trip: CPU in all", sqlite.trip_cpu.sum, "s / 1M");
}

void RunResults(const Bench& bench) {
  const auto worker = [&](const std::string& frontend) {
    return bench.place.Start("sweep_worker", {frontend, kServed, std::to_string(kSlots)});
  };
  Side postgres(bench, Engine::kPostgres, worker);
  Side sqlite(bench, Engine::kSqlite, worker);
  for (int i = 0; i < bench.options.rounds; ++i) {
    for (Side* side : {&postgres, &sqlite}) side->RoundTrips(bench.options.seconds);
  }
  bench.Add("PostgreSQL: jobs with a result of 30 numbers", postgres.trips, "jobs/s",
            AtLeast(5'000));
  bench.Add("SQLite: the same", sqlite.trips, "jobs/s");
  bench.Add("PostgreSQL to SQLite", Ratios(postgres.trips, sqlite.trips), "");
  AddCpu(bench, "PostgreSQL", postgres.trip_cpu, {});
  bench.Add("SQLite: CPU in all", sqlite.trip_cpu.sum, "s / 1M");
}

}  // namespace twofold::budgets
