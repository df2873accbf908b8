#pragma once

#include "lib/yaml/node.h"

namespace twofold::benchmarks {

/// The CustomResourceDefinition of WorkerPool, with a scale subresource. What a pod may be, the API
/// server checks when it is made. Pure.
yaml::Json WorkerPoolDefinition();

}  // namespace twofold::benchmarks
