#pragma once

#include <cstdint>
#include <string_view>

#include "lib/common/result.h"

/// PyTorch: what can be asked for. Nothing runs it yet.
namespace twofold::suite::pytorch {

Result<std::uint32_t> Check(std::string_view spec);

}  // namespace twofold::suite::pytorch
