#pragma once

#include <string_view>

#include "lib/spec/node.h"

namespace twofold::spec {

/// What a YAML scalar without quotes stands for, by the core schema of YAML 1.2 (section 10.3.2):
/// null, true or false, a whole number, a number, else text. Three things stay text so that none is
/// misread: what other YAML readers take for octal or for minutes (010, 0o10, 1:30), and .inf and
/// .nan, which JSON cannot say. A whole number beyond 64 bits becomes a number.
decltype(Node::value) PlainScalar(std::string_view text);

}  // namespace twofold::spec
