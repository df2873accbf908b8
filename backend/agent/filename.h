#pragma once

#include <string>

#include "lib/common/result.h"

namespace twofold::backend {

/// The first path that matches the shell pattern, in sorted order.
/// Errors   kNotFound: nothing matches, or nothing that we may read.
Result<std::string> FirstMatch(const std::string& pattern);

/// `text` with each FILENAME in it replaced.
std::string ReplaceFilename(std::string text, const std::string& filename);

}  // namespace twofold::backend
