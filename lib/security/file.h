#pragma once

#include <string>

#include "lib/common/result.h"

namespace twofold::security {

/// The contents of a small file. `flag` is the flag that named it, for messages.
/// Errors   kInvalidArgument: why it cannot be read, or that it is longer than 1 MiB.
Result<std::string> ReadFile(const std::string& flag, const std::string& path);

/// A text that changes when the file at `path` does: a new file in its place (also behind a
/// symbolic link, as Kubernetes replaces the files of a Secret), or new contents. Empty: no file.
///
/// Cost     One system call.
std::string Fingerprint(const std::string& path);

}  // namespace twofold::security
