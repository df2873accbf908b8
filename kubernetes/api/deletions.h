#pragma once

#include <vector>

#include "kubernetes/api/call.h"
#include "kubernetes/api/connection.h"
#include "lib/common/result.h"

namespace twofold::kube {

/// Makes deletions over several connections. That an object is gone, or is another one by now, is
/// no failure.
///
/// Threads  Blocks; has `connections` threads of its own.
/// Errors   Those of the first call that failed; the others are made all the same, unless the
///          server cannot be reached.
Status CarryOut(const Access& access, const std::vector<Call>& deletions, int connections);

}  // namespace twofold::kube
