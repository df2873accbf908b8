#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "lib/common/result.h"
#include "lib/suite/plan.h"
#include "lib/suite/suite.h"
#include "twofold/v1/results.pb.h"

/// The record of what ran at a rank (results.proto), as suites get it, and results for people.
namespace twofold::backend {

/// Appends what ran at this rank to what a suite's Parse gets.
/// Errors   kDataLoss "STAGE: ...": an output of a kRun stage is not whole, or cannot be read.
///          Outputs of other stages may have lost their middle.
Status AppendOutputs(const v1::RankRecord& record, std::uint32_t rank,
                     std::span<const suite::Stage> stages, std::uint64_t most_bytes,
                     suite::Outputs& outputs);

/// The numbers for people, a line each, headlines first; of series how many rows there are.
std::string Text(const v1::BenchmarkResult& result);

}  // namespace twofold::backend
