#pragma once

#include <map>
#include <string>

#include "lib/common/result.h"

namespace twofold {

/// Tells the program that started this one that it serves, and where: one JSON object such as
/// {"pid": 4711, "http": "127.0.0.1:9998"}. The file appears whole (written beside, then renamed),
/// so a supervisor that asked for port 0 just waits for the file.
///
/// `addresses` maps names to host:port; neither has characters that JSON would escape.
/// Errors   kInvalidArgument: the path cannot be written, and why.
Status WriteReadyFile(const std::string& path, const std::map<std::string, std::string>& addresses);

}  // namespace twofold
