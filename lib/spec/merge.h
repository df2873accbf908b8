#pragma once

#include "lib/spec/node.h"

namespace twofold::spec {

/// `over` laid over `base`, as kube-perftest lays a permutation over its template: maps merge key
/// by key, new keys last; lists are joined, `base` first; null keeps `base`; all else replaces it.
NodeRef Merge(const NodeRef& base, const NodeRef& over);

/// The entries of `base` that `map` lacks, added to it; nothing is merged deeper. This is YAML's
/// merge key.
void AddMissing(Map& map, const Map& base);

}  // namespace twofold::spec
