#pragma once

#include <map>
#include <memory>
#include <string>

#include "lib/common/mutex.h"
#include "lib/common/result.h"
#include "twofold/v1/runs.pb.h"

namespace twofold::frontend {

/// Which runs somebody looks after, and who.
///
/// Threads  Safe.
class AttendedRuns {
 public:
  /// Taken for as long as it lives, which the AttendedRuns must outlive.
  using Place = std::shared_ptr<void>;

  /// Errors   kInvalidArgument: which field; kAlreadyExists: who has the run.
  Result<Place> Enter(const v1::AttendRunRequest& request);

 private:
  void Leave(const std::string& run);

  Mutex mutex_;
  std::map<std::string, std::string> who_ ABSL_GUARDED_BY(mutex_);  // by run
};

}  // namespace twofold::frontend
