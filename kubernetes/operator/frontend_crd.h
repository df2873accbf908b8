#pragma once

#include "lib/yaml/node.h"

namespace twofold::benchmarks {

/// The CustomResourceDefinition of Frontend. It belongs to the cluster, so who may write in a
/// namespace alone has no part in it.
yaml::Json FrontendDefinition();

}  // namespace twofold::benchmarks
