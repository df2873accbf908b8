#pragma once

#include <cstdint>
#include <string>

#include "backend/benchmark/options.h"
#include "lib/common/result.h"
#include "lib/suite/plan.h"

namespace twofold::backend {

/// Whether this worker carries out what the spec of rank `rank` asks for: paths lead into
/// `work_folder` or where `allowed` says, symbolic links followed, and nothing is unlisted that is
/// not allowed. What a link is changed to later is not seen: let nobody else write there.
/// Errors   kPermissionDenied: the path or option, and which flag of the worker would allow it.
Status CheckAllowed(const suite::GangPlan& plan, std::uint32_t rank, const std::string& work_folder,
                    const Allowances& allowed);

}  // namespace twofold::backend
