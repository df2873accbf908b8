#pragma once

#include <string>
#include <vector>

#include "kubernetes/api/call.h"
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

/// A kind of ours.
struct OwnKind {
  kube::Resource resource;
  std::string description;
  yaml::Json run_fields;              ///< properties of the spec that stay as they are
  std::vector<std::string> required;  ///< of these
  yaml::Json status_fields;           ///< properties of the status
  yaml::Json columns;                 ///< of `kubectl get`
};

/// Its CustomResourceDefinition. Beside run_fields, its spec has what may change: how the operator
/// deals with the object.
yaml::Json DefinitionOf(const OwnKind& kind);

/// Of those with a `priority`, `kubectl get -o wide` alone has them.
yaml::Json Column(const char* name, const char* type, const char* path, int priority = 0);

/// What the status of each kind has that the operator runs: what it has to remember, conditions and
/// counts. Properties by name.
yaml::Json RunStatusFields();

/// status.workerPool, of kinds that may have workers of their own. Properties by name.
yaml::Json WorkerPoolField();

/// spec.frontendRef.
yaml::Json FrontendRefSchema();

/// status.conditions, where `types` are those that the kind has: "Accepted, Ready".
yaml::Json ConditionsSchema(const char* types);

}  // namespace twofold::benchmarks
