#pragma once

#include "lib/spec/node.h"
#include "lib/spec/sweep.h"

namespace twofold::spec {

/// Fills in what the spec of a BenchmarkSet says beside its template: what is varied, how often, in
/// which order. `spec` has been checked against SetFields; sweep.kind is known.
Status ReadOptions(const Node& spec, Sweep& sweep);

}  // namespace twofold::spec
