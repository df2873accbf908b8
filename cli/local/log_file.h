#pragma once

#include <cstdint>
#include <string>

#include "lib/common/result.h"

namespace twofold::local {

/// A file that a process appends to is moved to PATH.1 (by copying: the process keeps its file
/// open) once it is larger than `limit`. So a process has at most about twice the limit on disk.
void BoundLog(const std::string& path, std::uintmax_t limit);

/// The last `lines` lines of a file, looked for in its last MiB.
/// Errors   kNotFound: no such file.
Result<std::string> Tail(const std::string& path, int lines);

}  // namespace twofold::local
