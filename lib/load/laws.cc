#include "lib/load/laws.h"

#include <absl/strings/str_cat.h>

#include <cmath>
#include <string_view>

namespace twofold::load {
namespace {

class Check {
 public:
  void That(bool holds, std::string_view where, std::string_view law) {
    if (!holds) broken_.push_back(absl::StrCat(std::string(where), ": ", std::string(law)));
  }

  // All jobs are somewhere.
  void Counts(const JobCounts& jobs, std::string_view where) {
    That(jobs.planned >= jobs.sent, where, "more jobs sent than planned");
    That(jobs.sent == jobs.all_ended(), where, "jobs sent are not those that ended");
  }

  // Each time is of the jobs that it names, and from the plan is no shorter than from the send.
  void Of(const Times& times, const JobCounts& jobs, std::string_view where) {
    const std::uint64_t succeeded = jobs.succeeded();
    bool all = times.from_plan.ended.Count() == succeeded;
    for (const stats::Histogram* of :
         {&times.from_send.ended, &times.wait, &times.run, &times.overhead}) {
      all = all && of->Count() == succeeded;
    }
    That(all, where, "times are not of the jobs that succeeded");
    const std::uint64_t unanswered = jobs.Of(v1::OUTCOME_UNSPECIFIED);
    That(times.from_send.open.Count() == unanswered, where, "ages are not of unanswered jobs");
    That(times.from_plan.open.Count() == unanswered + jobs.never_sent(), where,
         "ages are not of the jobs that did not end");
    That(times.from_plan.ended.Sum() >= times.from_send.ended.Sum(), where,
         "from plan is less than from send");
  }

  // What was done is the count of ends, but for jobs that the segment's edges cut.
  void Throughput(const stats::ThroughputEstimate& estimate, std::string_view where) {
    That(std::isfinite(estimate.throughput) && estimate.throughput >= 0.0 &&
             estimate.lower <= estimate.throughput && estimate.throughput <= estimate.upper,
         where, "the throughput is outside of its interval");
    That(!estimate.steady || estimate.reason.empty(), where, "steady and a reason why not");
  }

  void Segment(const load::Segment& segment, std::string_view where) {
    Counts(segment.counts(), where);
    Of(segment.times(), segment.counts(), where);
    Throughput(segment.Estimate(segment.begin(), {}), where);
  }

  std::vector<std::string> Broken() && { return std::move(broken_); }

 private:
  std::vector<std::string> broken_;
};

}  // namespace

std::vector<std::string> BrokenLaws(const Recorder& recorder) {
  Check check;
  const Segment& total = *recorder.total();
  check.Counts(recorder.all_jobs(), "the whole load");
  check.Segment(total, "the total");
  JobCounts stages;
  for (const Recorder::StageSegment& stage : recorder.stages()) {
    check.Segment(stage.segment, absl::StrCat("stage ", stage.stage + 1));
    stages += stage.segment.counts();
  }
  check.That(stages == total.counts(), "the stages", "they are not the total");
  JobCounts slices;
  for (const Slice& slice : recorder.slices().all()) slices += slice.jobs;
  slices.sent_late = recorder.all_jobs().sent_late;  // slices do not count them
  check.That(slices == recorder.all_jobs(), "the slices", "they are not the whole load");
  return std::move(check).Broken();
}

}  // namespace twofold::load
