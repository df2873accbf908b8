#pragma once

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <span>
#include <string>

#include "lib/results/statements.h"

/// Statements about many jobs, some hundred at a time: enough to make a round trip to the engine
/// cheap.
namespace twofold::results {

inline constexpr std::size_t kBatch = 200;

/// "job.id IN (?, ?, ...)", for what InBatches gives.
inline std::string AmongBatch(const std::string& column) {
  return absl::StrCat(column, " IN (", Marks(kBatch), ")");
}

/// Calls `use` with parameters for AmongBatch until all jobs were in one.
template <typename Use>
void InBatches(std::span<const JobId> jobs, const Use& use) {
  while (!jobs.empty()) {
    const std::span<const JobId> batch = jobs.first(std::min(kBatch, jobs.size()));
    use(Numbered{batch, kBatch, static_cast<std::int64_t>(kBeforeAllJobs)});
    jobs = jobs.subspan(batch.size());
  }
}

}  // namespace twofold::results
