#pragma once

#include <atomic>
#include <string>

#include "frontend/services/pulled_call.h"
#include "lib/common/budget.h"
#include "lib/common/result.h"
#include "lib/results/run_reader.h"
#include "lib/rpc/limits.h"
#include "twofold/v1/runs.pb.h"

namespace twofold::frontend {

/// Sends runs as files. A copy of the run is made beside the store first: of many jobs that takes
/// seconds. One copy is made at a time, and rpc::kMaxExports are there at once.
///
/// Threads  Safe. Open and what it returns block.
class RunExporter {
 public:
  /// Makes the copy. What is returned reads it, piece by piece.
  /// Errors   kUnavailable: another copy is being made, or too many are being read; those of
  ///          results::CopyRun.
  Result<NextMessage<v1::ExportPiece>> Open(const results::RunReader& runs, const std::string& run);

 private:
  Budget copies_{rpc::kMaxExports};
  std::atomic<bool> busy_ = false;
};

}  // namespace twofold::frontend
