#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/frontends/cluster.h"
#include "bench/frontends/findings.h"
#include "bench/frontends/options.h"

namespace twofold::budgets {

inline constexpr int kSlots = 4096;     ///< of a worker that holds up nothing
inline constexpr double kWarmUp = 0.5;  ///< seconds

/// What a scenario works with, and where it writes down what it finds.
class Bench {
 public:
  Bench(const Options& all, Place& where, std::string_view scenario, Findings& findings)
      : options(all), place(where), scenario_(scenario), findings_(findings) {}

  /// With --quick, budgets are left out.
  void Add(std::string what, std::vector<double> rounds, std::string_view unit,
           Budget budget = {}) const {
    if (options.quick) budget = {};
    findings_.numbers.push_back({scenario_, std::move(what), std::move(rounds), unit, budget});
  }

  const Options& options;
  Place& place;

 private:
  const std::string_view scenario_;
  Findings& findings_;
};

// Each throws Trouble if it cannot go on.
void RunRedirect(const Bench& bench);
void RunIdle(const Bench& bench);
void RunTakeover(const Bench& bench);
void RunWorkers(const Bench& bench);
void RunMove(const Bench& bench);
void RunDurable(const Bench& bench);
void RunResults(const Bench& bench);
void RunCores(const Bench& bench);
void RunRelay(const Bench& bench);
void RunOutage(const Bench& bench);

struct Scenario {
  std::string_view name;
  std::string_view what;
  void (*run)(const Bench& bench);
};

inline constexpr std::array kAllScenarios = {
    Scenario{"redirect", "rate of a client that was sent on to the owner, to one that dialled it",
             RunRedirect},
    Scenario{"idle", "CPU of frontends without load, in a cluster of three and alone", RunIdle},
    Scenario{"takeover", "a killed frontend's durable jobs are served again", RunTakeover},
    Scenario{"workers", "its workers are back", RunWorkers},
    Scenario{"move", "a queue moves: how long it pauses, and whether jobs are tried twice",
             RunMove},
    Scenario{"durable", "durable jobs a second and their CPU, on PostgreSQL and on SQLite",
             RunDurable},
    Scenario{"results", "results of 30 measurements a second, on PostgreSQL and on SQLite",
             RunResults},
    Scenario{"cores", "two frontends with a queue each, to one", RunCores},
    Scenario{"relay", "a client and a worker that reach only a frontend that does not serve them",
             RunRelay},
    Scenario{"outage", "rate of volatile jobs while the database stands still", RunOutage},
};

/// nullptr: there is no such scenario.
const Scenario* FindScenario(std::string_view name);

}  // namespace twofold::budgets
