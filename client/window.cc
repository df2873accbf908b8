#include "client/window.h"

#include <absl/strings/str_cat.h>

namespace twofold::client {

void Window::Succeeded(const Answer& job) {
  throughput_.Ended(job.submitted, job.ended, true);
  places_.Succeeded(job.place);
  if (job.submitted < start_) return;
  latencies_.Record(job.wait, job.run, job.ended - job.submitted);
}

void Window::Failed(const Answer& job, std::string_view error) {
  throughput_.Ended(job.submitted, job.ended, false);
  places_.Failed(job.place);
  errors_.Add(error);
}

void Window::Rejected(std::string_view error) {
  ++rejected_;
  errors_.Add(error);
}

void Window::Describe(Instant now, std::span<const Instant> in_flight, Snapshot& snapshot) const {
  snapshot.estimate = Estimate(now, in_flight);
  for (const Part part : kParts) {
    snapshot.latencies[static_cast<std::size_t>(part)] = latencies_.Summary(part);
  }
  snapshot.clamped_overheads = latencies_.clamped();
  snapshot.rejected = rejected_;
  snapshot.interruptions = interruptions_;
  snapshot.places = places_.all();
  snapshot.errors = errors_.all();
}

// Steady only if the window was not disturbed from outside either.
stats::ThroughputEstimate Window::Estimate(Instant now, std::span<const Instant> in_flight) const {
  stats::ThroughputEstimate estimate = throughput_.Estimate(now, in_flight);
  if (std::string disturbed = WhyDisturbed(); !disturbed.empty()) {
    estimate.steady = false;
    estimate.reason = std::move(disturbed);
  }
  return estimate;
}

std::string Window::WhyDisturbed() const {
  if (interruptions_ > 0) {
    return absl::StrCat("interrupted: the frontend was lost ", interruptions_,
                        interruptions_ == 1 ? " time" : " times", " in this window");
  }
  if (parallelism_changed_) return "the parallelism was changed in this window";
  return {};
}

}  // namespace twofold::client
