#include "cli/runs/frontend_jobs.h"

#include <absl/strings/str_cat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <iterator>
#include <random>
#include <string_view>
#include <thread>
#include <utility>

#include "cli/queues/call.h"
#include "cli/runs/local_run.h"
#include "lib/common/arguments.h"
#include "lib/common/host_name.h"
#include "lib/queue/types.h"
#include "lib/rpc/batches.h"
#include "lib/spec/expansion.h"
#include "suites/table/table.h"
#include "twofold/v1/results.pb.h"
#include "twofold/v1/runs.grpc.pb.h"

namespace twofold::cli {
namespace {

using Clients = v1::Clients;
using run::JobKey;
using run::Phase;
using run::Seen;

constexpr std::size_t kBatch = 500;           // jobs; each has options of its own
constexpr std::size_t kBatchBytes = 2 << 20;  // of their specs
constexpr std::chrono::seconds kAttendWithin{10};
constexpr std::chrono::minutes kSubmitWithin{10};  // all jobs of a call

Phase PhaseOf(const v1::Job& job) {
  if (job.state() == v1::JOB_STATE_WAITING) return Phase::kWaiting;
  if (job.state() == v1::JOB_STATE_RUNNING) return Phase::kRunning;
  if (job.outcome() == v1::OUTCOME_SUCCEEDED) return Phase::kSucceeded;
  // The core counts from 0, the contract from 1.
  const auto outcome = static_cast<queue::Outcome>(static_cast<int>(job.outcome()) - 1);
  return queue::IsWithdrawn(outcome) ? Phase::kWithdrawn : Phase::kFailed;
}

/// The first headline of a finished job's result. Of a job whose worker reports no measurements:
/// its run time in seconds.
double HeadlineOf(const v1::Job& job) {
  v1::BenchmarkResult result;
  if (result.ParseFromString(job.report().data())) {
    for (const v1::Measurement& measurement : result.measurements()) {
      if (measurement.headline()) return measurement.value();
    }
  }
  return static_cast<double>(job.run_ns()) / 1e9;
}

void SetPlacement(const spec::Permutation& permutation, v1::Placement& placement) {
  for (const spec::Requirement& need : permutation.labels) {
    placement.add_labels(absl::StrCat(need.label, "=", need.value));
  }
  for (const std::string& node : permutation.nodes) placement.add_nodes(node);
}

// What the frontend refused: a full queue can be tried again.
Status RefusalOf(const v1::Report& report, std::uint64_t retry_after_ns) {
  const std::string& why = report.error();
  return retry_after_ns > 0 ? absl::ResourceExhaustedError(why)
                            : absl::FailedPreconditionError(why);
}

}  // namespace

/// As long as it lives nobody else looks after the run: the frontend sees to that, by a stream that
/// stays open.
class Attendance {
 public:
  Attendance(const Frontend& frontend, std::unique_ptr<v1::Results::Stub> stub,
             const v1::JobOptions& jobs)
      : stub_(std::move(stub)) {
    frontend.Prepare(context_, Duration::zero());
    request_.set_id(jobs.run());
    request_.set_queue(jobs.queue());
    request_.set_who(absl::StrCat(HostName(), ", process ", getpid()));
    thread_ = std::thread([this] { Hold(); });
  }
  ~Attendance() {
    context_.TryCancel();
    thread_.join();
  }
  Attendance(const Attendance&) = delete;
  Attendance& operator=(const Attendance&) = delete;

  /// Whether the run is ours, once the frontend has answered. To be asked once.
  grpc::Status Answer() {
    auto answer = answer_.get_future();
    const bool in_time = answer.wait_for(kAttendWithin) == std::future_status::ready;
    return in_time ? answer.get() : grpc::Status(grpc::StatusCode::DEADLINE_EXCEEDED, "");
  }

  /// The frontend has gone, maybe come again: take it anew.
  [[nodiscard]] bool lost() const { return lost_; }

