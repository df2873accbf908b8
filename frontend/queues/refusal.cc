#include "frontend/queues/refusal.h"

#include <absl/strings/str_cat.h>

namespace twofold::frontend {

Status Refusal(const queue::Submitted& submitted, const std::string& queue) {
  switch (submitted.admission) {
    case queue::Admission::kFull:
      return absl::ResourceExhaustedError(absl::StrCat(
          "queue ", queue, " is full, try again after ", ToSeconds(kRetryAfter), " s"));
    case queue::Admission::kHeld:
      return absl::AbortedError(absl::StrCat(
          "dedup_key: job ", static_cast<std::uint64_t>(submitted.job), " of queue ", queue,
          " has it, which is not durable; submit again when that has ended, or cancel it"));
    case queue::Admission::kDraining:
      return absl::FailedPreconditionError(
          absl::StrCat("queue ", queue, " drains, it takes no more jobs; resume it first"));
    case queue::Admission::kAccepted:
      break;
  }
  return absl::OkStatus();
}

}  // namespace twofold::frontend
