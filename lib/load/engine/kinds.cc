#include "lib/load/engine/kinds.h"

#include <absl/strings/str_cat.h>

#include <algorithm>

namespace twofold::load {

Result<std::vector<std::uint32_t>> Kinds::Of(const Profile& profile) {
  std::vector<std::uint32_t> indices;
  for (const WeightedJob& weighted : profile.jobs) {
    const auto same = [&](const Kind& kind) {
      return kind.job && kind.job->spec == weighted.job.spec &&
             kind.job->options.SerializeAsString() == weighted.job.options.SerializeAsString();
    };
    const auto found = std::find_if(kinds_.begin(), kinds_.end(), same);
    indices.push_back(static_cast<std::uint32_t>(found - kinds_.begin()));
    if (found != kinds_.end()) continue;
    if (kinds_.size() >= kMost) {
      return absl::ResourceExhaustedError(absl::StrCat(
          "jobs: at most ", kMost, " different ones since the start; start a new client"));
    }
    kinds_.push_back({.job = std::make_shared<const JobTemplate>(weighted.job), .lane = {}});
  }
  if (indices.empty()) indices.push_back(0);
  return indices;
}

}  // namespace twofold::load
