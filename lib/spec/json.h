#pragma once

#include <nlohmann/json.hpp>

#include "lib/spec/node.h"

namespace twofold::spec {

using Json = nlohmann::ordered_json;

/// The tree as JSON, keys in their order. What is null in a map is left out: it means "not given".
Json ToJson(const Node& node);

/// JSON without blanks.
std::string ToText(const Json& json);

}  // namespace twofold::spec
