#pragma once

#include <span>
#include <string>

#include "lib/show/json.h"
#include "lib/spec/field.h"

namespace twofold::cli {

/// All kinds: who runs each, with how many workers, and what it measures.
std::string KindsText();
Json KindsJson();

/// The fields of a kind, or of a BenchmarkSet. Errors: kInvalidArgument: no such kind.
Result<std::span<const spec::Field>> FieldsOf(const std::string& kind);

/// Fields with type, default, unit and meaning; those inside maps with their path.
std::string FieldsText(std::span<const spec::Field> fields);
Json FieldsJson(std::span<const spec::Field> fields);

}  // namespace twofold::cli
