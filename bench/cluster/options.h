#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bench/cluster/scenarios.h"
#include "bench/cluster/world.h"

namespace CLI {
class App;
}

namespace twofold::scale {

struct Options {
  WorldOptions world;  ///< its queues and times follow from the next four, see Complete
  std::size_t queues_each = 6;
  double run_seconds = 60;
  double grace_seconds = 30;
  double backoff_seconds = ToSeconds(rpc::RoutePauses{}.first);
  std::vector<std::string> scenarios;  ///< empty: all that so many frontends can have
  bool json = false;
};

void Declare(CLI::App& app, Options& options);

/// Fills in what follows from the options. Returns what they have against each other; empty:
/// nothing.
std::string Complete(Options& options);

[[nodiscard]] bool IsChosen(const Options& options, const Scenario& scenario);

}  // namespace twofold::scale
