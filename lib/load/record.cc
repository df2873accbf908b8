#include "lib/load/record.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "lib/load/laws.h"
#include "lib/stats/quantile.h"
#include "lib/suite/latencies.h"

namespace twofold::load {
namespace {

// What JSON cannot write, infinity, is not known.
void SetEstimate(const stats::ThroughputEstimate& estimate, v1::LoadResult& result) {
  result.set_seconds(estimate.seconds);
  result.set_steady(estimate.steady);
  result.set_why_not_steady(estimate.reason);
  result.set_jobs_needed(estimate.jobs_needed);
  if (estimate.succeeded > 0) result.set_throughput(estimate.throughput);
  if (!std::isfinite(estimate.log_error)) return;
  if (std::isfinite(estimate.upper)) {
    result.set_lower(estimate.lower);
    result.set_upper(estimate.upper);
  }
  result.set_log_error(estimate.log_error);
  result.set_degrees(estimate.degrees);
}

v1::LoadJobs JobsOf(const JobCounts& counts) {
  v1::LoadJobs jobs;
  jobs.set_planned(counts.planned);
  jobs.set_sent(counts.sent);
  jobs.set_succeeded(counts.succeeded());
  jobs.set_failed(counts.failed());
  jobs.set_timed_out(counts.Of(v1::OUTCOME_TIMED_OUT));
  jobs.set_cancelled(counts.Of(v1::OUTCOME_CANCELLED));
  jobs.set_lost(counts.Of(v1::OUTCOME_LOST));
  jobs.set_unanswered(counts.Of(v1::OUTCOME_UNSPECIFIED));
  jobs.set_rejected(counts.rejected());
  return jobs;
}

v1::LoadResult ResultOf(const Segment& segment, bool histograms) {
  v1::LoadResult result;
  const JobCounts& counts = segment.counts();
  *result.mutable_jobs() = JobsOf(counts);
  result.set_submitted(counts.sent);
  result.set_succeeded(counts.succeeded());
  result.set_failed(counts.failed());
  result.set_rejected(counts.rejected());
  SetEstimate(segment.Estimate(segment.begin(), {}), result);
  const Times& times = segment.times();
  *result.mutable_from_plan() = TimeOf(times.from_plan, histograms);
  *result.mutable_from_send() = TimeOf(times.from_send, histograms);
  *result.mutable_wait() = TimeOf({times.wait, {}}, histograms);
  *result.mutable_run() = TimeOf({times.run, {}}, histograms);
  *result.mutable_overhead() = TimeOf({times.overhead, {}}, histograms);
  if (times.late.Count() > 0) *result.mutable_late() = TimeOf({times.late, {}}, histograms);
  return result;
}

double Seconds(const Recorder& recorder, Instant at) { return ToSeconds(at - recorder.start()); }

// What spoils this segment's time and jobs.
std::vector<Mark> SpoilingOf(const Recorder& recorder, const Segment& segment) {
  std::vector<Mark> marks = Spoiling(recorder.marks(), segment.counts());
  std::erase_if(marks, [&](const Mark& mark) {
    return mark.to < segment.begin() || (segment.end() && mark.from >= *segment.end());
  });
  return marks;
}

std::string WhyNotSteady(const std::vector<Mark>& marks, const JobCounts& counts) {
  const bool lost = std::any_of(marks.begin(), marks.end(),
                                [](const Mark& mark) { return mark.trouble == Trouble::kLink; });
  const std::string rest = Summary(marks, counts);
  if (!lost) return rest;
  return absl::StrCat("the frontend was lost", rest.empty() ? "" : "; ", rest);
}

// Segments are judged alike, whichever part of the load they are.
void Judge(const Recorder& recorder, const Segment& segment, bool changes, v1::LoadResult& result) {
  const std::string why = WhyNotSteady(SpoilingOf(recorder, segment), segment.counts());
  if (why.empty() && !changes) return;
  result.set_steady(false);
  result.set_why_not_steady(why.empty() ? "the load changed by its profile" : why);
}

const Stage& PlannedOf(const Recorder& recorder, const Recorder::StageSegment& stage) {
  return recorder.schedule().profile().stages[stage.stage];
}

bool Changes(const Stage& stage) { return stage.from != stage.to; }

void AddResult(const Recorder& recorder, v1::LoadRecord& record) {
  const Segment& total = *recorder.total();
  v1::LoadResult& result = *record.mutable_result();
  result = ResultOf(total, true);
  result.set_refused(recorder.refused());
  JobCounts warm_up = recorder.all_jobs();
  warm_up -= total.counts();
  *record.mutable_warm_up() = JobsOf(warm_up);
  // Of a time in which the load itself changes no steady state can be expected.
  Judge(recorder, total,
        recorder.stages().size() > 1 || Changes(PlannedOf(recorder, recorder.stages().front())),
        result);
  for (const Mark& mark : Grouped(SpoilingOf(recorder, total))) {
    v1::LoadSpoil& spoil = *record.add_spoiled();
    spoil.set_from(Seconds(recorder, mark.from));
    spoil.set_to(Seconds(recorder, mark.to));
    spoil.set_reason(Text(mark));
  }
}

void AddStages(const Recorder& recorder, v1::LoadRecord& record) {
  for (const Recorder::StageSegment& seen : recorder.stages()) {
    const Stage& planned = PlannedOf(recorder, seen);
    v1::LoadStage& stage = *record.add_stages();
    stage.set_name(absl::StrCat(seen.stage + 1, ": ", planned.name));
    stage.set_from(Seconds(recorder, seen.segment.begin()));
    *stage.mutable_result() = ResultOf(seen.segment, false);
    stage.set_to(stage.from() + stage.result().seconds());
    Judge(recorder, seen.segment, Changes(planned), *stage.mutable_result());
  }
}

void AddSlices(const Recorder& recorder, v1::LoadRecord& record) {
  const Slices& slices = recorder.slices();
  const Duration over = *recorder.closed_at() - recorder.start();
  record.set_slice_seconds(ToSeconds(slices.width()));
  Duration begin{};
  for (std::size_t i = 0; i < slices.all().size(); ++i) {
    const Slice& seen = slices.all()[i];
    const Duration end = slices.EndOf(i);
    const double seconds = ToSeconds(std::max(end - begin, Duration(1)));
    const auto rate = [&](std::uint64_t jobs) { return static_cast<double>(jobs) / seconds; };
    const Duration last = std::min(end, over) - Duration(1);  // in the load
    const bool open = begin < over && recorder.schedule().IsOpen(last);
    v1::LoadSlice& slice = *record.add_slices();
    slice.set_seconds(seconds);
    if (open || (seen.jobs.planned > 0 && begin < over)) slice.set_planned(rate(seen.jobs.planned));
    slice.set_sent(rate(seen.jobs.sent));
    slice.set_succeeded(rate(seen.jobs.succeeded()));
    slice.set_unanswered(rate(seen.jobs.Of(v1::OUTCOME_UNSPECIFIED)));
    slice.set_failed(rate(seen.jobs.failed()));
    slice.set_rejected(rate(seen.jobs.rejected()));
    if (!open && begin < over) slice.set_parallel(recorder.schedule().Parallelism(last));
    slice.set_outstanding(static_cast<double>(seen.outstanding));
    *slice.mutable_from_plan() = suite::ToMessage(seen.from_plan);
    begin = end;
  }
}

void AddPlaces(const Recorder& recorder, v1::LoadRecord& record) {
  for (const Place& seen : recorder.all_places()) {
    v1::LoadPlace& place = *record.add_places();
    place.set_node(seen.node);
    place.set_pod(seen.pod);
    place.set_device(seen.device);
    place.set_succeeded(seen.succeeded);
    place.set_failed(seen.failed);
    if (seen.succeeded > 0) place.set_mean_run(seen.runs.mean());
    if (seen.succeeded > 1) place.set_deviation(std::sqrt(seen.runs.Variance()));
  }
}

void AddErrors(const Recorder& recorder, v1::LoadRecord& record) {
  std::vector<std::pair<std::string, std::uint64_t>> errors(recorder.errors().begin(),
                                                            recorder.errors().end());
  std::ranges::stable_sort(errors, std::greater(), [](const auto& one) { return one.second; });
  for (const auto& [text, count] : errors) {
    v1::LoadError& error = *record.add_errors();
    error.set_text(text);
    error.set_count(count);
  }
}

void AddJobs(const Recorder& recorder, v1::LoadRecord& record) {
  std::vector<JobEntry> jobs = recorder.jobs();
  std::ranges::sort(jobs, {}, &JobEntry::ended);
  for (const JobEntry& ran : jobs) {
    v1::LoadJob& job = *record.add_jobs();
    job.set_place(ran.place);
    job.set_started(Seconds(recorder, ran.ended - ran.run));
    job.set_run(ToSeconds(ran.run));
    job.set_due(Seconds(recorder, ran.planned));
    job.set_failed(!ran.succeeded());
  }
  record.set_jobs_left_out(recorder.ended() - jobs.size());
}

void AddPercentile(const stats::CensoredTimes& times, double share, v1::LoadTime& time) {
  const stats::CensoredTimes::Interval interval = times.IntervalOfQuantile(share);
  v1::LoadPercentile& percentile = *time.add_percentiles();
  percentile.set_share(share);
  if (interval.lower) percentile.set_lower(ToSeconds(*interval.lower));
  if (interval.upper) percentile.set_upper(ToSeconds(*interval.upper));
  percentile.set_needed(stats::NeededForQuantile(share));
}

}  // namespace

v1::LoadTime TimeOf(const stats::CensoredTimes& times, bool with_histogram) {
  v1::LoadTime time;
  time.set_count(times.ended.Count());
  time.set_open(times.open.Count());
  if (times.ended.Count() + times.open.Count() == 0) return time;
  if (times.open.Count() > 0) time.set_known(times.Known());
  time.set_mean(ToSeconds(times.Mean()->value));
  if (times.ended.Count() > 0) time.set_min(ToSeconds(*times.ended.Min()));
  const auto quantile = [&](double share) { return ToSeconds(times.Quantile(share)->value); };
  time.set_p50(quantile(0.5));
  time.set_p90(quantile(0.9));
  time.set_p99(quantile(0.99));
  time.set_p99_9(quantile(0.999));
  time.set_max(ToSeconds(times.Max()->value));
  for (const double share : {0.5, 0.9, 0.99, 0.999}) AddPercentile(times, share, time);
  if (!with_histogram) return time;
  *time.mutable_histogram() = suite::ToMessage(times.ended);
  if (times.open.Count() > 0) *time.mutable_open_ages() = suite::ToMessage(times.open);
  return time;
}

v1::LoadRecord Record(Recorder recorder, const std::string& queue, std::string_view ended_because) {
  if (const std::vector<std::string> broken = BrokenLaws(recorder); !broken.empty()) {
    recorder.Spoil({.trouble = Trouble::kLaw,
                    .from = recorder.start(),
                    .to = recorder.finished_at(),
                    .text = absl::StrJoin(broken, ", ")});
  }
  const Profile& profile = recorder.schedule().profile();
  v1::LoadRecord record;
  record.set_queue(queue);
  record.set_profile(profile.text);
  record.set_seed(absl::StrCat(profile.seed));
  record.set_seconds(Seconds(recorder, *recorder.closed_at()));
  record.set_drain_seconds(ToSeconds(recorder.finished_at() - *recorder.closed_at()));
  record.set_warm_up_seconds(Seconds(recorder, recorder.total()->begin()));
  record.set_warm_up_rule(recorder.WarmUpText());
  AddResult(recorder, record);
  AddStages(recorder, record);
  AddSlices(recorder, record);
  AddPlaces(recorder, record);
  AddErrors(recorder, record);
  AddJobs(recorder, record);
  record.set_verdict(record.spoiled_size() > 0 ? "invalid" : "pass");
  record.set_ended_because(std::string(ended_because));
  return record;
}

std::string RecordJson(const v1::LoadRecord& record) {
  google::protobuf::util::JsonPrintOptions options;
  options.add_whitespace = true;
  options.preserve_proto_field_names = true;
  options.always_print_primitive_fields = true;  // a count of 0 is known
  std::string json;
  // It fails for messages of other pools only.
  if (!google::protobuf::util::MessageToJsonString(record, &json, options).ok()) return {};
  return json;
}

}  // namespace twofold::load
