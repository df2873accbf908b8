#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/common/result.h"
#include "lib/stats/scaling.h"

/// Measured steps as text that a script keeps and hands back in a URL: no character of a record
/// needs an escape, and commas separate records. Pure.
///
///   workers:throughput:log_error:df:seconds:confidence:steady:drift:spread_variance:spread_df
///
/// Errors   kInvalidArgument: which record and field, and what is allowed.
namespace twofold::client {

std::string RecordText(const stats::StepRecord& record);

/// Empty text: no records.
Result<std::vector<stats::StepRecord>> ParseRecords(std::string_view text);

}  // namespace twofold::client
