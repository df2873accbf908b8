#pragma once

#include <cstddef>

#include "lib/common/result.h"
#include "lib/results/records.h"
#include "twofold/v1/runs.pb.h"

namespace twofold::frontend {

/// A run as CreateRun sends it, message by message, checked as it comes.
class RunDraft {
 public:
  /// Errors   kInvalidArgument: which field; kResourceExhausted: it is too large.
  Status Add(const v1::CreateRunRequest& request);

  /// Errors   kInvalidArgument: there was no run; kAborted: its last message did not come.
  Result<results::RunCreated> Finish() const;

 private:
  Status SetRun(const v1::Run& run);
  Status AddPermutation(const v1::Permutation& permutation);

  results::RunCreated run_;
  std::size_t bytes_ = 0;
  bool complete_ = false;
};

}  // namespace twofold::frontend
