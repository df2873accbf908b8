#pragma once

#include <string>
#include <string_view>

#include "lib/common/result.h"

namespace twofold {

/// What a program prints to stderr when it ends with an error; each form ends with a line end.
///
///   kLine  "twofold: no frontend answers"
///   kJson  {"error": {"code": "UNAVAILABLE", "message": "no frontend answers"}}
///
/// The code is the name of the status code, as gRPC has them.
enum class ComplaintForm { kLine, kJson };

/// REQUIRES: `status` is an error.
std::string Complaint(std::string_view program, const Status& status, ComplaintForm form);

/// The form for a command line: JSON if it has `--output json`, also if the rest of it is wrong.
ComplaintForm ComplaintFormOf(int argc, const char* const* argv);

}  // namespace twofold
