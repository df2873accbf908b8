#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "lib/common/result.h"
#include "lib/http/message.h"
#include "lib/stats/comparison.h"
#include "lib/stats/scaling.h"

/// Values in the query of a request. Pure.
///
/// Errors   kInvalidArgument: which parameter, its value, and what is allowed.
namespace twofold::client {

/// `value`, a whole number, clamped to 0..`most`.
Result<std::uint32_t> ParallelismParameter(const http::Params& query, std::uint32_t most);

/// A number more than 0.
Result<double> PositiveParameter(const http::Params& query, std::string_view name);

/// The numbers of an earlier window: `throughput`, `log_error`, `df`, `seconds`. An unknown window
/// has a throughput of 0 or an error of `inf` (or `null`, as in JSON).
Result<stats::Rate> BaseParameters(const http::Params& query);

/// `workers`, `scale`, `cap`, and `repeats` (default 1).
Result<stats::StepPlan> PlanParameters(const http::Params& query);

/// `records` (default none).
Result<std::vector<stats::StepRecord>> RecordsParameter(const http::Params& query);

/// Which pods a verdict speaks of.
enum class Pods : std::uint8_t { kAny, kThese };

/// `pods`, any or these (default any).
Result<Pods> PodsParameter(const http::Params& query);

}  // namespace twofold::client
