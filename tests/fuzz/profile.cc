// Reading a profile of load, and asking its schedule what is due when. A trace that it names is a
// file whose text is its own path, so that the fuzzer writes traces as well.

#include <absl/strings/match.h>

#include <cmath>
#include <memory>
#include <string>

#include "lib/load/schedule.h"
#include "tests/fuzz/target.h"

namespace twofold::fuzz {
namespace {

constexpr int kAsked = 200;  // jobs and changes: a profile may have 10^12

Result<std::string> PathAsTrace(const std::string& path) { return path; }

void CheckDueJobs(load::Schedule schedule) {
  Duration last(0);
  for (int i = 0; i < kAsked && schedule.NextDue(); ++i) {
    const load::DueJob job = schedule.Take();
    Require(job.due >= last && job.due <= schedule.End(), "jobs are due one after the other");
    Require(job.kind == 0 || job.kind < schedule.profile().jobs.size(), "a job has a kind");
    last = job.due;
  }
}

void CheckAt(const load::Schedule& schedule, Duration t) {
  Require(schedule.Parallelism(t) <= load::kMostParallel, "a parallelism is within its limits");
  const double rate = schedule.Rate(t).value_or(0);
  // Rounding of a sine may pass its ends.
  Require(rate > -1e-6 && rate < 2 * load::kMostRate + 1, "a rate is within its limits");
}

void CheckChanges(const load::Schedule& schedule) {
  Duration now(0);
  for (int i = 0; i < kAsked; ++i) {
    CheckAt(schedule, now);
    const std::optional<Duration> next = schedule.NextChange(now);
    if (!next) return;
    Require(*next > now, "changes follow each other");
    now = *next;
  }
}

}  // namespace
}  // namespace twofold::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace twofold;
  const std::string text(fuzz::Bytes(data, size));
  const Result<load::Profile> profile =
      load::ParseProfile("load.yaml", text, {}, {}, &fuzz::PathAsTrace);
  if (!profile.ok()) {
    fuzz::Require(absl::StartsWith(profile.status().message(), "load.yaml:"),
                  "errors name their file");
    return 0;
  }
  fuzz::Require(profile->seconds() > 0 && std::isfinite(profile->seconds()), "a load has a length");
  const load::Schedule schedule(std::make_shared<const load::Profile>(*profile));
  fuzz::CheckDueJobs(schedule);
  fuzz::CheckChanges(schedule);
  return 0;
}
