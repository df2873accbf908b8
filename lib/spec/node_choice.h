#pragma once

#include <string>
#include <vector>

#include "lib/spec/sweep.h"

namespace twofold::spec {

/// The nodes that `choice` selects: each of its names, and what of `known` its patterns (`*`, `?`,
/// `[a-z]`) match, in this order; none twice.
/// Errors   kInvalidArgument: a pattern without known nodes, a name that is not among them, or
///          fewer nodes than one combination takes.
Result<std::vector<std::string>> SelectNodes(const NodeChoice& choice,
                                             const std::vector<std::string>& known);

}  // namespace twofold::spec
