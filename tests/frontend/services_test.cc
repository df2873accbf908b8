// The unary doors: single jobs, lists, administration, health, reflection, and HTTP.

#include <grpcpp/health_check_service_interface.h>

#include <future>
#include <set>
#include <thread>
#include <vector>

#include "cli/channel/channel.h"
#include "tests/fakes/retry_after.h"
#include "tests/frontend/frontend_fixture.h"
#include "tests/lib/results/temp_dir.h"
#include "twofold/v1/frontends.grpc.pb.h"

namespace twofold::frontend {
namespace {

using ::testing::AllOf;
using testing::Assigned;
using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

class ServicesTest : public FrontendTest {
 protected:
  grpc::Status Submit(const v1::JobOptions& options, bool wait, v1::Job* job,
                      const std::string& spec = "") {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(30));
    v1::SubmitJobRequest request;
    *request.mutable_options() = options;
    request.set_spec(spec);
    request.set_wait(wait);
    return clients_->SubmitJob(&context, request, job);
  }
  grpc::Status Submit(const std::string& queue, bool wait, v1::Job* job,
                      const std::string& spec = "") {
    v1::JobOptions options;
    options.set_queue(queue);
    return Submit(options, wait, job, spec);
  }
  v1::Job Submit(const std::string& queue) {
    v1::Job job;
    EXPECT_TRUE(Submit(queue, false, &job).ok());
    return job;
  }
  grpc::Status Get(std::uint64_t id, v1::Job* job) {
    grpc::ClientContext context;
    v1::GetJobRequest request;
    request.set_id(id);
    return clients_->GetJob(&context, request, job);
  }
  grpc::Status Cancel(std::uint64_t id, v1::Job* job) {
    grpc::ClientContext context;
    v1::CancelJobRequest request;
    request.set_id(id);
    return clients_->CancelJob(&context, request, job);
  }
  /// The ids of all pages.
  std::vector<std::uint64_t> List(v1::ListJobsRequest request) {
    std::vector<std::uint64_t> ids;
    do {
      grpc::ClientContext context;
      v1::ListJobsReply reply;
      const grpc::Status status = clients_->ListJobs(&context, request, &reply);
      EXPECT_TRUE(status.ok()) << status.error_message();
      for (const v1::Job& job : reply.jobs()) ids.push_back(job.id());
      request.set_page_token(reply.next_page_token());
    } while (!request.page_token().empty());
    return ids;
  }
  using Change = grpc::Status (v1::Admin::Stub::*)(grpc::ClientContext*, const v1::QueueRequest&,
                                                   v1::Queue*);
  v1::Queue Do(Change change, const std::string& queue) {
    grpc::ClientContext context;
    v1::QueueRequest request;
    request.set_queue(queue);
    v1::Queue reply;
    EXPECT_TRUE(((*admin_).*change)(&context, request, &reply).ok());
    return reply;
  }
};

TEST_F(ServicesTest, SubmittedJobIsKnownByItsIdUntilAndAfterItsEnd) {
  Serve();
  const v1::Job waiting = Submit("media");
  EXPECT_EQ(waiting.state(), v1::JOB_STATE_WAITING);
  EXPECT_EQ(waiting.queue(), "media");
  auto worker = NewWorker();
  worker->Join("media", 1, 1);
  const Assigned assigned = worker->assigned.Take();
  v1::Job job;
  ASSERT_TRUE(Get(waiting.id(), &job).ok());
  EXPECT_EQ(job.state(), v1::JOB_STATE_RUNNING);
  EXPECT_EQ(job.worker().pod(), "pod-1");
  worker->Answer(assigned, v1::OUTCOME_TIMED_OUT);
  AwaitQueue("media", [](const v1::Queue& queue) { return queue.running() == 0; });
  ASSERT_TRUE(Get(waiting.id(), &job).ok());
  EXPECT_EQ(job.state(), v1::JOB_STATE_FINISHED);
  EXPECT_EQ(job.outcome(), v1::OUTCOME_TIMED_OUT);
  EXPECT_EQ(job.queue(), "media");
  EXPECT_EQ(job.worker().device(), "device");
}

TEST_F(ServicesTest, WaitingSubmitAnswersWithTheEndOfTheJob) {
  Serve();
  auto worker = NewWorker();
  worker->Join("sleep", 1, 1);
  v1::Job job;
  std::thread submit([&] { EXPECT_TRUE(Submit("sleep", true, &job).ok()); });
  worker->Answer(worker->assigned.Take(), v1::OUTCOME_SUCCEEDED);
  submit.join();
  EXPECT_EQ(job.outcome(), v1::OUTCOME_SUCCEEDED);
  EXPECT_EQ(job.queue(), "sleep");
}

TEST_F(ServicesTest, WaitingSubmitThatLosesPatienceLeavesTheJob) {
  Serve();
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::milliseconds(200));
  v1::SubmitJobRequest request;
  request.mutable_options()->set_queue("sleep");
  request.set_wait(true);
  v1::Job job;
  EXPECT_EQ(clients_->SubmitJob(&context, request, &job).error_code(),
            grpc::StatusCode::DEADLINE_EXCEEDED);
  EXPECT_EQ(Queue("sleep").waiting(), 1U);
}

