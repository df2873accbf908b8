#pragma once

#include <cstdint>
#include <string>

#include "lib/common/result.h"
#include "twofold/v1/results.pb.h"

namespace twofold::cli {
class Frontend;
}

namespace twofold::benchmarks {

/// The job of a run that has one, as the frontend keeps it.
struct MeasuredJob {
  std::uint64_t id = 0;
  v1::BenchmarkResult result{};  ///< with its outputs; of a job that never began: nothing
};

/// Asks for the job of a run that is over; the last one, if it was submitted again.
///
/// Cost     Two calls; the second answers with all outputs, so much as a worker may report.
/// Errors   kNotFound: no job of it has ended. Those of the frontend.
Result<MeasuredJob> ReadJob(const cli::Frontend& frontend, const std::string& run);

}  // namespace twofold::benchmarks
