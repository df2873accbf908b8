#include "lib/load/window.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <vector>

namespace twofold::load {
namespace {

stats::Spread SpreadOf(const std::vector<Place>& places) {
  std::vector<stats::Moments> workers;
  workers.reserve(places.size());
  for (const Place& place : places) workers.push_back(place.times);
  return stats::BetweenWorkers(workers);
}

}  // namespace

void Window::Sent(Instant planned, Instant now, bool open_loop) {
  segment_.Planned(planned);
  segment_.Sent(planned, now, open_loop);
}

void Window::Ended(const JobEntry& job, std::string_view error) {
  segment_.Ended(job);
  if (job.outcome == v1::OUTCOME_REJECTED) return Refused(error);
  if (job.succeeded()) return places_.Succeeded(job.place, job.BusySeconds(), ToSeconds(job.run));
  places_.Failed(job.place);
  errors_.Add(error);
}

void Window::Refused(std::string_view error) {
  ++refused_;
  errors_.Add(error);
}

void Window::Describe(Instant now, const InFlight& in_flight, Snapshot& snapshot) const {
  snapshot.estimate = segment_.Estimate(now, in_flight.at_work);
  snapshot.measured = segment_.Measured(now, in_flight.at_work);
  // Steady only if the window was not disturbed from outside either.
  if (std::string disturbed = WhyDisturbed(); !disturbed.empty()) {
    snapshot.estimate.usable = snapshot.estimate.steady = false;
    snapshot.estimate.reason = std::move(disturbed);
  }
  snapshot.times = segment_.TimesWith(in_flight.jobs, now);
  snapshot.jobs = segment_.counts();
  snapshot.spoiled = Spoiling(marks_, segment_.counts());
  snapshot.refused = refused_;
  snapshot.interruptions = interruptions_;
  snapshot.places = places_.all();
  snapshot.spread = SpreadOf(snapshot.places);
  snapshot.errors = errors_.all();
}

std::string Window::WhyDisturbed() const {
  if (interruptions_ > 0) {
    return absl::StrCat("interrupted: the frontend was lost ", interruptions_,
                        interruptions_ == 1 ? " time" : " times", " in this window");
  }
  if (parallelism_changed_) return "the parallelism was changed in this window";
  if (load_changed_) return "the load was changed in this window";
  return Summary(Spoiling(marks_, segment_.counts()), segment_.counts());
}

}  // namespace twofold::load
