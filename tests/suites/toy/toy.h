#pragma once

#include <string_view>

#include "lib/suite/suite.h"

/// A suite as small as one can be. The three functions of a Suite.
namespace twofold::suite::toy {

Result<std::uint32_t> Check(std::string_view spec);
Result<GangPlan> Plan(std::string_view spec, const Gang& gang);
Result<Measurements> Parse(const Outputs& outputs);

}  // namespace twofold::suite::toy
