#pragma once

#include <string>

#include "twofold/v1/validation.pb.h"

/// A validation's result as JSON. Pure.
namespace twofold::validate {

/// JSON on one line, with its line end. Names of fields as they stand; null: it is not known.
std::string LineOf(const v1::ValidationRecord& record);

/// The same for a file, a line each step and window.
std::string TextOf(const v1::ValidationRecord& record);

}  // namespace twofold::validate
