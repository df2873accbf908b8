#include "lib/load/record.h"

#include <absl/strings/str_cat.h>
#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "lib/common/printable.h"

namespace twofold::load {
namespace {

/// The quantiles of a LoadTime.
struct Quantile {
  double share;
  void (v1::LoadTime::*set)(double);
};
constexpr std::array kQuantiles = {
    Quantile{0.5, &v1::LoadTime::set_p50}, Quantile{0.9, &v1::LoadTime::set_p90},
    Quantile{0.99, &v1::LoadTime::set_p99}, Quantile{0.999, &v1::LoadTime::set_p99_9}};

void SetHistogram(const stats::Histogram::Parts& parts, v1::Histogram& histogram) {
  for (const auto& part : parts.counts) {
    histogram.add_bucket(part.lowest);
    histogram.add_count(part.count);
  }
  histogram.set_sum(parts.sum);
  histogram.set_min(parts.min);
  histogram.set_max(parts.max);
  histogram.set_clamped(parts.clamped);
}

// What JSON cannot write, infinity, is not known.
template <typename Set>
void SetKnown(double value, Set set) {
  if (std::isfinite(value)) set(value);
}

void SetEstimate(const stats::ThroughputEstimate& estimate, v1::LoadResult& result) {
  result.set_seconds(estimate.seconds);
  result.set_succeeded(estimate.succeeded);
  result.set_failed(estimate.failed);
  result.set_steady(estimate.steady);
  result.set_why_not_steady(estimate.reason);
  if (estimate.succeeded > 0) result.set_throughput(estimate.throughput);
  if (!std::isfinite(estimate.log_error)) return;
  result.set_lower(estimate.lower);
  SetKnown(estimate.upper, [&](double upper) { result.set_upper(upper); });
  result.set_log_error(estimate.log_error);
  result.set_degrees(estimate.degrees);
}

v1::LoadResult ResultOf(const Tally& tally, bool histograms) {
  v1::LoadResult result;
  result.set_submitted(tally.submitted());
  SetEstimate(tally.Estimate(tally.start(), {}), result);
  const Latencies& times = tally.latencies();
  const stats::Histogram& from_send = times.Of(Part::kRoundTrip);
  const auto& open = tally.open();
  *result.mutable_from_plan() = TimeOf(open ? open->from_plan : from_send, histograms);
  *result.mutable_from_send() = TimeOf(from_send, histograms);
  *result.mutable_wait() = TimeOf(times.Of(Part::kWait), histograms);
  *result.mutable_run() = TimeOf(times.Of(Part::kRun), histograms);
  *result.mutable_overhead() = TimeOf(times.Of(Part::kOverhead), histograms);
  if (open) *result.mutable_late() = TimeOf(open->late, histograms);
  return result;
}

void NotSteady(const std::string& why, v1::LoadResult& result) {
  if (why.empty()) return;
  result.set_steady(false);
  result.set_why_not_steady(why);
}

// Of a time in which the load itself changes no steady state can be expected.
std::string ChangedByPlan(const Recorder& recorder) {
  if (recorder.stages().size() > 1) return "the load changed by its profile";
  for (const Recorder::StageTally& stage : recorder.stages()) {
    const Stage& planned = recorder.schedule().profile().stages[stage.stage];
    if (planned.from != planned.to) return "the load changed by its profile";
  }
  return {};
}

double Seconds(const Recorder& recorder, Instant at) { return ToSeconds(at - recorder.start()); }

std::vector<Mark> SpoilingOf(const Recorder& recorder, Instant from) {
  const auto& open = recorder.total()->open();
  std::vector<Mark> marks =
      Spoiling(recorder.marks(), open ? open->sent : 0, open ? open->sent_late : 0);
  std::erase_if(marks, [&](const Mark& mark) { return mark.to < from; });  // in the warm-up
  return marks;
}

void AddResult(const Recorder& recorder, v1::LoadRecord& record) {
  const Tally& total = *recorder.total();
  v1::LoadResult& result = *record.mutable_result();
  result = ResultOf(total, true);
  result.set_rejected(recorder.rejected());
  NotSteady(ChangedByPlan(recorder), result);
  const std::vector<Mark> marks = SpoilingOf(recorder, total.start());
  std::string why;
  for (const Mark& mark : marks) {
    v1::LoadSpoil& spoil = *record.add_spoiled();
    spoil.set_from(Seconds(recorder, mark.from));
    spoil.set_to(Seconds(recorder, mark.to));
    spoil.set_reason(Text(mark));
    if (mark.trouble == Trouble::kLink) why = "the frontend was lost";
  }
  const auto& open = total.open();
  const std::string rest = Summary(marks, open ? open->sent : 0, open ? open->sent_late : 0);
  NotSteady(why.empty() || rest.empty() ? why + rest : absl::StrCat(why, "; ", rest), result);
}

void AddStages(const Recorder& recorder, v1::LoadRecord& record) {
  for (const Recorder::StageTally& tally : recorder.stages()) {
    const Stage& planned = recorder.schedule().profile().stages[tally.stage];
    v1::LoadStage& stage = *record.add_stages();
    stage.set_name(absl::StrCat(tally.stage + 1, ": ", planned.name));
    stage.set_from(Seconds(recorder, tally.tally.start()));
    *stage.mutable_result() = ResultOf(tally.tally, false);
    stage.set_to(stage.from() + stage.result().seconds());
    if (planned.from != planned.to)
      NotSteady("the load changed by its profile", *stage.mutable_result());
  }
}

void AddSlices(const Recorder& recorder, v1::LoadRecord& record) {
  const double width = ToSeconds(recorder.slice());
  const double all = Seconds(recorder, *recorder.closed_at());
  record.set_slice_seconds(width);
  for (std::size_t i = 0; i < recorder.slices().size(); ++i) {
    const Slice& seen = recorder.slices()[i];
    const double seconds = std::min(width, all - width * static_cast<double>(i));
    if (seconds <= 0) continue;  // the load ended with the slice before
    const auto rate = [&](std::uint64_t jobs) { return static_cast<double>(jobs) / seconds; };
    v1::LoadSlice& slice = *record.add_slices();
    if (seen.open || seen.planned > 0) slice.set_planned(rate(seen.planned));
    slice.set_sent(rate(seen.sent));
    slice.set_succeeded(rate(seen.succeeded));
    slice.set_failed(rate(seen.failed));
    if (!seen.open) slice.set_parallel(seen.parallel);
    slice.set_outstanding(static_cast<double>(seen.outstanding));
    SetHistogram(seen.from_plan, *slice.mutable_from_plan());
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
    if (seen.succeeded > 0) place.set_mean_run(seen.times.mean());
    if (seen.succeeded > 1) place.set_deviation(std::sqrt(seen.times.Variance()));
  }
}

void AddErrors(const Recorder& recorder, v1::LoadRecord& record) {
  std::vector<std::pair<std::string, std::uint64_t>> errors(recorder.errors().begin(),
                                                            recorder.errors().end());
  std::stable_sort(errors.begin(), errors.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  for (const auto& [text, count] : errors) {
    v1::LoadError& error = *record.add_errors();
    error.set_text(text);
    error.set_count(count);
  }
}

void AddJobs(const Recorder& recorder, v1::LoadRecord& record) {
  std::vector<RanJob> jobs = recorder.jobs();
  std::sort(jobs.begin(), jobs.end(),
            [](const RanJob& a, const RanJob& b) { return a.ended < b.ended; });
  for (const RanJob& ran : jobs) {
    v1::LoadJob& job = *record.add_jobs();
    job.set_place(ran.place);
    job.set_started(Seconds(recorder, ran.ended - ran.run));
    job.set_run(ToSeconds(ran.run));
    job.set_due(Seconds(recorder, ran.due));
    job.set_failed(ran.failed);
  }
  record.set_jobs_left_out(recorder.ended() - jobs.size());
}

}  // namespace

v1::LoadTime TimeOf(const stats::Histogram& times, bool with_histogram) {
  v1::LoadTime time;
  time.set_count(times.Count());
  if (times.Count() == 0) return time;
  time.set_mean(ToSeconds(*times.Mean()));
  time.set_min(ToSeconds(*times.Min()));
  for (const Quantile& quantile : kQuantiles) {
    (time.*quantile.set)(ToSeconds(*times.Quantile(quantile.share)));
  }
  time.set_max(ToSeconds(*times.Max()));
  if (with_histogram) SetHistogram(times.ToParts(), *time.mutable_histogram());
  return time;
}

v1::LoadRecord Record(const Recorder& recorder, const std::string& queue,
                      std::string_view ended_because) {
  const Profile& profile = recorder.schedule().profile();
  v1::LoadRecord record;
  record.set_queue(queue);
  record.set_profile(profile.text);
  record.set_seed(absl::StrCat(profile.seed));
  record.set_seconds(Seconds(recorder, *recorder.closed_at()));
  record.set_warm_up_seconds(Seconds(recorder, recorder.total()->start()));
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

Result<v1::LoadRecord> ReadRecord(std::string_view json) {
  if (json.size() > kMostRecordBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("a record of a load has at most ", kMostRecordBytes, " bytes"));
  }
  google::protobuf::util::JsonParseOptions options;
  options.ignore_unknown_fields = true;
  v1::LoadRecord record;
  const auto status = google::protobuf::util::JsonStringToMessage(
      google::protobuf::StringPiece(json.data(), json.size()), &record, options);
  if (status.ok()) return record;
  const auto why = status.message();
  return absl::InvalidArgumentError(
      absl::StrCat("not a record of a load: ", Printable({why.data(), why.size()}, 300)));
}

}  // namespace twofold::load
