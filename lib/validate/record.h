#pragma once

#include <string>

#include "lib/common/result.h"
#include "twofold/v1/validation.pb.h"

/// The file of a validation's result.
namespace twofold::validate {

/// JSON on one line, with its line end. Names of fields as they stand; null: it is not known.
std::string LineOf(const v1::ValidationRecord& record);

/// The same for a file, a line each step and window.
std::string TextOf(const v1::ValidationRecord& record);

/// Writes a file by renaming, so that it is whole at any time. A device or pipe is written to as it
/// is.
///
/// Errors   kInvalidArgument: "cannot write PATH".
Status WriteWhole(const std::string& path, const std::string& text);

}  // namespace twofold::validate
