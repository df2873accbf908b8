#include "bench/frontends/scenarios.h"

#include <algorithm>

namespace twofold::budgets {

const Scenario* FindScenario(std::string_view name) {
  const auto* const found = std::find_if(kAllScenarios.begin(), kAllScenarios.end(),
                                         [&](const Scenario& each) { return each.name == name; });
  return found == kAllScenarios.end() ? nullptr : found;
}

}  // namespace twofold::budgets
