#pragma once

#include "lib/yaml/node.h"

namespace twofold::benchmarks {

/// The CustomResourceDefinition of WorkerPool, with a scale subresource. What a pod may be, the API
/// server checks when it is made. Pure.
yaml::Json WorkerPoolDefinition();

/// Of its field `template`, and of the same field of a Benchmark's own workers.
yaml::Json PodTemplateSchema();

}  // namespace twofold::benchmarks
