#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "lib/common/result.h"

namespace twofold::run {

/// Which job of a run. The frontend has it as the job's dedup key, so of those that wait or run no
/// two are the same, and a list of a run's jobs says what each of them is.
struct JobKey {
  std::uint64_t permutation = 0;  ///< spec::Permutation::number
  std::uint32_t repetition = 0;   ///< from 1; warm-ups are counted apart
  bool warm_up = false;

  friend auto operator<=>(const JobKey&, const JobKey&) = default;
};

/// "RUN/17/2", for a warm-up "RUN/17/w1".
std::string KeyText(std::string_view run, const JobKey& key);

/// The reverse; nothing for a job that is not of `run`, or that something else has submitted.
std::optional<JobKey> ParseKey(std::string_view run, std::string_view text);

/// Errors   kInvalidArgument: a run's id is 1 to 100 letters, digits, '-', '_' and '.', and does
///          not begin with a '.'; so it is fit for file names and keys.
Status CheckRunId(std::string_view id);

}  // namespace twofold::run
