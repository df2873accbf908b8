#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "lib/common/result.h"

namespace twofold::cli {

/// What was compressed with zstd, at most `most` bytes of it.
/// Errors   kDataLoss: it is no zstd, or is cut off; kResourceExhausted: it is longer.
Result<std::string> Decompress(std::string_view zstd, std::size_t most);

}  // namespace twofold::cli
