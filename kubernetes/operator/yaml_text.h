#pragma once

#include <string>

#include "lib/yaml/node.h"

namespace twofold::benchmarks {

/// `json` as a YAML document in block style, keys in their order, for manifests that people read.
std::string YamlText(const yaml::Json& json);

}  // namespace twofold::benchmarks
