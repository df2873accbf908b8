#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "frontend/services/pulled_stream.h"
#include "lib/common/budget.h"
#include "lib/results/run_reader.h"
#include "lib/rpc/limits.h"

namespace twofold::frontend {

/// Sends runs as files. A copy of the run is made beside the store first, by a thread of its own:
/// of many jobs that takes seconds. One copy is made at a time, and rpc::kMaxExports are there at
/// once; who takes nothing of one for rpc::kCallerPatience is broken off.
///
/// Threads  Safe.
class RunExporter {
 public:
  /// `runs` outlives this. The copy is `path` while it is made, and then has no name.
  RunExporter(const results::RunReader& runs, std::string path)
      : runs_(runs), path_(std::move(path)) {}

  /// The stream of v1::ExportPiece; `place` is kept as long as it is open.
  /// Errors   kUnavailable: another copy is being made, or too many are being read; those of
  ///          results::CopyRun.
  ByteWriter* Start(grpc::CallbackServerContext* context, const std::string& run,
                    std::shared_ptr<void> place);

 private:
  class Stream;

  const results::RunReader& runs_;
  const std::string path_;
  Budget copies_{rpc::kMaxExports};
  std::atomic<bool> busy_ = false;
  std::mutex mutex_;     // of thread_
  std::jthread thread_;  // of the newest export
};

}  // namespace twofold::frontend
