#pragma once

#include "lib/yaml/node.h"

/// The definitions of our kinds, as API servers take them. Pure.
namespace twofold::benchmarks {

/// The CustomResourceDefinition of Benchmark: its spec is that of a BenchmarkSet file, made of the
/// same fields (spec::SetFields, suite::Kinds), and what an operator needs beside; it is immutable
/// but for suspend and times.
///
/// A template may have the fields of any kind: which of them go together, the operator checks when
/// it accepts the object.
yaml::Json BenchmarkDefinition();

/// What the status of each kind has that the operator runs: what it has to remember, conditions and
/// counts. Properties by name.
yaml::Json RunStatusFields();

}  // namespace twofold::benchmarks
