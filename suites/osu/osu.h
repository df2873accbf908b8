#pragma once

#include <string_view>

#include "lib/suite/suite.h"
#include "suites/osu/spec.pb.h"

/// OSU micro-benchmarks; see README.md. The three functions of a Suite.
namespace twofold::suite::osu {

Result<std::uint32_t> Check(std::string_view spec);
Result<GangPlan> Plan(std::string_view spec, const Gang& gang);
Result<Measurements> Parse(const Outputs& outputs);

/// The spec, checked.
Result<v1::suites::OsuSpec> ReadSpec(std::string_view json);

}  // namespace twofold::suite::osu
