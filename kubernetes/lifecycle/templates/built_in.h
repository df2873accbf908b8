#pragma once

#include <string>
#include <vector>

#include "kubernetes/lifecycle/moments/kind.h"

namespace twofold::lifecycle {

/// The built-in templates, YAML files of this folder, in the order of Kinds().
const std::vector<std::string>& BuiltInTexts();

/// That of one kind, which is a row of Kinds().
const std::string& BuiltInTemplate(const Kind& kind);

}  // namespace twofold::lifecycle
