#pragma once

#include <span>

#include "lib/spec/kind.h"
#include "lib/yaml/node.h"

/// Objects of a cluster as files: what `kubectl apply` takes, `twofold run` takes, too. Pure.
namespace twofold::spec {

/// Whether the document says that it is one of kObjectVersion.
bool IsObject(const Node& document);

/// A Benchmark as the file of the BenchmarkSet that it asks for. It is as strict as an API server:
///
///   a number with a point     is a text, "0.5", as Kubernetes has no others in specs
///   permutations.product      is in the order of its fields' names, as Kubernetes keeps none
///   spec.queue                stands there, and not in metadata, whose fields are Kubernetes' own
///   kHandling's other fields  are checked and left out: they are about the object
///
/// All places are those of `object`. REQUIRES: it is a map that fits ObjectFields.
/// Errors   kInvalidArgument "LINE:COLUMN: field: what".
Result<NodeRef> SetOf(const NodeRef& object, std::span<const Kind> kinds);

/// activeDeadlineSeconds of a Benchmark's spec; 0: there is none.
double DeadlineOf(const Node& object);

}  // namespace twofold::spec
