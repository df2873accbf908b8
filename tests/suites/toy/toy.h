#pragma once

#include <string_view>

#include "lib/suite/suite.h"
#include "tests/suites/toy/spec.pb.h"

/// A suite as small as one can be.
namespace twofold::suite::toy {

Result<v1::suites::ToySpec> ReadSpec(std::string_view json);
GangPlan Plan(const v1::suites::ToySpec& spec, const Gang& gang);
Result<Measurements> Parse(const Outputs& outputs);

}  // namespace twofold::suite::toy
