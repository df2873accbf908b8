#include "lib/words/run_state.h"

#include <string>

#include "lib/queue/types.h"

namespace twofold {
namespace {

std::uint64_t EndedSo(const v1::RunCounts& counts, queue::Outcome outcome) {
  const auto found = counts.ended().find(std::string(queue::Name(outcome)));
  return found == counts.ended().end() ? 0 : found->second;
}

}  // namespace

std::string LabelOf(const v1::Run& run, const std::string& name) {
  const auto label = run.labels().find(name);
  return label == run.labels().end() ? "" : label->second;
}

const char* StateOf(const v1::Run& run) {
  if (run.counts().running() > 0) return "running";
  if (run.counts().waiting() > 0) return "waiting";
  const bool is_untouched = run.counts().ended().empty();
  if (!is_untouched && !IsIncomplete(run)) return "ended";
  if (run.cancelled_unix_ns() != 0) return "cancelled";
  return is_untouched ? "planned" : "paused";
}

// A run that was not planned, but made by its jobs, has only those that were submitted; what was
// withdrawn of it stays so, unless all of it was.
bool IsIncomplete(const v1::Run& run) {
  const bool can_go_on = run.jobs() > 0 || run.cancelled_unix_ns() != 0;
  return run.counts().planned() > 0 || (can_go_on && WithdrawnOf(run.counts()) > 0);
}

std::uint64_t EndedOf(const v1::RunCounts& counts) {
  std::uint64_t jobs = 0;
  for (const auto& [outcome, ended] : counts.ended()) jobs += ended;
  return jobs;
}

std::uint64_t SucceededOf(const v1::RunCounts& counts) {
  return EndedSo(counts, queue::Outcome::kSucceeded);
}

std::uint64_t WithdrawnOf(const v1::RunCounts& counts) {
  std::uint64_t jobs = 0;
  for (int i = 0; i < queue::kOutcomes; ++i) {
    const auto outcome = static_cast<queue::Outcome>(i);
    if (queue::IsWithdrawn(outcome)) jobs += EndedSo(counts, outcome);
  }
  return jobs;
}

bool Counts(const v1::JobResult& job) {
  return job.outcome() == v1::OUTCOME_SUCCEEDED && !job.place().warm_up() &&
         job.submitted_again_as() == 0;
}

}  // namespace twofold
