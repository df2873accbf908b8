#pragma once

#include <array>
#include <string_view>

#include "bench/cluster/findings.h"
#include "bench/cluster/world.h"

namespace twofold::scale {

/// Something that happens to a cluster.
struct Scenario {
  std::string_view name;
  std::string_view what;
  void (*run)(const Scenario& self, const WorldOptions& options, Findings& findings);
  std::size_t fewest_frontends = 1;
};

/// The one of gangs, which needs no World.
void RunGangs(const Scenario& self, const WorldOptions& options, Findings& findings);

inline constexpr std::size_t kScenarios = 8;
extern const std::array<Scenario, kScenarios> kAllScenarios;

/// nullptr: there is none of this name.
const Scenario* FindScenario(std::string_view name);

}  // namespace twofold::scale
