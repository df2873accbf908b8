#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/common/result.h"

namespace twofold {

/// Arguments as the bytes of a job's spec: each ends with a NUL byte, so no arguments are no bytes.
/// REQUIRES: no argument contains a NUL byte (none of a command line does).
std::string EncodeArguments(std::span<const std::string> arguments);

/// The reverse; the views point into `spec`.
/// Errors   kInvalidArgument: the last argument has no end.
Result<std::vector<std::string_view>> DecodeArguments(std::string_view spec);

}  // namespace twofold