TEST_F(ServicesTest, CallsOfAFrontendThatEndsAreToBeMadeAgain) {
  Serve();
  auto waits = std::async(std::launch::async, [this] {
    grpc::ClientContext context;
    v1::SubmitJobRequest request;
    request.mutable_options()->set_queue("sleep");
    request.set_wait(true);
    v1::Job job;
    return clients_->SubmitJob(&context, request, &job);
  });
  AwaitQueue("sleep", [](const v1::Queue& queue) { return queue.waiting() == 1; });
  const auto worker = NewWorker();
  worker->Join("media", 1, 1);
  frontend_.reset();
  EXPECT_EQ(waits.get().error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(worker->End().code(), absl::StatusCode::kUnavailable);
}

TEST_F(ServicesTest, BadSubmitsNameTheField) {
  Serve();
  v1::Job job;
  const grpc::Status unknown = Submit("nope", false, &job);
  EXPECT_EQ(unknown.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_THAT(unknown.error_message(), HasSubstr("queue: there is no 'nope'"));
  const grpc::Status empty = Submit("", false, &job);
  EXPECT_EQ(empty.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(empty.error_message(), HasSubstr("queue is empty"));
  const grpc::Status large = Submit("sleep", false, &job, std::string(1 << 20, 'x'));
  EXPECT_EQ(large.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(large.error_message(), HasSubstr("spec has 1048576 bytes"));
  EXPECT_TRUE(Submit("sleep", false, &job).ok());
}

TEST_F(ServicesTest, GangWhoseSpecsWouldFillTheMemoryIsRefused) {
  Serve();
  v1::SubmitJobRequest request;
  request.set_spec(std::string(256 << 10, 'x'));
  request.mutable_options()->set_queue("sleep");
  v1::Gang& gang = *request.mutable_options()->mutable_gang();
  const auto submit = [&] {
    grpc::ClientContext context;
    v1::Job job;
    return clients_->SubmitJob(&context, request, &job);
  };
  gang.set_size(64);
  EXPECT_TRUE(submit().ok()) << "16 MiB in all";
  gang.set_size(65);
  const grpc::Status large = submit();
  EXPECT_EQ(large.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(large.error_message(), HasSubstr("gang.size is 65; with a spec of 262144 bytes at "
                                               "most 64 members are allowed"));
  gang.set_spread(v1::SPREAD_NODE);
  EXPECT_TRUE(submit().ok()) << "a process has one member";
}

TEST_F(ServicesTest, FullQueueIsResourceExhaustedWithRetryInfo) {
  Serve([](Options& options) { options.queue_limit = 1; });
  Submit("sleep");
  v1::Job job;
  const grpc::Status full = Submit("sleep", false, &job);
  EXPECT_EQ(full.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(full.error_message(), ::testing::HasSubstr(" is full, try again after 0.1 s"));
  ASSERT_TRUE(rpc::RetryAfter(full).has_value());
  EXPECT_GT(*rpc::RetryAfter(full), Duration(0));
}

// ---- Dedup keys of jobs that streams and calls have submitted

v1::JobOptions Keyed(bool durable = false) {
  v1::JobOptions options;
  options.set_queue("sleep");
  options.set_dedup_key("k");
  options.set_durable(durable);
  return options;
}

TEST_F(ServicesTest, WaitingSubmitOfAStreamsJobIsAnswered) {
  Serve();
  auto client = NewClient();
  client->Submit(Keyed(), 7);
  AwaitQueue("sleep", [](const v1::Queue& queue) { return queue.waiting() == 1; });
  v1::Job job;
  auto submit = std::async(std::launch::async, [&] { return Submit(Keyed(), true, &job).ok(); });
  auto worker = NewWorker();
  v1::Job known;
  EXPECT_TRUE(Submit(Keyed(), false, &known).ok());
  worker->Join("sleep", 1, 1);
  const Assigned assigned = worker->assigned.Take();
  EXPECT_EQ(assigned.job, known.id());
  worker->Answer(assigned, v1::OUTCOME_SUCCEEDED);
  EXPECT_EQ(client->results.Take().tag, 7U);
  ASSERT_TRUE(Get(known.id(), &known).ok());
  EXPECT_EQ(known.outcome(), v1::OUTCOME_SUCCEEDED);
  // A call that comes so late that the first job has ended has one of its own.
  while (submit.wait_for(std::chrono::milliseconds(5)) != std::future_status::ready) {
    if (!worker->assigned.empty()) worker->Answer(worker->assigned.Take(), v1::OUTCOME_SUCCEEDED);
  }
  EXPECT_TRUE(submit.get());
  EXPECT_EQ(job.outcome(), v1::OUTCOME_SUCCEEDED);
}

TEST_F(ServicesTest, JobOfAStreamAndOfACallOutlivesTheStream) {
  Serve();
  auto client = NewClient();
  client->Submit(Keyed(), 7);
  AwaitQueue("sleep", [](const v1::Queue& queue) { return queue.waiting() == 1; });
  v1::Job job;
  ASSERT_TRUE(Submit(Keyed(), false, &job).ok());
  client->Submit("media", 8);
  AwaitQueue("media", [](const v1::Queue& queue) { return queue.waiting() == 1; });
  client->Break();
  AwaitQueue("media", [](const v1::Queue& queue) { return queue.finished().at("abandoned") == 1; });
  ASSERT_TRUE(Get(job.id(), &job).ok());
  EXPECT_EQ(job.state(), v1::JOB_STATE_WAITING);
}

TEST_F(ServicesTest, DurableJobIsRefusedWhileAVolatileOneHasItsKey) {
  const results::TempDir dir;
  const auto with_store = [&](Options& options) {
    options.storage.url = "sqlite:" + dir.Path("jobs.db");
  };
  Serve(with_store);
  v1::Job held;
  ASSERT_TRUE(Submit(Keyed(), false, &held).ok());
  v1::Job job;
  const grpc::Status refused = Submit(Keyed(true), false, &job);
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::ABORTED);
  EXPECT_THAT(refused.error_message(),
              AllOf(HasSubstr("dedup_key"), HasSubstr(std::to_string(held.id()))));
  auto client = NewClient();
  client->Submit(Keyed(true), 7);
  const testing::Ended ended = client->results.Take();
  EXPECT_EQ(ended.outcome, v1::OUTCOME_REJECTED);
  EXPECT_GT(ended.retry_after_ns, 0U);
  ASSERT_TRUE(Cancel(held.id(), &held).ok());
  ASSERT_TRUE(Submit(Keyed(true), false, &job).ok());
  frontend_.reset();
  Serve(with_store);
  EXPECT_TRUE(Get(job.id(), &job).ok()) << "what was acknowledged is kept";
}

TEST_F(ServicesTest, DedupKeyThatSomebodyHoldsForYearsIsFreedByWhoeverMaySubmit) {
  Serve();
  v1::JobOptions for_years = Keyed();
  for_years.set_delay_ns(5 * 365 * 86'400'000'000'000);
  v1::Job holder;
  ASSERT_TRUE(Submit(for_years, false, &holder).ok());
  v1::Job job;
  ASSERT_TRUE(Submit(Keyed(), false, &job).ok());
  EXPECT_EQ(job.id(), holder.id()) << "who wants the key is told who has it";
  ASSERT_TRUE(Cancel(job.id(), &holder).ok());
  ASSERT_TRUE(Submit(Keyed(), false, &job).ok());
  EXPECT_NE(job.id(), holder.id());
  auto worker = NewWorker();
  worker->Join("sleep", 1, 1);
  EXPECT_EQ(worker->assigned.Take().job, job.id());
}

TEST_F(ServicesTest, CancelEndsAWaitingAndARunningJob) {
  Serve();
  const v1::Job waiting = Submit("media");
  v1::Job job;
  ASSERT_TRUE(Cancel(waiting.id(), &job).ok());
  EXPECT_EQ(job.outcome(), v1::OUTCOME_CANCELLED);
  EXPECT_EQ(Cancel(waiting.id(), &job).error_code(), grpc::StatusCode::FAILED_PRECONDITION);

  auto worker = NewWorker();
  worker->Join("media", 1, 1);
  const v1::Job running = Submit("media");
  const Assigned assigned = worker->assigned.Take();
  ASSERT_TRUE(Cancel(running.id(), &job).ok());
  EXPECT_EQ(worker->cancelled.Take().job, assigned.job);
  EXPECT_EQ(Cancel(99, &job).error_code(), grpc::StatusCode::NOT_FOUND);
}

TEST_F(ServicesTest, ListGoesThroughAllJobsPageByPage) {
  Serve();
  std::set<std::uint64_t> expected;
  for (int i = 0; i < 5; ++i) expected.insert(Submit("sleep").id());
  for (int i = 0; i < 4; ++i) expected.insert(Submit("media").id());
  std::set<std::uint64_t> seen;
  v1::ListJobsRequest request;
  request.set_page_size(2);
  do {
    grpc::ClientContext context;
    v1::ListJobsReply reply;
    ASSERT_TRUE(clients_->ListJobs(&context, request, &reply).ok());
    EXPECT_LE(reply.jobs_size(), 2);
    for (const v1::Job& job : reply.jobs()) EXPECT_TRUE(seen.insert(job.id()).second);
    request.set_page_token(reply.next_page_token());
  } while (!request.page_token().empty());
  EXPECT_EQ(seen, expected);

  grpc::ClientContext context;
  v1::ListJobsReply reply;
  request.set_page_token("nonsense");
  EXPECT_EQ(clients_->ListJobs(&context, request, &reply).error_code(),
            grpc::StatusCode::INVALID_ARGUMENT);
}

TEST_F(ServicesTest, ListShowsJobsInTheStatesThatAreAskedFor) {
  const results::TempDir dir;
  Serve([&](Options& options) { options.storage.url = "sqlite:" + dir.Path("jobs.db"); });
  const auto submit = [&](const char* run) {
    v1::JobOptions options;
    options.set_queue("sleep");
    options.set_durable(true);
    options.set_run(run);
    v1::Job job;
    EXPECT_TRUE(Submit(options, false, &job).ok());
    return job.id();
  };
  const std::uint64_t cancelled = submit("night");
  v1::Job job;
  ASSERT_TRUE(Cancel(cancelled, &job).ok());
  auto worker = NewWorker();
  worker->Join("sleep", 1, 1);
  const std::uint64_t running = submit("night");
  worker->assigned.Take();
  const std::uint64_t waiting = submit("night");
  submit("day");

  const auto listed = [&](std::vector<v1::JobState> states, std::vector<v1::Outcome> outcomes) {
    v1::ListJobsRequest request;
    request.set_run("night");
    request.set_page_size(1);
    request.mutable_states()->Add(states.begin(), states.end());
    request.mutable_outcomes()->Add(outcomes.begin(), outcomes.end());
    return List(request);
  };
  EXPECT_THAT(listed({v1::JOB_STATE_WAITING}, {}), ElementsAre(waiting));
  EXPECT_THAT(listed({v1::JOB_STATE_RUNNING}, {}), ElementsAre(running));
  EXPECT_THAT(listed({v1::JOB_STATE_FINISHED}, {}), ElementsAre(cancelled));
  EXPECT_THAT(listed({}, {v1::OUTCOME_CANCELLED}), ElementsAre(cancelled));
  EXPECT_THAT(listed({}, {v1::OUTCOME_FAILED, v1::OUTCOME_LOST}), ElementsAre());
  EXPECT_THAT(listed({v1::JOB_STATE_WAITING}, {v1::OUTCOME_CANCELLED}),
              ElementsAre(cancelled, waiting));
  EXPECT_THAT(listed({}, {}), UnorderedElementsAre(running, waiting));
  EXPECT_THAT(listed({v1::JOB_STATE_WAITING, v1::JOB_STATE_RUNNING, v1::JOB_STATE_FINISHED}, {}),
              UnorderedElementsAre(cancelled, running, waiting));
}

TEST_F(ServicesTest, ListNamesAStateOrOutcomeThatThereIsNot) {
  Serve();
  for (const char* field : {"states", "outcomes"}) {
    v1::ListJobsRequest request;
    if (field == std::string("states")) request.add_states(static_cast<v1::JobState>(9));
    if (field == std::string("outcomes")) request.add_outcomes(v1::OUTCOME_UNSPECIFIED);
    grpc::ClientContext context;
    v1::ListJobsReply reply;
    const grpc::Status status = clients_->ListJobs(&context, request, &reply);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
    EXPECT_THAT(status.error_message(), HasSubstr(field));
  }
}

TEST_F(ServicesTest, PausedQueueAcceptsAndHandsOutNothingUntilResumed) {
  Serve();
  EXPECT_TRUE(Do(&v1::Admin::Stub::PauseQueue, "sleep").paused());
  auto worker = NewWorker();
  worker->Join("sleep", 1, 1);
  Submit("sleep");
  EXPECT_EQ(Queue("sleep").waiting(), 1U);
  EXPECT_FALSE(Do(&v1::Admin::Stub::ResumeQueue, "sleep").paused());
  worker->assigned.Take();
  EXPECT_EQ(Queue("sleep").running(), 1U);
}

TEST_F(ServicesTest, DrainingQueueRefusesJobs) {
  Serve();
  EXPECT_TRUE(Do(&v1::Admin::Stub::DrainQueue, "sleep").draining());
  v1::Job job;
  const grpc::Status status = Submit("sleep", false, &job);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_THAT(status.error_message(), HasSubstr("drains"));
}

TEST_F(ServicesTest, AdminNamesAnUnknownQueue) {
  Serve();
  grpc::ClientContext context;
  v1::QueueRequest request;
  request.set_queue("x");
  v1::Queue reply;
  const grpc::Status status = admin_->PauseQueue(&context, request, &reply);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::NOT_FOUND);
}

TEST_F(ServicesTest, AllSeriesExistWithZeroFromTheStart) {
  Serve();
  const http::Response metrics = FrontendTest::Get("/metrics");
  EXPECT_EQ(metrics.status, 200);
  EXPECT_EQ(metrics.headers.at("content-type"), "text/plain; version=0.0.4; charset=utf-8");
  for (const char* queue : {"sleep", "media"}) {
    const std::string label = std::string("{queue=\"") + queue + "\"";
    for (const char* series : {"twofold_jobs@,state=\"waiting\"} 0",
                               "twofold_jobs@,state=\"running\"} 0",
                               "twofold_oldest_waiting_age_seconds@} 0",
                               "twofold_wanted_workers@} 0",
                               "twofold_workers@,state=\"idle\"} 0",
                               "twofold_workers@,state=\"busy\"} 0",
                               "twofold_workers@,state=\"draining\"} 0",
                               "twofold_worker_processes@} 0",
                               "twofold_worker_cpu_seconds_total@} 0",
                               "twofold_worker_throttled_seconds_total@} 0",
                               "twofold_worker_reported_seconds_total@} 0",
                               "twofold_jobs_finished_total@,outcome=\"succeeded\"} 0",
                               "twofold_jobs_finished_total@,outcome=\"failed\"} 0",
                               "twofold_jobs_finished_total@,outcome=\"timed_out\"} 0",
                               "twofold_jobs_finished_total@,outcome=\"cancelled\"} 0",
                               "twofold_jobs_finished_total@,outcome=\"lost\"} 0",
                               "twofold_jobs_finished_total@,outcome=\"rejected\"} 0",
                               "twofold_jobs_finished_total@,outcome=\"abandoned\"} 0",
                               "twofold_job_wait_seconds_count@} 0",
                               "twofold_job_run_seconds_count@} 0",
                               "twofold_job_total_seconds_bucket@,le=\"+Inf\"} 0"}) {
      std::string line = series;
      line.replace(line.find('@'), 1, label);
      EXPECT_THAT(metrics.body, HasSubstr("\n" + line + "\n"));
    }
  }
  EXPECT_THAT(metrics.body,
              AllOf(HasSubstr("\ntwofold_clients 0\n"), HasSubstr("\ntwofold_grpc_held_bytes "),
                    HasSubstr("\ntwofold_grpc_closed_connections_total{reason=\"flood\"} 0\n"),
                    HasSubstr("\ntwofold_grpc_closed_connections_total{reason=\"lost\"} 0\n"),
                    Not(HasSubstr("twofold_grpc_closed_connections_total{reason=\"in_order\"}")),
                    ContainsRegex("\ntwofold_grpc_turn_seconds_count [1-9]"),
                    HasSubstr("# TYPE twofold_job_wait_seconds histogram\n"),
                    HasSubstr("# HELP twofold_jobs "), HasSubstr("twofold_build_info{version=")));
}

TEST_F(ServicesTest, JobsThatNoWorkerEverHadAreInTheTotalsOnly) {
  Serve();
  for (int i = 0; i < 3; ++i) {
    v1::Job job;
    ASSERT_TRUE(Cancel(Submit("sleep").id(), &job).ok());
  }
  const std::string metrics = FrontendTest::Get("/metrics").body;
  EXPECT_THAT(metrics, AllOf(HasSubstr("twofold_job_wait_seconds_count{queue=\"sleep\"} 0\n"),
                             HasSubstr("twofold_job_run_seconds_count{queue=\"sleep\"} 0\n"),
                             HasSubstr("twofold_job_total_seconds_count{queue=\"sleep\"} 3\n")));
}

TEST_F(ServicesTest, ACancelledJobThatRanIsInWaitAndRunWithTheTimeItRan) {
  Serve();
  auto worker = NewWorker();
  worker->Join("sleep", 1, 1);
  v1::Job job;
  const std::uint64_t id = Submit("sleep").id();
  worker->assigned.Take();
  ASSERT_TRUE(Cancel(id, &job).ok());
  EXPECT_GT(job.run_ns(), 0U);
  const std::string metrics = FrontendTest::Get("/metrics").body;
  EXPECT_THAT(metrics, AllOf(HasSubstr("twofold_job_wait_seconds_count{queue=\"sleep\"} 1\n"),
                             HasSubstr("twofold_job_run_seconds_count{queue=\"sleep\"} 1\n"),
                             Not(HasSubstr("twofold_job_run_seconds_sum{queue=\"sleep\"} 0\n"))));
}

TEST_F(ServicesTest, ScrapeChangesNothing) {
  Serve();
  auto worker = NewWorker();
  worker->Join("sleep", 1, 1);
  v1::Job job;
  std::thread submit([&] { Submit("sleep", true, &job); });
  worker->Answer(worker->assigned.Take(), v1::OUTCOME_SUCCEEDED);
  submit.join();
  const std::string first = FrontendTest::Get("/metrics").body;
  EXPECT_THAT(first,
              HasSubstr("twofold_jobs_finished_total{queue=\"sleep\",outcome=\"succeeded\"} 1"));
  EXPECT_THAT(first, HasSubstr("twofold_job_run_seconds_sum{queue=\"sleep\"} 1e-06"));
  EXPECT_EQ(FrontendTest::Get("/metrics").body, first);
}

TEST_F(ServicesTest, HttpTellsHealthQueuesAndAPage) {
  Serve();
  Submit("media");
  EXPECT_EQ(FrontendTest::Get("/healthz").status, 200);
  EXPECT_EQ(FrontendTest::Get("/readyz").status, 200);
  EXPECT_EQ(FrontendTest::Get("/nope").status, 404);
  const http::Response queues = FrontendTest::Get("/api/v1/queues");
  EXPECT_EQ(queues.headers.at("content-type"), "application/json");
  EXPECT_THAT(queues.body, AllOf(HasSubstr(R"("name":"media")"), HasSubstr(R"("waiting":1)")));
  const http::Response page = FrontendTest::Get("/");
  EXPECT_THAT(page.body,
              AllOf(HasSubstr("<td>media<td>open<td>1"), HasSubstr("http-equiv=\"refresh\"")));
}

TEST_F(ServicesTest, FrontendThatIsAloneHasNoOthersToListOrToMoveQueuesTo) {
  Serve();
  const auto frontends = v1::Frontends::NewStub(cli::Connect(frontend_->client_address()));
  v1::ListFrontendsReply reply;
  grpc::ClientContext look;
  const grpc::Status listed = frontends->ListFrontends(&look, {}, &reply);
  EXPECT_EQ(listed.error_code(), grpc::StatusCode::UNIMPLEMENTED);
  EXPECT_THAT(listed.error_message(), HasSubstr("PostgreSQL"));
  grpc::ClientContext move;
  v1::MoveQueueRequest request;
  request.set_queue("sleep");
  EXPECT_EQ(frontends->MoveQueue(&move, request, &reply).error_code(),
            grpc::StatusCode::UNIMPLEMENTED);
  EXPECT_EQ(Queue("sleep").frontend(), "");
}

TEST(Frontend, PortInUseIsOneLineWithTheReason) {
  Options options;
  options.queues = {"sleep"};
  options.client_address = options.worker_address = options.http_address = "127.0.0.1:0";
  auto first = Frontend::Start(options);
  ASSERT_TRUE(first.ok());
  const std::string taken = (*first)->client_address();
  for (std::string* address :
       {&options.client_address, &options.worker_address, &options.http_address}) {
    const std::string before = std::exchange(*address, taken);
    const auto second = Frontend::Start(options);
    EXPECT_THAT(std::string(second.status().message()),
                AllOf(HasSubstr("cannot listen on " + taken + ": Address already in use"),
                      Not(HasSubstr("\n"))));
    *address = before;
  }
}

TEST(Frontend, QueueNamedTwiceIsAMistake) {
  Options options;
  options.queues = {"sleep", "sleep"};
  EXPECT_THAT(std::string(Frontend::Start(options).status().message()), HasSubstr("named twice"));
}

}  // namespace
}  // namespace twofold::frontend
