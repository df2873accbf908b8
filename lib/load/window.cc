#include "lib/load/window.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <vector>

namespace twofold::load {
namespace {

/// How long a worker was occupied with a job, as the client sees it: all but the wait. What the
/// frontend says of that is not believed if it is longer than all.
double BusySeconds(const Answer& job) {
  const Duration all = std::max(job.ended - job.submitted, Duration(1));
  return ToSeconds(job.wait < all ? all - job.wait : all);
}

stats::Spread SpreadOf(const std::vector<Place>& places) {
  std::vector<stats::Moments> workers;
  workers.reserve(places.size());
  for (const Place& place : places) workers.push_back(place.times);
  return stats::BetweenWorkers(workers);
}

}  // namespace

void Window::Succeeded(const Answer& job) {
  tally_.Ended(job, true);
  places_.Succeeded(job.place, BusySeconds(job));
}

void Window::Failed(const Answer& job, std::string_view error) {
  tally_.Ended(job, false);
  places_.Failed(job.place);
  errors_.Add(error);
}

void Window::Rejected(std::string_view error) {
  ++rejected_;
  errors_.Add(error);
}

void Window::Describe(Instant now, std::span<const Instant> in_flight, Snapshot& snapshot) const {
  snapshot.estimate = Estimate(now, in_flight);
  snapshot.latencies = tally_.latencies();
  snapshot.open = tally_.open();
  snapshot.spoiled = Spoiling();
  snapshot.rejected = rejected_;
  snapshot.interruptions = interruptions_;
  snapshot.places = places_.all();
  snapshot.spread = SpreadOf(snapshot.places);
  snapshot.errors = errors_.all();
}

// Steady only if the window was not disturbed from outside either.
stats::ThroughputEstimate Window::Estimate(Instant now, std::span<const Instant> in_flight) const {
  stats::ThroughputEstimate estimate = tally_.Estimate(now, in_flight);
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
  if (load_changed_) return "the load was changed in this window";
  const std::optional<OpenTimes>& open = tally_.open();
  return Summary(Spoiling(), open ? open->sent : 0, open ? open->sent_late : 0);
}

std::vector<Mark> Window::Spoiling() const {
  const std::optional<OpenTimes>& open = tally_.open();
  return load::Spoiling(marks_, open ? open->sent : 0, open ? open->sent_late : 0);
}

}  // namespace twofold::load
