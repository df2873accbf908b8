#include "lib/runs/run_messages.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>

#include "lib/runs/benchmark_messages.h"
#include "lib/show/run_state.h"

namespace twofold::runs {
namespace {

constexpr std::uint32_t kDefaultPage = 50;
constexpr std::uint32_t kMaxPage = 200;
constexpr std::size_t kJobsAPage = 50;
constexpr std::size_t kMessageBytes = 1 << 20;
constexpr std::size_t kPieceBytes = 512 << 10;
constexpr std::size_t kMostPlaces = 10;  // of a headline, see MetricResult.at

std::uint64_t Ns(Duration duration) { return static_cast<std::uint64_t>(duration.count()); }

// Labels are written by CreateRun, so they are an object of texts; a damaged file has none.
void SetLabels(v1::Run& run, const std::string& labels) {
  const auto json = nlohmann::json::parse(labels, nullptr, false);
  if (!json.is_object()) return;
  for (const auto& [name, value] : json.items()) {
    if (value.is_string()) (*run.mutable_labels())[name] = value.get<std::string>();
  }
}

v1::MetricResult MessageOf(const results::HeadlineResult& headline) {
  const auto& [metric, summary, found_at] = headline;
  v1::MetricResult result;
  result.set_name(metric.name);
  result.set_unit(metric.unit);
  result.set_better(ToProto(metric.better));
  Fill(*result.mutable_dimensions(), metric.dimensions);
  result.set_n(summary.n);
  result.set_mean(summary.mean);
  result.set_median(summary.median);
  result.set_least(summary.least);
  result.set_most(summary.most);
  result.set_sd(summary.sd);
  result.set_cv(summary.Cv());
  result.set_half_width(summary.half_width);
  for (const auto& [place, n] : std::span(found_at).first(std::min(found_at.size(), kMostPlaces))) {
    v1::FoundAt& added = *result.add_at();
    Fill(*added.mutable_place(), place);
    added.set_n(n);
  }
  return result;
}

v1::PermutationResult MessageOf(const results::PermutationResults& results) {
  v1::PermutationResult message;
  message.set_number(results.permutation.number);
  message.set_varied(results.permutation.varied);
  message.set_succeeded(results.succeeded);
  message.set_failed(results.failed);
  message.set_withdrawn(results.withdrawn);
  message.set_unfinished(results.unfinished);
  message.set_warm_ups(results.warm_ups);
  for (const results::HeadlineResult& headline : results.headlines) {
    *message.add_headlines() = MessageOf(headline);
  }
  return message;
}

v1::JobState StateOf(const results::RunJob& job) {
  if (job.outcome) return v1::JOB_STATE_FINISHED;
  return job.running ? v1::JOB_STATE_RUNNING : v1::JOB_STATE_WAITING;
}

v1::JobResult MessageOf(const results::RunJob& job) {
  v1::JobResult message;
  message.set_id(job.id);
  *message.mutable_place() = ToProto(job.place);
  message.set_state(StateOf(job));
  // The core counts from 0, the contract from 1.
  if (job.outcome)
    message.set_outcome(static_cast<v1::Outcome>(static_cast<int>(*job.outcome) + 1));
  message.set_run_ns(Ns(job.run_time));
  message.set_submitted_again_as(job.requeued_as);
  for (const results::Measurement& each : job.measurements) {
    *message.add_measurements() = ToProto(each);
  }
  return message;
}

Result<std::int64_t> ParseToken(const std::string& token) {
  std::int64_t before = 0;
  if (token.empty()) return before;
  if (absl::SimpleAtoi(token, &before) && before > 0) return before;
  return absl::InvalidArgumentError("page_token is not one that a last page gave");
}

}  // namespace

v1::RunPlace ToProto(const results::RunPlace& place) {
  v1::RunPlace message;
  message.set_number(place.number);
  message.set_permutation(place.permutation);
  message.set_repetition(place.repetition);
  message.set_warm_up(place.warm_up);
  message.set_name(place.name);
  return message;
}

results::RunPlace FromProto(const v1::RunPlace& place) {
  return {.number = place.number(),
          .permutation = place.permutation(),
          .repetition = place.repetition(),
          .warm_up = place.warm_up(),
          .name = place.name()};
}

v1::Run ToProto(const results::StoredRun& run) {
  v1::Run message;
  message.set_id(run.created.id);
  message.set_name(run.created.name);
  message.set_kind(run.created.kind);
  message.set_definition(run.created.definition);
  message.set_plan(run.created.plan);
  SetLabels(message, run.created.labels);
  message.set_jobs(run.created.jobs);
  message.set_created_unix_ns(run.created.created_unix_ns);
  message.set_cancelled_unix_ns(run.cancelled_unix_ns);
  const results::RunCounts& counts = run.counts;
  v1::RunCounts& to = *message.mutable_counts();
  to.set_waiting(counts.waiting);
  to.set_running(counts.running);
  to.set_submitted_again(counts.submitted_again);
  std::uint64_t known = counts.waiting + counts.running;
  for (const auto& [outcome, jobs] : counts.ended) {
    (*to.mutable_ended())[std::string(queue::Name(outcome))] = jobs;
    known += jobs;
  }
  if (known < run.created.jobs) to.set_planned(run.created.jobs - known);
  const bool is_over = counts.waiting + counts.running == 0 &&
                       (run.cancelled_unix_ns != 0 || !show::IsIncomplete(message));
  if (is_over) message.set_ended_unix_ns(counts.last_end_unix_ns);
  return message;
}

Result<v1::ListRunsReply> ListRuns(const results::RunReader& reader,
                                   const v1::ListRunsRequest& request) {
  const auto before = ParseToken(request.page_token());
  if (!before.ok()) return before.status();
  const std::uint32_t size =
      request.page_size() == 0 ? kDefaultPage : std::min(request.page_size(), kMaxPage);
  const auto runs = reader.List(*before, size);
  if (!runs.ok()) return runs.status();
  v1::ListRunsReply reply;
  for (const results::StoredRun& run : *runs) *reply.add_runs() = ToProto(run);
  if (runs->size() == size) reply.set_next_page_token(absl::StrCat(runs->back().number));
  return reply;
}

Result<v1::Run> GetRun(const results::RunReader& reader, const v1::GetRunRequest& request) {
  const auto run = reader.Find(request.id());
  if (!run.ok()) return run.status();
  return ToProto(*run);
}

Result<ResultMessages> ResultMessages::Of(const results::RunReader& reader,
                                          const v1::RunResultsRequest& request,
                                          std::uint64_t from) {
  const auto run = reader.Find(request.id());
  if (!run.ok()) return run.status();
  return ResultMessages(reader, run->number, request.jobs(), from);
}

Result<std::optional<v1::RunResultsReply>> ResultMessages::Next() {
  if (page_.empty()) {
    if (Status status = ReadPage(); !status.ok()) return status;
    if (page_.empty()) return std::nullopt;
  }
  v1::RunResultsReply reply;
  for (std::size_t bytes = 0; !page_.empty() && bytes < kMessageBytes;) {
    v1::PermutationResult& next = *reply.add_permutations();
    next.Swap(&page_.front());
    page_.front().set_number(next.number());
    bytes += next.ByteSizeLong();
    if (!jobs_) {
      page_.pop_front();
    } else if (Status status = AddJobs(reply, &bytes); !status.ok()) {
      return status;
    }
  }
  return reply;
}

Status ResultMessages::ReadPage() {
  const auto page = reader_->Results(run_, from_);
  if (!page.ok()) return page.status();
  for (const results::PermutationResults& each : *page) page_.push_back(MessageOf(each));
  if (!page->empty()) from_ = page->back().permutation.number + 1;
  return absl::OkStatus();
}

/// Adds jobs of the permutation that is under way, which is over when it has no more.
Status ResultMessages::AddJobs(v1::RunResultsReply& reply, std::size_t* bytes) {
  v1::PermutationResult& to = *reply.mutable_permutations()->rbegin();
  while (*bytes < kMessageBytes) {
    const auto jobs = reader_->Jobs(run_, to.number(), last_job_, kJobsAPage);
    if (!jobs.ok()) return jobs.status();
    for (const results::RunJob& job : *jobs) {
      if (*bytes >= kMessageBytes) return absl::OkStatus();
      last_job_ = job.id;
      *to.add_jobs() = MessageOf(job);
      *bytes += to.jobs().rbegin()->ByteSizeLong();
    }
    if (jobs->size() < kJobsAPage) {
      page_.pop_front();
      last_job_.reset();
      break;
    }
  }
  return absl::OkStatus();
}

Result<std::vector<v1::ArtifactPiece>> GetArtifact(const results::RunReader& reader,
                                                   const v1::GetArtifactRequest& request) {
  const auto found = reader.FindArtifact(
      request.job(), {.rank = request.rank(), .stage = request.stage(), .name = request.name()});
  if (!found.ok()) return found.status();
  std::vector<v1::ArtifactPiece> pieces(1);
  *pieces[0].mutable_artifact() = DescriptionOf(*found);
  for (std::size_t at = 0; at < found->zstd.size(); at += kPieceBytes) {
    if (at > 0) pieces.emplace_back();
    pieces.back().set_zstd(found->zstd.substr(at, kPieceBytes));
  }
  return pieces;
}

}  // namespace twofold::runs
