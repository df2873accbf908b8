#pragma once

#include <cstddef>

#include "lib/common/budget.h"
#include "lib/common/result.h"
#include "lib/results/records.h"
#include "twofold/v1/runs.pb.h"

namespace twofold::frontend {

/// A run as CreateRun sends it, message by message, checked as it comes.
class RunDraft {
 public:
  /// What it holds is a share of `bytes`, as long as it lives.
  explicit RunDraft(Budget& bytes) : share_(bytes) {}

  /// Errors   kInvalidArgument: which field; kResourceExhausted: it is too large, or all drafts
  ///          together are.
  Status Add(const v1::CreateRunRequest& request);

  /// The run, which the draft has no longer.
  /// Errors   kInvalidArgument: there was no run; kAborted: its last message did not come.
  Result<results::RunCreated> Finish();

 private:
  Status SetRun(const v1::Run& run);
  Status AddPermutation(const v1::Permutation& permutation);
  Status Grow(std::size_t bytes);

  results::RunCreated run_;
  Budget::Share share_;
  std::size_t bytes_ = 0;
  bool complete_ = false;
};

}  // namespace twofold::frontend
