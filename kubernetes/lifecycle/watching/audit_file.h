#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "kubernetes/lifecycle/times/audit.h"
#include "lib/common/instant.h"
#include "lib/common/result.h"

namespace twofold::lifecycle {

struct AuditLimits {
  std::size_t line = 8 << 20;                     ///< bytes; longer ones are counted as torn
  std::uint64_t bytes = std::uint64_t{64} << 30;  ///< of all files
  Duration time = std::chrono::minutes(2);
};

/// Reads files of lines, as the API server writes them (--audit-log-path), into `notes`.
///
/// Threads  Blocks.
/// Errors   kInvalidArgument: a file cannot be read, is packed, or the limits are reached; what
/// came
///          before is in the notes.
Status ReadAudit(const std::vector<std::string>& paths, AuditNotes& notes,
                 const AuditLimits& limits = {});

}  // namespace twofold::lifecycle
