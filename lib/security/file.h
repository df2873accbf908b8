#pragma once

#include <string>

#include "lib/common/result.h"

namespace twofold::security {

/// The whole of a small file. `flag` named it, for the message.
/// Errors   kInvalidArgument: it cannot be read, and why, or is longer than 1 MiB.
Result<std::string> ReadFile(const std::string& flag, const std::string& path);

/// Changes when the file at `path` does: a new file in its place (also behind a symbolic link, as
/// Kubernetes replaces the files of a Secret), or new contents. Empty: no such file.
/// Cost     One system call.
std::string Fingerprint(const std::string& path);

}  // namespace twofold::security
