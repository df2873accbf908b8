// Runs and results over gRPC and HTTP, with a store in a file.

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "lib/results/sqlite_store.h"
#include "tests/frontend/frontend_fixture.h"
#include "tests/lib/results/benchmark_samples.h"
#include "tests/lib/results/temp_dir.h"
#include "twofold/v1/runs.pb.h"

namespace twofold::frontend {
namespace {

using testing::Assigned;
using testing::Good;
using ::testing::HasSubstr;
using Json = nlohmann::json;

class RunsTest : public FrontendTest {
 protected:
  void SetUp() override { Start(); }

  void Start() {
    Serve([&](Options& options) { options.storage.url = "sqlite:" + dir_.Path("jobs.db"); });
  }
  void Restart() {
    frontend_.reset();
    Start();
  }

  Result<v1::DeleteRunReply> Delete(const std::string& id = "sweep") {
    v1::DeleteRunRequest request;
    request.set_id(id);
    return Call<v1::DeleteRunReply>("Results/DeleteRun", request);
  }

  static v1::CreateRunRequest Sweep(bool last = true) {
    v1::CreateRunRequest request;
    request.mutable_run()->set_id("sweep");
    request.mutable_run()->set_kind("IPerf");
    request.mutable_run()->set_definition("kind: BenchmarkSet\n");
    request.mutable_run()->set_jobs(2);
    v1::Permutation& permutation = *request.add_permutations();
    permutation.set_number(1);
    permutation.set_varied(R"({"streams":8})");
    request.set_last(last);
    return request;
  }

  Result<v1::CreateRunReply> Create(const v1::CreateRunRequest& request) {
    return Call<v1::CreateRunReply>("Results/CreateRun", request);
  }

  std::uint64_t Submit(std::uint32_t repetition) {
    v1::SubmitJobRequest request;
    v1::JobOptions& options = *request.mutable_options();
    options.set_queue("sleep");
    options.set_durable(true);
    options.set_run("sweep");
    options.mutable_place()->set_number(repetition);
    options.mutable_place()->set_permutation(1);
    options.mutable_place()->set_repetition(repetition);
    options.mutable_place()->set_name("sweep-" + std::to_string(repetition));
    return Good(Call<v1::Job>("Clients/SubmitJob", request)).id();
  }

  static v1::Report ReportOf(const v1::BenchmarkResult& benchmark) {
    v1::Report report;
    report.set_output("tail");
    report.set_data(benchmark.SerializeAsString());
    return report;
  }

  /// Submits one job for each number, and runs them.
  void RunJobs(const std::vector<double>& throughputs) {
    auto worker = NewWorker();
    worker->Join("sleep", 1, 1);
    std::uint32_t repetition = 0;
    for (const double throughput : throughputs) {
      last_job_ = Submit(++repetition);
      worker->Answer(worker->assigned.Take(), v1::OUTCOME_SUCCEEDED,
                     ReportOf(results::FullResult(throughput)));
      AwaitFinished(last_job_);
    }
    worker->Leave();
  }

