#pragma once

#include <span>

#include "lib/spec/field.h"
#include "lib/spec/kind.h"
#include "lib/spec/node.h"

namespace twofold::spec {

/// What CheckFields takes as a JSON schema (draft 7): a map with these `fields`, and no others.
Json SchemaOf(std::span<const Field> fields);

/// All that ReadSweep takes with these kinds as a JSON schema (draft 7), for editors. It refuses
/// what a field shows alone; what has to hold together only Expand knows.
Json JsonSchema(std::span<const Kind> kinds);

}  // namespace twofold::spec