 private:
  // The frontend says once that the run is ours; what ends the stream before is why it is not.
  void Hold() {
    const auto stream = stub_->AttendRun(&context_, request_);
    v1::AttendRunReply reply;
    const bool taken = stream->Read(&reply);
    if (taken) answer_.set_value(grpc::Status::OK);
    while (taken && stream->Read(&reply)) {
    }
    lost_ = true;
    const grpc::Status end = stream->Finish();
    if (!taken) answer_.set_value(end);
  }

  const std::unique_ptr<v1::Results::Stub> stub_;
  grpc::ClientContext context_;
  v1::AttendRunRequest request_;
  std::promise<grpc::Status> answer_;
  std::atomic<bool> lost_ = false;
  std::thread thread_;
};

FrontendJobs::FrontendJobs(const Frontend& frontend, const v1::JobOptions& common,
                           const std::string& name, const spec::Expansion& expansion)
    : frontend_(frontend), route_(frontend.address(), std::random_device{}()), common_(common) {
  for (const spec::Permutation& one : expansion.permutations) permutations_[one.number] = &one;
  for (const spec::PlannedJob& job : expansion.jobs) {
    const std::uint64_t permutation = expansion.permutations[job.permutation].number;
    v1::RunPlace& place = places_[{permutation, job.repetition, job.warm_up}];
    place.set_number(places_.size());
    place.set_name(spec::JobName(name, place.number(), expansion.most_jobs));
  }
}

FrontendJobs::~FrontendJobs() = default;

Status FrontendJobs::Attend() {
  auto stub = frontend_.NewStub<v1::Results>();
  if (!stub.ok()) return stub.status();
  auto attendance = std::make_unique<Attendance>(frontend_, *std::move(stub), common_);
  Status status = frontend_.Explain(attendance->Answer());
  if (status.ok()) attendance_ = std::move(attendance);
  return status;
}

// Who has the run now may be we ourselves, on a connection that the frontend has not given up yet.
Status FrontendJobs::AttendAnew() {
  if (attendance_ == nullptr || !attendance_->lost()) return absl::OkStatus();
  const Status status = Attend();
  return absl::IsAlreadyExists(status) ? absl::UnavailableError(status.message()) : status;
}

// ---- list

// Those that wait or run first: one that ends between the two lists is in the first, if not in
// both.
Result<std::vector<Seen>> FrontendJobs::List() {
  if (Status status = AttendAnew(); !status.ok()) return status;
  Look look;
  for (const bool finished : {false, true}) {
    if (Status status = ListPages(finished, look); !status.ok()) return status;
  }
  // Ids grow: what ended before the first open job need not be listed again.
  const std::uint64_t first_open = open_.empty() ? UINT64_MAX : *open_.begin();
  const auto first_needed = look.pages.lower_bound(first_open);
  if (first_needed != look.pages.begin()) done_ = std::prev(first_needed)->second;
  return std::move(look.seen);
}

Status FrontendJobs::ListPages(bool finished, Look& look) {
  v1::ListJobsRequest request;
  request.set_queue(common_.queue());
  request.set_run(common_.run());
  request.set_finished(finished);
  request.set_headlines(true);
  if (finished) request.set_page_token(done_);
  do {
    const auto reply = NextPage(request);
    if (!reply.ok()) return reply.status();
    std::uint32_t ended = 0;
    for (const v1::Job& job : reply->jobs()) {
      Take(job, look);
      if (job.state() == v1::JOB_STATE_FINISHED) ++ended;
    }
    request.set_page_token(reply->next_page_token());
    if (finished && ended == request.page_size() && !request.page_token().empty()) {
      look.pages[reply->jobs().rbegin()->id()] = request.page_token();
    }
  } while (!request.page_token().empty());
  return absl::OkStatus();
}

// Results may be long: too many of them for one message.
Result<v1::ListJobsReply> FrontendJobs::NextPage(v1::ListJobsRequest& request) {
  for (;;) {
    request.set_page_size(page_size_);
    auto reply = frontend_.ListJobs(request);
    if (!absl::IsResourceExhausted(reply.status()) || page_size_ == 1) return reply;
    page_size_ /= 2;
  }
}

void FrontendJobs::Take(const v1::Job& job, Look& look) {
  if (job.state() == v1::JOB_STATE_FINISHED) {
    open_.erase(job.id());
  } else {
    open_.insert(job.id());
  }
  const auto key = run::ParseKey(common_.run(), job.dedup_key());
  if (!key) return;
  Seen seen = {.key = *key, .id = job.id(), .phase = PhaseOf(job)};
  seen.run_time = Duration(static_cast<std::int64_t>(job.run_ns()));
  if (seen.phase == Phase::kSucceeded) seen.headline = HeadlineOf(job);
  seen.reason = job.report().error();
  seen.misses_program = suite::TellsNotInstalled(seen.reason);
  look.seen.push_back(std::move(seen));
}

// ---- submit

// Further repetitions have no number: what they are is said all the same.
v1::RunPlace FrontendJobs::PlaceOf(const JobKey& key) const {
  const auto planned = places_.find(key);
  v1::RunPlace place = planned == places_.end() ? v1::RunPlace() : planned->second;
  place.set_permutation(key.permutation);
  place.set_repetition(key.repetition);
  place.set_warm_up(key.warm_up);
  return place;
}

v1::JobOptions FrontendJobs::OptionsOf(const JobKey& key) const {
  const spec::Permutation& permutation = *permutations_.at(key.permutation);
  v1::JobOptions options = common_;
  *options.mutable_place() = PlaceOf(key);
  options.set_dedup_key(run::KeyText(common_.run(), key));
  if (common_.placement().labels().empty()) {
    SetPlacement(permutation, *options.mutable_placement());
  }
  if (permutation.gang > 1) {
    options.mutable_gang()->set_size(static_cast<std::uint32_t>(permutation.gang));
  } else {
    options.clear_gang();
  }
  return options;
}

v1::SubmitRequest FrontendJobs::BatchOf(const std::vector<JobKey>& keys, std::size_t begin) const {
  v1::SubmitRequest batch;
  const std::size_t end = std::min(keys.size(), begin + kBatch);
  for (std::size_t i = begin; i < end && batch.specs().size() < kBatchBytes; ++i) {
    const std::vector<std::string> arguments = {permutations_.at(keys[i].permutation)->spec};
    const auto option = static_cast<std::uint32_t>(batch.options_size());
    *batch.add_options() = OptionsOf(keys[i]);
    rpc::Append(batch, {.tag = i, .option = option, .spec = EncodeArguments(arguments)});
  }
  return batch;
}

// Reads until all jobs of a batch are on disk, given back, or refused. A job may end before the
// stream does; List knows of that.
Status FrontendJobs::Exchange(Stream& stream, const std::vector<JobKey>& keys, std::size_t begin,
                              std::size_t count, const Accepted& accepted, Turn& turn) const {
  std::set<std::uint64_t> left;
  for (std::size_t i = begin; i < begin + count; ++i) left.insert(i);
  Status refusal;
  v1::SubmitReply reply;
  while (!left.empty()) {
    if (!stream.Read(&reply)) {
      turn.broken = true;
      return refusal;
    }
    for (int i = 0; i < reply.accepted().tags_size(); ++i) {
      const std::uint64_t tag = reply.accepted().tags(i);
      if (left.erase(tag) > 0) accepted({.key = keys.at(tag), .id = reply.accepted().jobs(i)});
    }
    for (const v1::Moved& moved : reply.moved()) {
      turn.moved = moved;
      for (const std::uint64_t tag : moved.tags()) left.erase(tag);
    }
    if (Status status = rpc::Check(reply.results()); !status.ok()) return status;
    rpc::ForEach(reply.results(), [&](const rpc::ResultRow& row) {
      if (left.erase(row.tag) == 0) return;
      v1::Report report;
      report.ParseFromArray(row.report.data(), static_cast<int>(row.report.size()));
      refusal = RefusalOf(report, reply.retry_after_ns());
    });
  }
  return refusal;
}

Status FrontendJobs::Submit(const std::vector<JobKey>& keys, const Accepted& accepted) {
  std::vector<JobKey> left = keys;
  std::set<JobKey> on_disk;
  const Accepted note = [&](const Seen& seen) {
    on_disk.insert(seen.key);
    open_.insert(seen.id);
    accepted(seen);
  };
  for (;;) {
    std::optional<v1::Moved> moved;
    const Status status = SubmitThere(left, note, moved);
    // A queue that is full is served all the same.
    if (!status.ok() && !absl::IsResourceExhausted(status)) route_.Lost(Now());
    if (!status.ok() || !moved) return status;
    left.erase(std::remove_if(left.begin(), left.end(),
                              [&](const JobKey& key) { return on_disk.count(key) > 0; }),
               left.end());
    if (Status lost = Follow(*moved); !lost.ok() || left.empty()) return lost;
  }
}

// Goes on at once where the queue is said to be served. Else there is a pause to make, which is the
// caller's.
Status FrontendJobs::Follow(const v1::Moved& moved) {
  std::vector<std::string_view> addresses;
  for (const v1::Shard& shard : moved.shards()) addresses.emplace_back(shard.client_address());
  const rpc::Dial dial = route_.Follow(moved.epoch(), addresses, Now());
  if (dial.named && dial.epoch == moved.epoch()) {
    std::this_thread::sleep_until(dial.at);
    return absl::OkStatus();
  }
  return absl::UnavailableError(absl::StrCat("no frontend serves queue ", common_.queue(),
                                             " at this moment", dial.skipped.empty() ? "" : "; ",
                                             dial.skipped));
}

Status FrontendJobs::SubmitThere(const std::vector<JobKey>& keys, const Accepted& accepted,
                                 std::optional<v1::Moved>& moved) {
  Status refusal;
  const rpc::Dial dial = route_.dial();
  const Status status = frontend_.At<Clients>(dial, kSubmitWithin, [&](auto& stub, auto& context) {
    const auto stream = stub.Submit(&context);
    Turn turn;
    for (std::size_t begin = 0; begin < keys.size() && refusal.ok() && !turn.over();) {
      v1::SubmitRequest batch = BatchOf(keys, begin);
      if (begin == 0) batch.set_moved_epoch(dial.epoch);
      const auto count = static_cast<std::size_t>(batch.tags_size());
      turn.broken = !stream->Write(batch);
      if (!turn.broken) refusal = Exchange(*stream, keys, begin, count, accepted, turn);
      begin += count;
    }
    if (!turn.broken) context.TryCancel();  // we have what we want
    for (v1::SubmitReply rest; stream->Read(&rest);) {
    }
    const grpc::Status end = stream->Finish();
    moved = std::move(turn.moved);
    return turn.broken ? end : grpc::Status::OK;
  });
  return refusal.ok() ? status : refusal;
}

// ---- the rest

Status FrontendJobs::Cancel(std::uint64_t id) {
  v1::CancelJobRequest request;
  request.set_id(id);
  return frontend_.Call<Clients>(&Clients::Stub::CancelJob, request).status();
}

Result<std::size_t> FrontendJobs::RetryFailed() {
  v1::RequeueJobsRequest request;
  request.set_run(common_.run());
  for (const v1::Outcome outcome : {v1::OUTCOME_FAILED, v1::OUTCOME_TIMED_OUT, v1::OUTCOME_LOST}) {
    request.add_outcomes(outcome);
  }
  v1::RequeueJobsReply reply;
  if (Status status = frontend_.Requeue(request, reply); !status.ok()) return status;
  return static_cast<std::size_t>(reply.to_size());
}

}  // namespace twofold::cli
