#include "lib/results/run_state.h"

#include <string>

namespace twofold::results {

const char* StateOf(const v1::Run& run) {
  if (run.counts().running() > 0) return "running";
  if (run.counts().waiting() > 0) return "waiting";
  const bool is_untouched = run.counts().ended().empty();
  if (!is_untouched && !IsIncomplete(run)) return "ended";
  if (run.cancelled_unix_ns() != 0) return "cancelled";
  return is_untouched ? "planned" : "paused";
}

std::uint64_t WithdrawnOf(const v1::RunCounts& counts) {
  std::uint64_t jobs = 0;
  for (int i = 0; i < queue::kOutcomes; ++i) {
    const auto outcome = static_cast<queue::Outcome>(i);
    if (!queue::IsWithdrawn(outcome)) continue;
    const auto ended = counts.ended().find(std::string(queue::Name(outcome)));
    if (ended != counts.ended().end()) jobs += ended->second;
  }
  return jobs;
}

// A run that was not planned, but made by its jobs, has only those that were submitted; what was
// withdrawn of it stays so, unless all of it was.
bool IsIncomplete(const v1::Run& run) {
  const bool can_go_on = run.jobs() > 0 || run.cancelled_unix_ns() != 0;
  return run.counts().planned() > 0 || (can_go_on && WithdrawnOf(run.counts()) > 0);
}

}  // namespace twofold::results
