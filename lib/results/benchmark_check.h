#pragma once

#include "lib/common/result.h"
#include "twofold/v1/results.pb.h"

namespace twofold::results {

/// Whether a result of a worker may be stored: numbers are finite, rows are whole, names are there
/// and printable, and nothing is larger than the limits in benchmark_check.cc.
///
/// Errors   kInvalidArgument: the first that is wrong, "measurements[3].value is not finite".
Status Check(const v1::BenchmarkResult& result);

}  // namespace twofold::results
