#pragma once

#include <string_view>

#include "lib/suite/suite.h"
#include "suites/fio/spec.pb.h"

/// Storage with fio; see README.md. The three functions of a Suite.
namespace twofold::suite::fio {

Result<std::uint32_t> Check(std::string_view spec);
Result<GangPlan> Plan(std::string_view spec, const Gang& gang);
Result<Measurements> Parse(const Outputs& outputs);

/// The spec, checked.
Result<v1::suites::FioSpec> ReadSpec(std::string_view json);

}  // namespace twofold::suite::fio
