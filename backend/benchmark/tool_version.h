#pragma once

#include <string>
#include <string_view>

namespace twofold::backend {

/// The argument that makes the program at `path` say its version and do nothing else; null: it is
/// not known to have one.
const char* VersionArgument(std::string_view path);

/// The version in what a program has printed: its first line that is not empty.
std::string VersionIn(std::string_view output);

}  // namespace twofold::backend
