// The unary doors: single jobs, lists, administration, health, reflection, and HTTP.

#include <future>
#include <set>
#include <thread>
#include <vector>

#include "tests/fakes/retry_after.h"
#include "tests/frontend/frontend_fixture.h"
#include "tests/lib/results/temp_dir.h"
#include "twofold/v1/frontends.pb.h"

namespace twofold::frontend {
namespace {

using ::testing::AllOf;
using testing::Assigned;
using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using testing::Good;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

class ServicesTest : public FrontendTest {
 protected:
  Result<v1::Job> Submit(const v1::JobOptions& options, bool wait, const std::string& spec = "") {
    v1::SubmitJobRequest request;
    *request.mutable_options() = options;
    request.set_spec(spec);
    request.set_wait(wait);
    return Call<v1::Job>("Clients/SubmitJob", request);
  }
  Result<v1::Job> Submit(const std::string& queue, bool wait, const std::string& spec = "") {
    v1::JobOptions options;
    options.set_queue(queue);
    return Submit(options, wait, spec);
  }
  v1::Job Submit(const std::string& queue) { return Good(Submit(queue, false)); }
  Result<v1::Job> Get(std::uint64_t id) {
    v1::GetJobRequest request;
    request.set_id(id);
    return Call<v1::Job>("Clients/GetJob", request);
  }
  Result<v1::Job> Cancel(std::uint64_t id) {
    v1::CancelJobRequest request;
    request.set_id(id);
    return Call<v1::Job>("Clients/CancelJob", request);
  }
  /// The ids of all pages.
  std::vector<std::uint64_t> List(v1::ListJobsRequest request) {
    std::vector<std::uint64_t> ids;
    do {
      const auto reply = Good(Call<v1::ListJobsReply>("Clients/ListJobs", request));
      for (const v1::Job& job : reply.jobs()) ids.push_back(job.id());
      request.set_page_token(reply.next_page_token());
    } while (!request.page_token().empty());
    return ids;
  }
  /// "PauseQueue" or another change of one.
  Result<v1::Queue> Do(const std::string& change, const std::string& queue) {
    v1::QueueRequest request;
    request.set_queue(queue);
    return Call<v1::Queue>("Admin/" + change, request);
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
  v1::Job job = Good(Get(waiting.id()));
  EXPECT_EQ(job.state(), v1::JOB_STATE_RUNNING);
  EXPECT_EQ(job.worker().pod(), "pod-1");
  worker->Answer(assigned, v1::OUTCOME_TIMED_OUT);
  AwaitQueue("media", [](const v1::Queue& queue) { return queue.running() == 0; });
  job = Good(Get(waiting.id()));
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
  std::thread submit([&] { job = Good(Submit("sleep", true)); });
  worker->Answer(worker->assigned.Take(), v1::OUTCOME_SUCCEEDED);
  submit.join();
  EXPECT_EQ(job.outcome(), v1::OUTCOME_SUCCEEDED);
  EXPECT_EQ(job.queue(), "sleep");
}

TEST_F(ServicesTest, WaitingSubmitThatLosesPatienceLeavesTheJob) {
  Serve();
  v1::SubmitJobRequest request;
  request.mutable_options()->set_queue("sleep");
  request.set_wait(true);
  const auto job =
      Call<v1::Job>("Clients/SubmitJob", request, {.patience = std::chrono::milliseconds(200)});
  EXPECT_TRUE(absl::IsDeadlineExceeded(job.status())) << job.status();
  EXPECT_EQ(Queue("sleep").waiting(), 1U);
}

TEST_F(ServicesTest, CallsOfAFrontendThatEndsAreToBeMadeAgain) {
  Serve();
  auto waits = std::async(std::launch::async, [this] { return Submit("sleep", true); });
  AwaitQueue("sleep", [](const v1::Queue& queue) { return queue.waiting() == 1; });
  const auto worker = NewWorker();
  worker->Join("media", 1, 1);
  frontend_.reset();
  EXPECT_TRUE(absl::IsUnavailable(waits.get().status()));
  EXPECT_EQ(worker->End().code(), absl::StatusCode::kUnavailable);
}

TEST_F(ServicesTest, BadSubmitsNameTheField) {
  Serve();
  const Status unknown = Submit("nope", false).status();
  EXPECT_TRUE(absl::IsNotFound(unknown)) << unknown;
  EXPECT_THAT(unknown.message(), HasSubstr("queue: there is no 'nope'"));
  const Status empty = Submit("", false).status();
  EXPECT_TRUE(absl::IsInvalidArgument(empty)) << empty;
  EXPECT_THAT(empty.message(), HasSubstr("queue is empty"));
  const Status large = Submit("sleep", false, std::string(1 << 20, 'x')).status();
  EXPECT_TRUE(absl::IsInvalidArgument(large)) << large;
  EXPECT_THAT(large.message(), HasSubstr("spec has 1048576 bytes"));
  EXPECT_TRUE(Submit("sleep", false).ok());
}

TEST_F(ServicesTest, GangWhoseSpecsWouldFillTheMemoryIsRefused) {
  Serve();
  v1::SubmitJobRequest request;
  request.set_spec(std::string(256 << 10, 'x'));
  request.mutable_options()->set_queue("sleep");
  v1::Gang& gang = *request.mutable_options()->mutable_gang();
  const auto submit = [&] { return Call<v1::Job>("Clients/SubmitJob", request).status(); };
  gang.set_size(64);
  EXPECT_TRUE(submit().ok()) << "16 MiB in all";
  gang.set_size(65);
  const Status large = submit();
  EXPECT_TRUE(absl::IsInvalidArgument(large)) << large;
  EXPECT_THAT(large.message(), HasSubstr("gang.size is 65; with a spec of 262144 bytes at "
                                         "most 64 members are allowed"));
  gang.set_spread(v1::SPREAD_NODE);
  EXPECT_TRUE(submit().ok()) << "a process has one member";
}

TEST_F(ServicesTest, FullQueueIsResourceExhaustedWithRetryInfo) {
  Serve([](Options& options) { options.queue_limit = 1; });
  Submit("sleep");
  const Status full = Submit("sleep", false).status();
  EXPECT_TRUE(absl::IsResourceExhausted(full)) << full;
  EXPECT_THAT(full.message(), ::testing::HasSubstr(" is full, try again after 0.1 s"));
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
  auto submit = std::async(std::launch::async, [&] { return Submit(Keyed(), true); });
  auto worker = NewWorker();
  const v1::Job known = Good(Submit(Keyed(), false));
  worker->Join("sleep", 1, 1);
  const Assigned assigned = worker->assigned.Take();
  EXPECT_EQ(assigned.job, known.id());
  worker->Answer(assigned, v1::OUTCOME_SUCCEEDED);
  EXPECT_EQ(client->results.Take().tag, 7U);
  EXPECT_EQ(Good(Get(known.id())).outcome(), v1::OUTCOME_SUCCEEDED);
  // A call that comes so late that the first job has ended has one of its own.
  while (submit.wait_for(std::chrono::milliseconds(5)) != std::future_status::ready) {
    if (!worker->assigned.empty()) worker->Answer(worker->assigned.Take(), v1::OUTCOME_SUCCEEDED);
  }
  EXPECT_EQ(Good(submit.get()).outcome(), v1::OUTCOME_SUCCEEDED);
}

TEST_F(ServicesTest, JobOfAStreamAndOfACallOutlivesTheStream) {
  Serve();
  auto client = NewClient();
  client->Submit(Keyed(), 7);
  AwaitQueue("sleep", [](const v1::Queue& queue) { return queue.waiting() == 1; });
  const std::uint64_t job = Good(Submit(Keyed(), false)).id();
  client->Submit("media", 8);
  AwaitQueue("media", [](const v1::Queue& queue) { return queue.waiting() == 1; });
  client->Break();
  AwaitQueue("media", [](const v1::Queue& queue) { return queue.finished().at("abandoned") == 1; });
  EXPECT_EQ(Good(Get(job)).state(), v1::JOB_STATE_WAITING);
}

TEST_F(ServicesTest, DurableJobIsRefusedWhileAVolatileOneHasItsKey) {
  const results::TempDir dir;
  const auto with_store = [&](Options& options) {
    options.storage.url = "sqlite:" + dir.Path("jobs.db");
  };
  Serve(with_store);
  const std::uint64_t held = Good(Submit(Keyed(), false)).id();
  const Status refused = Submit(Keyed(true), false).status();
  EXPECT_TRUE(absl::IsAborted(refused)) << refused;
  EXPECT_THAT(refused.message(), AllOf(HasSubstr("dedup_key"), HasSubstr(std::to_string(held))));
  auto client = NewClient();
  client->Submit(Keyed(true), 7);
  const testing::Ended ended = client->results.Take();
  EXPECT_EQ(ended.outcome, v1::OUTCOME_REJECTED);
  EXPECT_GT(ended.retry_after_ns, 0U);
  ASSERT_TRUE(Cancel(held).ok());
  const v1::Job job = Good(Submit(Keyed(true), false));
  frontend_.reset();
  Serve(with_store);
  EXPECT_TRUE(Get(job.id()).ok()) << "what was acknowledged is kept";
}

TEST_F(ServicesTest, DedupKeyThatSomebodyHoldsForYearsIsFreedByWhoeverMaySubmit) {
  Serve();
  v1::JobOptions for_years = Keyed();
  for_years.set_delay_ns(5 * 365 * 86'400'000'000'000);
  const std::uint64_t holder = Good(Submit(for_years, false)).id();
  EXPECT_EQ(Good(Submit(Keyed(), false)).id(), holder) << "who wants the key is told who has it";
  ASSERT_TRUE(Cancel(holder).ok());
  const v1::Job job = Good(Submit(Keyed(), false));
  EXPECT_NE(job.id(), holder);
  auto worker = NewWorker();
  worker->Join("sleep", 1, 1);
  EXPECT_EQ(worker->assigned.Take().job, job.id());
}

TEST_F(ServicesTest, CancelEndsAWaitingAndARunningJob) {
  Serve();
  const v1::Job waiting = Submit("media");
  EXPECT_EQ(Good(Cancel(waiting.id())).outcome(), v1::OUTCOME_CANCELLED);
  EXPECT_TRUE(absl::IsFailedPrecondition(Cancel(waiting.id()).status()));

  auto worker = NewWorker();
  worker->Join("media", 1, 1);
  const v1::Job running = Submit("media");
  const Assigned assigned = worker->assigned.Take();
  ASSERT_TRUE(Cancel(running.id()).ok());
  EXPECT_EQ(worker->cancelled.Take().job, assigned.job);
  EXPECT_TRUE(absl::IsNotFound(Cancel(99).status()));
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
    const auto reply = Good(Call<v1::ListJobsReply>("Clients/ListJobs", request));
    EXPECT_LE(reply.jobs_size(), 2);
    for (const v1::Job& job : reply.jobs()) EXPECT_TRUE(seen.insert(job.id()).second);
    request.set_page_token(reply.next_page_token());
  } while (!request.page_token().empty());
  EXPECT_EQ(seen, expected);

