#include "lib/results/store.h"

namespace twofold::results {

Status Store::ReadSpecs(const WantedSpecs& wanted) {
  for (const std::shared_ptr<WantedSpec>& each : wanted) {
    auto job = Find(each->job);
    if (absl::IsNotFound(job.status())) continue;
    if (!job.ok()) return job.status();
    each->spec = std::move(job->accepted.spec);
    each->found = true;
  }
  return absl::OkStatus();
}

}  // namespace twofold::results
