#pragma once

#include <vector>

#include "lib/spec/expansion.h"
#include "lib/spec/permutations.h"

namespace twofold::spec {

/// What the fields that `variation` sets have become in `merged`, with the path to each inside
/// maps; then the nodes, if it has any.
std::vector<VariedValue> ValuesOf(const Variation& variation, const Node& merged);

}  // namespace twofold::spec