  v1::Job GetJob(std::uint64_t id) {
    v1::GetJobRequest request;
    request.set_id(id);
    const auto job = Call<v1::Job>("Clients/GetJob", request);
    EXPECT_TRUE(job.ok() || absl::IsNotFound(job.status())) << job.status();
    return job.value_or(v1::Job());
  }
  void AwaitFinished(std::uint64_t id) {
    for (int i = 0; i < 3000; ++i) {
      if (GetJob(id).state() == v1::JOB_STATE_FINISHED) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    ADD_FAILURE() << "job " << id << " does not end";
  }

  v1::Run GetRun() {
    v1::GetRunRequest request;
    request.set_id("sweep");
    return Good(Call<v1::Run>("Results/GetRun", request));
  }

  const results::TempDir dir_;
  std::uint64_t last_job_ = 0;
};

TEST_F(RunsTest, RunIsBegunOnce) {
  EXPECT_FALSE(Good(Create(Sweep())).existed());
  v1::CreateRunRequest other = Sweep();
  other.mutable_run()->set_definition("another");
  const v1::CreateRunReply reply = Good(Create(other));
  EXPECT_TRUE(reply.existed());
  EXPECT_EQ(reply.run().definition(), "kind: BenchmarkSet\n");
  Restart();
  EXPECT_EQ(GetRun().definition(), "kind: BenchmarkSet\n");
}

TEST_F(RunsTest, StoreThatWasDeletedIsNotReadyAndTakesNoJobs) {
  EXPECT_EQ(Get("/readyz").status, 200);
  std::filesystem::rename(dir_.Path("jobs.db"), dir_.Path("away.db"));
  for (int i = 0; Get("/readyz").status == 200; ++i) {
    ASSERT_LT(i, 3000);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_THAT(Get("/readyz").body, HasSubstr("jobs.db was deleted"));
  v1::SubmitJobRequest request;
  request.mutable_options()->set_queue("sleep");
  request.mutable_options()->set_durable(true);
  const Status refused = Call<v1::Job>("Clients/SubmitJob", request).status();
  EXPECT_TRUE(absl::IsUnavailable(refused)) << refused;
  EXPECT_THAT(refused.message(), HasSubstr("jobs.db was deleted"));
  std::filesystem::rename(dir_.Path("away.db"), dir_.Path("jobs.db"));
}

/// A run of so many jobs that have failed.
void AddFailedJobs(const std::string& path, std::uint64_t jobs) {
  v1::JobOptions options;
  options.set_queue("sleep");
  options.set_durable(true);
  options.set_run("sweep");
  std::vector<results::Record> records;
  for (std::uint64_t i = 1; i <= jobs; ++i) {
    const std::uint64_t id = static_cast<std::uint64_t>(queue::kDurableBit) | i;
    records.emplace_back(results::JobAccepted{
        .id = id, .queue = "sleep", .run = "sweep", .options = options.SerializeAsString()});
    records.emplace_back(results::JobEnded{
        .job = id, .outcome = queue::Outcome::kFailed, .ended_unix_ns = UnixNowNs()});
  }
  records.emplace_back(results::SequenceUsed{"sleep", queue::kDurableBit | jobs});
  EXPECT_TRUE(results::SqliteStore::Open(path).value()->Commit(records).ok());
}

TEST_F(RunsTest, ARunIsRequeuedPageByPage) {
  constexpr std::uint64_t kJobs = 2500;
  frontend_.reset();
  AddFailedJobs(dir_.Path("jobs.db"), kJobs);
  Start();
  // What was requeued fails again meanwhile: that is not for this call.
  auto worker = NewWorker();
  worker->Join("sleep", 1, 100);
  std::thread work([&] {
    for (std::uint64_t i = 0; i < kJobs; ++i) {
      worker->Answer(worker->assigned.Take(), v1::OUTCOME_FAILED);
    }
  });
  v1::RequeueJobsRequest request;
  request.set_run("sweep");
  std::set<std::uint64_t> from;
  int pages = 0;
  do {
    const auto reply = Good(Call<v1::RequeueJobsReply>("Clients/RequeueJobs", request));
    EXPECT_LE(reply.from_size(), 1000);
    from.insert(reply.from().begin(), reply.from().end());
    request.set_page_token(reply.next_page_token());
    ++pages;
  } while (!request.page_token().empty());
  work.join();
  EXPECT_EQ(from.size(), kJobs);
  EXPECT_GE(pages, 3) << "also those that are left out are looked at";
  request.set_page_token("nonsense");
  const Status nonsense = Call<v1::RequeueJobsReply>("Clients/RequeueJobs", request).status();
  EXPECT_TRUE(absl::IsInvalidArgument(nonsense)) << nonsense;
}

TEST_F(RunsTest, PermutationsMayComeInManyMessages) {
  v1::CreateRunRequest more;
  more.add_permutations()->set_number(2);
  more.mutable_permutations(0)->set_varied("{}");
  more.set_last(true);
  const auto create = caller_->Open<v1::CreateRunRequest, v1::CreateRunReply>("Results/CreateRun");
  create->Say(Sweep(false));
  create->Say(more);
  create->HalfClose();
  EXPECT_TRUE(create->Next());
  EXPECT_EQ(create->End(), absl::OkStatus());
}

TEST_F(RunsTest, RunThatIsBrokenOffIsNotBegun) {
  EXPECT_TRUE(absl::IsAborted(Create(Sweep(false)).status()));
  EXPECT_FALSE(Good(Create(Sweep())).existed());
}

TEST_F(RunsTest, BadRunsNameTheField) {
  const auto error = [&](const std::function<void(v1::CreateRunRequest&)>& spoil) {
    v1::CreateRunRequest request = Sweep();
    spoil(request);
    const Status status = Create(request).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    return std::string(status.message());
  };
  EXPECT_THAT(error([](auto& r) { r.clear_run(); }), HasSubstr("run: the first message"));
  EXPECT_THAT(error([](auto& r) { r.mutable_run()->clear_id(); }), HasSubstr("run.id is empty"));
  EXPECT_THAT(error([](auto& r) { r.mutable_run()->set_id("a b"); }), HasSubstr("has a blank"));
  EXPECT_THAT(error([](auto& r) { r.mutable_run()->set_name(std::string(300, 'x')); }),
              HasSubstr("run.name has 300 bytes"));
  EXPECT_THAT(error([](auto& r) { r.mutable_permutations(0)->set_number(0); }),
              HasSubstr("permutations.number is 0"));
  EXPECT_THAT(error([](auto& r) { r.mutable_permutations(0)->set_varied("[1"); }),
              HasSubstr("permutations.varied of 1 is no JSON object"));
}

TEST_F(RunsTest, ResultsOfWorkersAreReadAsStatistics) {
  ASSERT_TRUE(Create(Sweep()).ok());
  RunJobs({9, 11});
  v1::RunResultsRequest request;
  request.set_id("sweep");
  request.set_jobs(true);
  request.set_series(true);
  const auto results = caller_->Ask<v1::RunResultsReply>("Results/RunResults", request);
  const auto reply = results->Next();
  ASSERT_TRUE(reply);
  ASSERT_EQ(reply->permutations_size(), 1);
  const v1::PermutationResult& permutation = reply->permutations(0);
  EXPECT_EQ(permutation.varied(), R"({"streams":8})");
  EXPECT_EQ(permutation.succeeded(), 2u);
  EXPECT_EQ(permutation.headlines(0).mean(), 10);
  EXPECT_EQ(permutation.jobs_size(), 2);
  EXPECT_EQ(permutation.jobs(1).place().name(), "sweep-2");
  EXPECT_GT(permutation.jobs(1).started_unix_ns(), permutation.jobs(0).started_unix_ns());
  EXPECT_FALSE(permutation.jobs(1).node().empty());
  ASSERT_EQ(permutation.series_size(), 1);
  EXPECT_EQ(permutation.series(0).name(), "throughput_over_time");
  EXPECT_EQ(permutation.series(0).points(0).n(), 2u);
  EXPECT_FALSE(results->Next());
  EXPECT_EQ(results->End(), absl::OkStatus());
  EXPECT_GT(GetRun().ended_unix_ns(), 0);
}

TEST_F(RunsTest, JobHasItsReportWholeAgain) {
  RunJobs({9.25});
  const v1::Job job = GetJob(last_job_);
  v1::BenchmarkResult result;
  ASSERT_TRUE(result.ParseFromString(job.report().data()));
  EXPECT_EQ(result, results::FullResult());
  EXPECT_EQ(job.report().output(), "tail");
  EXPECT_EQ(job.place().name(), "sweep-1");
  EXPECT_EQ(job.data_refused(), "");
}

TEST_F(RunsTest, RefusedResultStaysInTheReportWithItsReason) {
  auto worker = NewWorker();
  worker->Join("sleep", 1, 1);
  const std::uint64_t id = Submit(1);
  v1::BenchmarkResult bad = results::FullResult();
  bad.mutable_measurements(0)->clear_name();
  const v1::Report report = ReportOf(bad);
  worker->Answer(worker->assigned.Take(), v1::OUTCOME_SUCCEEDED, report);
  AwaitFinished(id);
  EXPECT_EQ(GetJob(id).data_refused(), "measurements[0].name is empty");
  EXPECT_EQ(GetJob(id).report().data(), report.data());
  EXPECT_THAT(Get("/metrics").body, HasSubstr(R"(twofold_store_reports_total{data="refused"} 1)"));
}

TEST_F(RunsTest, RawOutputComesBack) {
  RunJobs({9.25});
  v1::GetArtifactRequest request;
  request.set_job(last_job_);
  const auto artifact = caller_->Ask<v1::ArtifactPiece>("Results/GetArtifact", request);
  const auto piece = artifact->Next();
  ASSERT_TRUE(piece);
  EXPECT_EQ(piece->zstd(), results::FullResult().ranks(0).stages(0).out().zstd());
  EXPECT_EQ(piece->artifact().left_out(), 900'000u);
  EXPECT_FALSE(artifact->Next());
  EXPECT_EQ(artifact->End(), absl::OkStatus());
}

TEST_F(RunsTest, CancelEndsWaitingAndRunningJobsOfTheRunOnly) {
  auto worker = NewWorker();
  worker->Join("sleep", 1, 1);
  Submit(1);
  const Assigned running = worker->assigned.Take();
  Submit(2);
  v1::SubmitJobRequest other;
  other.mutable_options()->set_queue("media");
  ASSERT_TRUE(Call<v1::Job>("Clients/SubmitJob", other).ok());
  v1::CancelRunRequest request;
  request.set_id("sweep");
  EXPECT_EQ(Good(Call<v1::CancelRunReply>("Results/CancelRun", request)).cancelled(), 2u);
  EXPECT_EQ(worker->cancelled.Take().job, running.job);
  EXPECT_NE(GetRun().cancelled_unix_ns(), 0);
  EXPECT_EQ(Queue("media").waiting(), 1u);
}

TEST_F(RunsTest, DeletedRunIsGoneWithItsJobs) {
  ASSERT_TRUE(Create(Sweep()).ok());
  RunJobs({10, 20});
  const v1::DeleteRunReply reply = Good(Delete());
  EXPECT_EQ(reply.jobs(), 2u);
  EXPECT_EQ(reply.run().id(), "sweep");
  EXPECT_EQ(GetJob(last_job_).id(), 0u);
  EXPECT_TRUE(absl::IsNotFound(Delete().status()));
}

TEST_F(RunsTest, RunIsNotDeletedUnderJobsThatHaveNotEnded) {
  ASSERT_TRUE(Create(Sweep()).ok());
  Submit(1);
  const Status status = Delete().status();
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_THAT(status.message(), HasSubstr("1 job of the run wait or run; cancel it first"));
  EXPECT_EQ(GetRun().counts().waiting(), 1u);
}

TEST_F(RunsTest, HostBeginsSoManyRunsWithoutJobsAndNoMore) {
  v1::CreateRunRequest draft = Sweep();
  for (int i = 0; i < 100; ++i) {
    draft.mutable_run()->set_id("draft-" + std::to_string(i));
    ASSERT_TRUE(Create(draft).ok()) << i;
  }
  const Status refused = Create(Sweep()).status();
  EXPECT_TRUE(absl::IsResourceExhausted(refused)) << refused;
  EXPECT_THAT(refused.message(), HasSubstr("100 runs without a job"));
  ASSERT_TRUE(Delete("draft-7").ok());
  EXPECT_TRUE(Create(Sweep()).ok());
}

TEST_F(RunsTest, FullStoreRefusesNewWorkAndSaysWhy) {
  Serve([&](Options& options) {
    options.storage.url = "sqlite:" + dir_.Path("small.db");
    options.storage.limit = 1;
  });
  Status status;
  for (int i = 0; i < 10'000 && status.ok(); ++i) {
    v1::CreateRunRequest large = Sweep();
    large.mutable_run()->set_id("large-" + std::to_string(i % 3));
    large.mutable_run()->set_definition(std::string(600 << 10, 'x'));
    status = Create(large).status();
  }
  EXPECT_TRUE(absl::IsResourceExhausted(status)) << status;
  EXPECT_THAT(status.message(), HasSubstr("the store has 1 MiB, as much as it may"));
  for (const std::string id : {"large-0", "large-1", "large-2"}) (void)Delete(id);
  while (!Create(Sweep()).ok()) std::this_thread::yield();
}

/// The run's jobs need not be durable, and then the store has no such run.
void CheckThatVolatileJobsAreCancelled(testing::Caller& caller, const std::string& told_of_none) {
  v1::SubmitJobRequest submit;
  submit.mutable_options()->set_queue("sleep");
  submit.mutable_options()->set_run("by hand");
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(caller.Call<v1::Job>("Clients/SubmitJob", submit).ok());
  v1::CancelRunRequest request;
  request.set_id("by hand");
  const auto cancelled = Good(caller.Call<v1::CancelRunReply>("Results/CancelRun", request));
  EXPECT_EQ(cancelled.cancelled(), 2u);
  EXPECT_FALSE(cancelled.has_run());
  const Status none = caller.Call<v1::CancelRunReply>("Results/CancelRun", request).status();
  EXPECT_EQ(none, absl::NotFoundError(told_of_none));
}

TEST_F(RunsTest, CancelEndsJobsOfARunThatTheStoreDoesNotKnow) {
  CheckThatVolatileJobsAreCancelled(*caller_, "id: there is no run 'by hand'");
}

TEST_F(RunsTest, CancelNeedsNoStore) {
  Serve();
  CheckThatVolatileJobsAreCancelled(*caller_,
                                    "id: no job of run 'by hand' waits or runs, and this frontend "
                                    "keeps no runs (--store) that have ended");
  const auto runs = Call<v1::ListRunsReply>("Results/ListRuns", v1::ListRunsRequest());
  EXPECT_TRUE(absl::IsFailedPrecondition(runs.status())) << runs.status();
}

TEST_F(RunsTest, UnknownRunsAreNotFound) {
  v1::RunResultsRequest request;
  request.set_id("nope");
  const auto results = caller_->Ask<v1::RunResultsReply>("Results/RunResults", request);
  EXPECT_FALSE(results->Next());
  EXPECT_EQ(results->End().message(), "id: there is no run 'nope'");
  EXPECT_EQ(Get("/api/v1/runs/nope").status, 404);
}

TEST_F(RunsTest, HttpHasTheSameAsJson) {
  ASSERT_TRUE(Create(Sweep()).ok());
  RunJobs({9, 11});
  const Json runs = Json::parse(Get("/api/v1/runs").body);
  EXPECT_EQ(runs["runs"][0]["id"], "sweep");
  EXPECT_EQ(runs["runs"][0]["state"], "ended");
  EXPECT_EQ(Json::parse(Get("/api/v1/runs/sweep").body)["definition"], "kind: BenchmarkSet\n");
  const Json results = Json::parse(Get("/api/v1/runs/sweep/results").body);
  EXPECT_EQ(results["permutations"][0]["headlines"][0]["mean"], 10);
  EXPECT_FALSE(results["permutations"][0].contains("series"));
  const Json series = Json::parse(Get("/api/v1/runs/sweep/results?series=true").body);
  EXPECT_EQ(series["permutations"][0]["series"][0]["points"][0]["mean"], 9.5);
  const Json after = Json::parse(Get("/api/v1/runs/sweep/results?from=2").body);
  EXPECT_EQ(after["permutations"].size(), 0u);
  EXPECT_TRUE(after["next"].is_null());
  EXPECT_EQ(Get("/api/v1/runs/sweep/results?from=x").status, 400);
  const http::Response report = Get("/api/v1/runs/sweep/report");
  EXPECT_EQ(report.headers.at("content-type"), "text/html; charset=utf-8");
  EXPECT_THAT(report.body, HasSubstr("IPerf"));
  EXPECT_THAT(report.body, HasSubstr("throughput_over_time stream=1: throughput by time"));
  EXPECT_THAT(report.body, HasSubstr("Who ran what when"));
  EXPECT_EQ(Get("/api/v1/runs/nope/report").status, 404);
}

TEST_F(FrontendTest, WithoutAStoreThereAreNoRuns) {
  Serve();
  const Status status = Call<v1::ListRunsReply>("Results/ListRuns", v1::ListRunsRequest()).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_THAT(status.message(), HasSubstr("start it with --store sqlite:PATH"));
  EXPECT_EQ(Get("/api/v1/runs").status, 409);
}

}  // namespace
}  // namespace twofold::frontend
