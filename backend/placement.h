#pragma once

#include <string>

#include "backend/labels.h"
#include "twofold/v1/queue.pb.h"

namespace twofold::backend {

/// Why a job with this placement must not run on a worker with these labels on this node; empty: it
/// may.
std::string WrongPlace(const v1::Placement& placement, const Labels& labels,
                       const std::string& node);

}  // namespace twofold::backend
