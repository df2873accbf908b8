#pragma once

#include <cstddef>

#include "twofold/v1/results.pb.h"

namespace twofold::backend {

/// Makes `record` no longer than `most` bytes as far as cutting its artifacts can do that.
void Fit(v1::RankRecord& record, std::size_t most);

/// Makes `result` no longer than `most` bytes. What goes first: raw outputs, each down to an equal
/// share of the room that the small ones leave; then the stages of the last ranks, the longest
/// series, measurements that are no headline, and headlines, the last ones first. What is left out
/// beside outputs is said in `left_out`.
/// REQUIRES: `most` is 64 KiB at least, so that there is room for names and reasons.
void Fit(v1::BenchmarkResult& result, std::size_t most);

}  // namespace twofold::backend
