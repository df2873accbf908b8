#pragma once

#include <string_view>

#include "lib/common/result.h"
#include "suites/pytorch/spec.pb.h"

/// PyTorch: what can be asked for. Nothing runs it yet.
namespace twofold::suite::pytorch {

/// The spec, checked.
Result<v1::suites::PyTorchSpec> ReadSpec(std::string_view json);

}  // namespace twofold::suite::pytorch
