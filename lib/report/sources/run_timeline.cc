#include <absl/strings/str_cat.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "lib/report/sources/run_figures.h"
#include "lib/report/sources/timeline.h"

namespace twofold::report {
namespace {

constexpr std::size_t kMostTimelineJobs = 20'000;

using Jobs = std::vector<const v1::JobResult*>;

bool HasRun(const v1::JobResult& job) {
  return job.state() == v1::JOB_STATE_FINISHED && job.started_unix_ns() > 0 && job.run_ns() > 0;
}

/// Those that have run, by their start.
Jobs JobsThatRan(const RunResults& results) {
  Jobs jobs;
  for (const v1::PermutationResult& each : results.permutations) {
    for (const v1::JobResult& job : each.jobs()) {
      if (HasRun(job)) jobs.push_back(&job);
    }
  }
  std::stable_sort(jobs.begin(), jobs.end(), [](const auto* a, const auto* b) {
    return a->started_unix_ns() < b->started_unix_ns();
  });
  return jobs;
}

Jobs Evenly(const Jobs& jobs, std::size_t most) {
  if (jobs.size() <= most) return jobs;
  Jobs some;
  for (std::size_t i = 0; i < most; ++i) some.push_back(jobs[i * jobs.size() / most]);
  return some;
}

}  // namespace

std::optional<Picture> RunTimelinePicture(const RunResults& results) {
  const Jobs all = JobsThatRan(results);
  const Jobs jobs = Evenly(all, kMostTimelineJobs);
  Timeline timeline{.since = "since the first job began", .left_out = all.size() - jobs.size()};
  std::map<std::tuple<std::string, std::string, std::string>, std::size_t> places;
  for (const v1::JobResult* job : jobs) places[{job->node(), job->pod(), job->device()}];
  for (auto& [place, number] : places) {
    number = timeline.places.size();
    timeline.places.push_back(std::apply(PlaceName, place));
  }
  for (const v1::JobResult* job : jobs) {
    const std::int64_t since = job->started_unix_ns() - jobs.front()->started_unix_ns();
    timeline.jobs.push_back({.place = places[{job->node(), job->pod(), job->device()}],
                             .started = static_cast<double>(since) * 1e-9,
                             .run = static_cast<double>(job->run_ns()) * 1e-9,
                             .failed = job->outcome() != v1::OUTCOME_SUCCEEDED});
  }
  return TimelinePicture(std::move(timeline),
                         "Warm-ups are there as well; what did not succeed counts as failed. A job "
                         "ends when its result arrives, and began its run time before that.");
}

}  // namespace twofold::report