  request.set_page_token("nonsense");
  const Status nonsense = Call<v1::ListJobsReply>("Clients/ListJobs", request).status();
  EXPECT_TRUE(absl::IsInvalidArgument(nonsense)) << nonsense;
}

TEST_F(ServicesTest, ListShowsJobsInTheStatesThatAreAskedFor) {
  const results::TempDir dir;
  Serve([&](Options& options) { options.storage.url = "sqlite:" + dir.Path("jobs.db"); });
  const auto submit = [&](const char* run) {
    v1::JobOptions options;
    options.set_queue("sleep");
    options.set_durable(true);
    options.set_run(run);
    return Good(Submit(options, false)).id();
  };
  const std::uint64_t cancelled = submit("night");
  ASSERT_TRUE(Cancel(cancelled).ok());
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
    const Status status = Call<v1::ListJobsReply>("Clients/ListJobs", request).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    EXPECT_THAT(status.message(), HasSubstr(field));
  }
}

TEST_F(ServicesTest, PausedQueueAcceptsAndHandsOutNothingUntilResumed) {
  Serve();
  EXPECT_TRUE(Good(Do("PauseQueue", "sleep")).paused());
  auto worker = NewWorker();
  worker->Join("sleep", 1, 1);
  Submit("sleep");
  EXPECT_EQ(Queue("sleep").waiting(), 1U);
  EXPECT_FALSE(Good(Do("ResumeQueue", "sleep")).paused());
  worker->assigned.Take();
  EXPECT_EQ(Queue("sleep").running(), 1U);
}

TEST_F(ServicesTest, DrainingQueueRefusesJobs) {
  Serve();
  EXPECT_TRUE(Good(Do("DrainQueue", "sleep")).draining());
  const Status status = Submit("sleep", false).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_THAT(status.message(), HasSubstr("drains"));
}

TEST_F(ServicesTest, AdminNamesAnUnknownQueue) {
  Serve();
  EXPECT_TRUE(absl::IsNotFound(Do("PauseQueue", "x").status()));
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
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(Cancel(Submit("sleep").id()).ok());
  const std::string metrics = FrontendTest::Get("/metrics").body;
  EXPECT_THAT(metrics, AllOf(HasSubstr("twofold_job_wait_seconds_count{queue=\"sleep\"} 0\n"),
                             HasSubstr("twofold_job_run_seconds_count{queue=\"sleep\"} 0\n"),
                             HasSubstr("twofold_job_total_seconds_count{queue=\"sleep\"} 3\n")));
}

TEST_F(ServicesTest, ACancelledJobThatRanIsInWaitAndRunWithTheTimeItRan) {
  Serve();
  auto worker = NewWorker();
  worker->Join("sleep", 1, 1);
  const std::uint64_t id = Submit("sleep").id();
  worker->assigned.Take();
  EXPECT_GT(Good(Cancel(id)).run_ns(), 0U);
  const std::string metrics = FrontendTest::Get("/metrics").body;
  EXPECT_THAT(metrics, AllOf(HasSubstr("twofold_job_wait_seconds_count{queue=\"sleep\"} 1\n"),
                             HasSubstr("twofold_job_run_seconds_count{queue=\"sleep\"} 1\n"),
                             Not(HasSubstr("twofold_job_run_seconds_sum{queue=\"sleep\"} 0\n"))));
}

TEST_F(ServicesTest, ScrapeChangesNothing) {
  Serve();
  auto worker = NewWorker();
  worker->Join("sleep", 1, 1);
  std::thread submit([&] { EXPECT_TRUE(Submit("sleep", true).ok()); });
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
  const auto listed =
      Call<v1::ListFrontendsReply>("Frontends/ListFrontends", v1::ListFrontendsRequest());
  EXPECT_TRUE(absl::IsUnimplemented(listed.status()));
  EXPECT_THAT(listed.status().message(), HasSubstr("PostgreSQL"));
  v1::MoveQueueRequest request;
  request.set_queue("sleep");
  const auto moved = Call<v1::ListFrontendsReply>("Frontends/MoveQueue", request);
  EXPECT_TRUE(absl::IsUnimplemented(moved.status())) << moved.status();
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
