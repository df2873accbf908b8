#pragma once

#include <span>

#include "lib/spec/field.h"

namespace twofold::spec {

/// The fields of the spec of a BenchmarkSet: those of kube-perftest, and ours.
std::span<const Field> SetFields();

/// The fields around every spec: apiVersion, kind, metadata, spec, status.
std::span<const Field> ObjectFields();

}  // namespace twofold::spec
