#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/common/result.h"
#include "lib/load/snapshot.h"
#include "lib/stats/explanation.h"

/// What a measured step shows of its causes: what the pages /window, /look and /why share. Pure.
namespace twofold::client {

/// The window of a step with `workers`. CPU time is not known here.
stats::StepEvidence EvidenceOf(const load::Snapshot& snapshot, std::uint32_t workers);

/// As text that a script keeps and hands back in a URL: no character of it needs an escape. CPU
/// comes first, as the script knows it: "-:-:" is to be replaced by "CORES:THROTTLED:".
///
///   cpu:throttled:workers:throughput:log_error:df:seconds:jobs:failed:wait:run:overhead:spread:
///   slowest_by:slowest:nodes
///
/// "-" is what is not known; nodes are NODE!WORKERS!JOBS!RUN with "~" between, eight at most: those
/// with the longest and the shortest runs.
std::string EvidenceText(const stats::StepEvidence& evidence);

/// Texts with commas between.
/// Errors   kInvalidArgument: which field, its value, and what is allowed.
Result<std::vector<stats::StepEvidence>> ParseEvidence(std::string_view text);

}  // namespace twofold::client
