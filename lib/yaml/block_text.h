#pragma once

#include <string>

#include "lib/yaml/node.h"

namespace twofold::yaml {

/// `json` as a YAML document in block style, keys in their order, for manifests that people read.
std::string BlockText(const Json& json);

}  // namespace twofold::yaml
