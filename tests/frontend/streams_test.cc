// The Submit and Work streams, end to end in one process.

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <thread>

#include "tests/frontend/frontend_fixture.h"

namespace twofold::frontend {
namespace {

using ::testing::AllOf;
using testing::Assigned;
using testing::Cancelled;
using testing::Ended;
using testing::Good;
using ::testing::HasSubstr;

class StreamsTest : public FrontendTest {};

v1::JobOptions JobFor(const std::string& queue, std::uint32_t max_attempts = 1) {
  v1::JobOptions options;
  options.set_queue(queue);
  options.set_max_attempts(max_attempts);
  return options;
}

TEST_F(StreamsTest, JobGoesToTheWorkerAndItsResultToTheClient) {
  Serve();
  auto worker = NewWorker();
  EXPECT_EQ(worker->Join("sleep", 1, 1).lease_ns(), 15'000'000'000);
  auto client = NewClient();
  v1::JobOptions options = JobFor("sleep");
  options.set_suite("sleep");
  options.set_limit_ns(7);
  client->Submit(options, 42, "spec");

  const Assigned job = worker->assigned.Take();
  EXPECT_EQ(job.spec, "spec");
  EXPECT_EQ(job.options.suite(), "sleep");
  EXPECT_EQ(job.options.limit_ns(), 7U);
  EXPECT_EQ(job.attempt, 1U);
  v1::Report report;
  report.set_error("bad");
  worker->Answer(job, v1::OUTCOME_FAILED, report);

  const Ended ended = client->results.Take();
  EXPECT_EQ(ended.tag, 42U);
  EXPECT_EQ(ended.outcome, v1::OUTCOME_FAILED);
  EXPECT_EQ(ended.run_ns, 1000U);
  EXPECT_EQ(ended.attempts, 1U);
  EXPECT_EQ(ended.worker.node(), "node-1");
  EXPECT_EQ(ended.worker.pod(), "pod-1");
  EXPECT_EQ(ended.worker.device(), "device");
  EXPECT_EQ(ended.report.error(), "bad");
}

TEST_F(StreamsTest, MessagesAreCountedByTheJobsThatTheyCarry) {
  Serve();
  auto worker = NewWorker();
  worker->Join("sleep", 1, 1);
  auto client = NewClient();
  client->Submit("sleep", 42);
  worker->Answer(worker->assigned.Take(), v1::OUTCOME_SUCCEEDED);
  client->results.Take();

  const std::string metrics = Get("/metrics").body;
  for (const std::string message : {"submit", "assign", "result", "reply"}) {
    const std::string series = "twofold_jobs_per_message_";
    EXPECT_THAT(metrics,
                HasSubstr(absl::StrCat(series, "bucket{message=\"", message, "\",le=\"1\"} 1\n")));
    EXPECT_THAT(metrics, HasSubstr(absl::StrCat(series, "sum{message=\"", message, "\"} 1\n")));
  }
}

TEST(JobsPerMessage, ABucketHoldsItsBoundAndTheLastAllThatIsMore) {
  JobsPerMessage jobs;
  for (const int count : {0, 1, 2, 3, 4, 5, 65'536, 65'537, 2'000'000'000}) jobs.Count(count);
  JobsPerMessage::Counts expected{1, 1, 2, 1};
  expected[16] = 1;
  expected[17] = 2;
  EXPECT_EQ(jobs.messages(), expected);
  EXPECT_EQ(jobs.jobs(), 15U + 65'536 + 65'537 + 2'000'000'000);
}

TEST_F(StreamsTest, WorkerNeverHasMoreJobsThanSlots) {
  Serve();
  auto worker = NewWorker();
  worker->Join("sleep", 1, 2);
  auto client = NewClient();
  for (std::uint64_t tag = 0; tag < 10; ++tag) client->Submit("sleep", tag);
  AwaitQueue("sleep", [](const v1::Queue& queue) { return queue.waiting() == 8; });
  for (int i = 0; i < 10; ++i) {
    const v1::Queue queue = Queue("sleep");
    EXPECT_LE(queue.running(), 2U);
    worker->Answer(worker->assigned.Take(), v1::OUTCOME_SUCCEEDED);
    EXPECT_EQ(client->results.Take().outcome, v1::OUTCOME_SUCCEEDED);
  }
}

TEST_F(StreamsTest, HalfClosedClientGetsAllResultsThenTheEnd) {
  Serve();
  auto client = NewClient();
  for (std::uint64_t tag = 0; tag < 3; ++tag) client->Submit("sleep", tag);
  client->HalfClose();
  auto worker = NewWorker();
  worker->Join("sleep", 1, 3);
  for (int i = 0; i < 3; ++i) worker->Answer(worker->assigned.Take(), v1::OUTCOME_SUCCEEDED);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(client->results.Take().outcome, v1::OUTCOME_SUCCEEDED);
  EXPECT_TRUE(client->End().ok());
}

TEST_F(StreamsTest, JobsOfABrokenClientAreAbandonedAndStopped) {
  Serve();
  auto worker = NewWorker();
  worker->Join("sleep", 1, 1);
  auto client = NewClient();
  for (std::uint64_t tag = 0; tag < 5; ++tag) client->Submit("sleep", tag);
  const Assigned running = worker->assigned.Take();
  AwaitQueue("sleep", [](const v1::Queue& queue) { return queue.waiting() == 4; });
  client->Break();
  EXPECT_EQ(worker->cancelled.Take().job, running.job);
  AwaitQueue("sleep", [](const v1::Queue& queue) {
    return queue.finished().at("abandoned") == 5 && queue.waiting() == 0 && queue.running() == 0;
  });
}

TEST_F(StreamsTest, WhileTheFrontendFinishesWhatRunsMayEndAndNothingNewStarts) {
  Serve();
  auto worker = NewWorker();
  worker->Join("sleep", 1, 1);
  auto client = NewClient();
  client->Submit("sleep", 1);
  client->Submit("sleep", 2);
  const Assigned running = worker->assigned.Take();
  std::thread finish([&] { frontend_->Finish(std::chrono::hours(1)); });
  AwaitQueue("sleep", [](const v1::Queue& queue) { return queue.paused(); });
  worker->Answer(running, v1::OUTCOME_SUCCEEDED);
  const Ended ended = client->results.Take();
  finish.join();
  EXPECT_EQ(ended.tag, 1U);
  EXPECT_EQ(ended.outcome, v1::OUTCOME_SUCCEEDED);
  EXPECT_TRUE(worker->assigned.empty());
  EXPECT_EQ(Queue("sleep").waiting(), 1U);
}

TEST_F(StreamsTest, AFrontendInAHurryWaitsForNoJob) {
  Serve();
  auto worker = NewWorker();
  worker->Join("sleep", 1, 1);
  auto client = NewClient();
  client->Submit("sleep", 1);
  worker->assigned.Take();
  frontend_->Hurry();
  frontend_->Finish(std::chrono::hours(1));
  EXPECT_EQ(Queue("sleep").running(), 1U);
}

TEST_F(StreamsTest, UnknownQueueRejectsTheJobAndTheStreamGoesOn) {
  Serve();
  auto client = NewClient();
  client->Submit("nope", 1);
  const Ended unknown = client->results.Take();
  EXPECT_EQ(unknown.outcome, v1::OUTCOME_REJECTED);
  EXPECT_THAT(unknown.report.error(), HasSubstr("there is no 'nope'; known: sleep, media"));
  client->Submit("", 2);
  EXPECT_THAT(client->results.Take().report.error(), HasSubstr("queue is empty"));
  v1::JobOptions options = JobFor("sleep");
  options.set_priority(11);
  client->Submit(options, 3);
  EXPECT_THAT(client->results.Take().report.error(),
              HasSubstr("priority is 11; allowed are -10 to 10"));
  options.set_priority(0);
  options.set_limit_ns(std::uint64_t{1} << 63);
  client->Submit(options, 4);
  EXPECT_THAT(client->results.Take().report.error(), HasSubstr("limit_ns"));
  options.set_limit_ns(0);
  options.mutable_placement()->add_labels("mtu");
  client->Submit(options, 5);
  EXPECT_THAT(client->results.Take().report.error(),
              HasSubstr("placement.labels has 'mtu', which is not KEY=VALUE"));
  options.mutable_placement()->set_labels(0, "mtu=9000\nnode x");
  client->Submit(options, 6);
  EXPECT_THAT(client->results.Take().report.error(), HasSubstr("of more than one line"));
}

TEST_F(StreamsTest, JobGoesToAWorkerInItsPlaceAndSaysWhyItWaits) {
  Serve();
  auto other = NewWorker();
  other->Join("sleep", 1, 1);
  v1::SubmitJobRequest submit;
  *submit.mutable_options() = JobFor("sleep");
  submit.mutable_options()->mutable_placement()->add_labels("mtu=9000");
  submit.mutable_options()->mutable_placement()->add_nodes("node-2");
  v1::GetJobRequest request;
  request.set_id(Good(Call<v1::Job>("Clients/SubmitJob", submit)).id());
  const auto why = Good(Call<v1::Explanation>("Clients/ExplainJob", request));
  EXPECT_EQ(why.reason(), v1::WAIT_REASON_NO_SUITABLE_WORKER);
  EXPECT_EQ(why.text(), "no worker that takes jobs is in its place: label mtu=9000, node node-2");
  auto worker = NewWorker();
  worker->labels = {{"mtu", "9000"}};
  worker->Join("sleep", 2, 1);
  const v1::Placement placement = worker->assigned.Take().options.placement();
  EXPECT_EQ(placement.labels(0), "mtu=9000");
  EXPECT_EQ(placement.nodes(0), "node-2");
  EXPECT_TRUE(other->assigned.empty());
}

TEST_F(StreamsTest, FullQueueRejectsWithARetryHint) {
  Serve([](Options& options) { options.queue_limit = 2; });
  auto client = NewClient();
  for (std::uint64_t tag = 0; tag < 3; ++tag) client->Submit("sleep", tag);
  const Ended rejected = client->results.Take();
  EXPECT_EQ(rejected.tag, 2U);
  EXPECT_EQ(rejected.outcome, v1::OUTCOME_REJECTED);
  EXPECT_GT(rejected.retry_after_ns, 0U);
  EXPECT_EQ(Queue("sleep").finished().at("rejected"), 1U);
}

TEST_F(StreamsTest, RefusalQuotesLittleOfWhatItRefuses) {
  Serve();
  v1::JobOptions options = JobFor("sleep");
  options.mutable_placement()->add_labels(std::string(500, 'x'));
  auto client = NewClient();
  client->Submit(options, 1);
  const std::string error = client->results.Take().report.error();
  EXPECT_THAT(error, HasSubstr("which is not KEY=VALUE"));
  EXPECT_LT(error.size(), 300U);
}

TEST_F(StreamsTest, ReasonsOfAMessagesRefusalsAreBoundedTogether) {
  Serve();
  constexpr std::uint64_t kJobs = 20'000;
  v1::SubmitRequest request;
  *request.add_options() = JobFor("sleep");
  request.mutable_options(0)->mutable_placement()->add_labels(std::string(200, 'x'));
  for (std::uint64_t tag = 0; tag < kJobs; ++tag) request.add_tags(tag);
  auto client = NewClient();
  client->Say(request);
  std::size_t bytes = 0;
  std::string last;
  for (std::uint64_t i = 0; i < kJobs; ++i) {
    last = client->results.Take().report.error();
    bytes += last.size();
  }
  EXPECT_EQ(last, "refused, as others of its message that say why");
  EXPECT_LT(bytes, (1U << 20) + kJobs * last.size());
}

TEST_F(StreamsTest, TextThatIsLongerThanItsFieldMayBeEndsTheStream) {
  Serve();
  auto client = NewClient();
  client->Submit(JobFor(std::string(254, 'q')), 1);
  const Status submitted = client->End();
  EXPECT_EQ(submitted.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(submitted.message(), "options.queue has 254 bytes; at most 253 are allowed");
  auto worker = NewWorker();
  worker->Join("sleep", 1, 1);
  v1::WorkerMessage message;
  message.mutable_results()->add_devices(std::string(3 << 20, 'd'));
  worker->Say(message);
  const Status worked = worker->End();
  EXPECT_EQ(worked.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(worked.message(), "results.devices has 3145728 bytes; at most 253 are allowed");
}

TEST_F(StreamsTest, BatchWhoseColumnsDisagreeEndsTheStreamNamingTheColumn) {
  Serve();
  struct Case {
    const char* name;
    std::function<void(v1::SubmitRequest&)> spoil;
  };
  for (const Case& bad : std::initializer_list<Case>{
           {"specs", [](v1::SubmitRequest& request) { request.add_spec_sizes(1); }},
           {"specs", [](v1::SubmitRequest& request) { request.set_specs("more"); }},
           {"option_index", [](v1::SubmitRequest& request) { request.add_option_index(1); }},
           {"option_index",
            [](v1::SubmitRequest& request) {
              request.add_option_index(0);
              request.add_option_index(0);
            }},
           {"options", [](v1::SubmitRequest& request) { request.clear_options(); }},
           {"specs",
            [](v1::SubmitRequest& request) {
              request.add_spec_sizes(1 << 20);
              request.set_specs(std::string(1 << 20, 'x'));
            }},
       }) {
    auto client = NewClient();
    v1::SubmitRequest request;
    *request.add_options() = JobFor("sleep");
    request.add_tags(1);
    bad.spoil(request);
    client->Say(request);
    const Status status = client->End();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(status.message(), HasSubstr(bad.name));
  }
  EXPECT_EQ(Queue("sleep").waiting(), 0U);
}

TEST_F(StreamsTest, BadHelloIsRefusedNamingTheField) {
  Serve();
  struct Case {
    const char* message;
    std::function<void(v1::Hello&)> spoil;
  };
  for (const Case& bad : std::initializer_list<Case>{
           {"process_key is 0", [](v1::Hello& hello) { hello.set_process_key(0); }},
           {"slots is 0", [](v1::Hello& hello) { hello.set_slots(0); }},
           {"slots is 100001", [](v1::Hello& hello) { hello.set_slots(100'001); }},
           {"peers_port is 65536", [](v1::Hello& hello) { hello.set_peers_port(65'536); }},
           {"there is no 'x'", [](v1::Hello& hello) { hello.set_queue("x"); }},
           {"queue is empty", [](v1::Hello& hello) { hello.set_queue(""); }},
           {"held_attempts", [](v1::Hello& hello) { hello.add_held_jobs(1); }},
           {"node has 300 bytes", [](v1::Hello& hello) { hello.set_node(std::string(300, 'n')); }},
       }) {
    auto worker = NewWorker();
    v1::WorkerMessage message;
    message.mutable_hello()->set_queue("sleep");
    message.mutable_hello()->set_process_key(1);
    message.mutable_hello()->set_slots(1);
    bad.spoil(*message.mutable_hello());
    worker->Say(message);
    EXPECT_THAT(worker->End().message(), HasSubstr(bad.message));
  }
  EXPECT_EQ(Queue("sleep").worker_processes(), 0U);
}

TEST_F(StreamsTest, FirstMessageMustBeHello) {
  Serve();
  auto worker = NewWorker();
  worker->Say(v1::WorkerMessage());
  EXPECT_EQ(worker->End().code(), absl::StatusCode::kFailedPrecondition);
}

// Each member's own list of all of them would take memory with the square of their number.
TEST_F(StreamsTest, MembersOfAGangOnOneProcessShareOneListOfPeers) {
  Serve();
  auto worker = NewWorker();
  worker->Join("sleep", 1, 100);
  v1::JobOptions options = JobFor("sleep");
  options.mutable_gang()->set_size(100);
  auto client = NewClient();
  client->Submit(options, 7);
  for (int rank = 0; rank < 100; ++rank) worker->assigned.Take();
  EXPECT_EQ(worker->gangs.Take().peers_size(), 100);
  EXPECT_TRUE(worker->gangs.empty());
}

TEST_F(StreamsTest, MembersOfAGangLearnWhereEachOfThemServesTheOthers) {
  Serve();
  auto worker = NewWorker();
  v1::WorkerMessage message;
  v1::Hello& hello = *message.mutable_hello();
  hello.set_queue("sleep");
  hello.set_process_key(1);
  hello.set_slots(2);
  hello.set_address("10.0.0.7");
  hello.set_peers_port(65'535);
  worker->Say(message);
  v1::JobOptions options = JobFor("sleep");
  options.mutable_gang()->set_size(2);
  auto client = NewClient();
  client->Submit(options, 7);
  const v1::GangRoster gang = worker->gangs.Take();
  ASSERT_EQ(gang.peers_size(), 2);
  EXPECT_EQ(gang.peers(1).address(), "10.0.0.7");
  EXPECT_EQ(gang.peers(1).port(), 65'535U);
}

TEST_F(StreamsTest, SilentWorkerLosesItsJobAndItsLateResultIsRefused) {
  Serve([](Options& options) { options.lease = 2; });
  auto silent = NewWorker();
  silent->Join("sleep", 1, 1);
  auto client = NewClient();
  client->Submit(JobFor("sleep", 2), 7);
  const Assigned first = silent->assigned.Take();
  EXPECT_EQ(silent->cancelled.Take().job, first.job);  // the lease ran out

  auto second = NewWorker();
  second->Join("sleep", 2, 1);
  const Assigned again = second->assigned.Take();
  EXPECT_EQ(again.job, first.job);
  EXPECT_EQ(again.attempt, 2U);
  silent->Answer(first, v1::OUTCOME_SUCCEEDED);
  EXPECT_EQ(silent->cancelled.Take().attempt, 1U);  // told that it came too late
  EXPECT_TRUE(client->results.empty());

  second->Answer(again, v1::OUTCOME_SUCCEEDED);
  const Ended ended = client->results.Take();
  EXPECT_EQ(ended.attempts, 2U);
  EXPECT_EQ(ended.worker.pod(), "pod-2");
  EXPECT_EQ(Queue("sleep").refused_results(), 1U);
}

TEST_F(StreamsTest, VanishedWorkersJobIsLostAfterTheGracePeriodWithTheReason) {
  Serve([](Options& options) { options.grace = 0.1; });
  auto worker = NewWorker();
  worker->Join("sleep", 1, 1);
  auto client = NewClient();
  client->Submit("sleep", 7);
  worker->assigned.Take();
  worker->Break();
  const Ended ended = client->results.Take();
  EXPECT_EQ(ended.outcome, v1::OUTCOME_LOST);
  EXPECT_EQ(ended.worker.pod(), "pod-1");
  EXPECT_THAT(ended.report.error(), AllOf(HasSubstr("did not come back"), HasSubstr("1 of 1")));
}

TEST_F(StreamsTest, ReturningWorkerKeepsTheAttemptThatItHolds) {
  Serve([](Options& options) { options.grace = 600; });
  auto before = NewWorker();
  before->Join("sleep", 1, 1);
  auto client = NewClient();
  client->Submit("sleep", 7);
  const Assigned job = before->assigned.Take();
  before->Break();
  auto after = NewWorker();
  after->Join("sleep", 1, 1, {job});
  after->Answer(job, v1::OUTCOME_SUCCEEDED);
  EXPECT_EQ(client->results.Take().outcome, v1::OUTCOME_SUCCEEDED);
  EXPECT_TRUE(after->assigned.empty());
}

TEST_F(StreamsTest, NewStreamOfAProcessReplacesItsOldOne) {
  Serve();
  auto before = NewWorker();
  before->Join("sleep", 1, 1);
  auto after = NewWorker();
  after->Join("sleep", 1, 1);
  EXPECT_EQ(before->End().code(), absl::StatusCode::kAborted);
  EXPECT_EQ(Queue("sleep").worker_processes(), 1U);
  auto client = NewClient();
  client->Submit("sleep", 7);
  after->Answer(after->assigned.Take(), v1::OUTCOME_SUCCEEDED);
  EXPECT_EQ(client->results.Take().tag, 7U);
}

TEST_F(StreamsTest, AttemptThatTheFrontendDoesNotKnowIsCancelled) {
  Serve();
  auto worker = NewWorker();
  worker->Join("sleep", 1, 1, {{.job = 12345, .attempt = 3, .spec = {}, .options = {}}});
  const Cancelled unknown = worker->cancelled.Take();
  EXPECT_EQ(unknown.job, 12345U);
  EXPECT_EQ(unknown.attempt, 3U);
}

TEST_F(StreamsTest, HandedBackJobGoesToAnotherWorkerAndUsesNoAttempt) {
  Serve();
  auto leaving = NewWorker();
  leaving->Join("sleep", 1, 1);
  auto client = NewClient();
  client->Submit("sleep", 7);
  const Assigned job = leaving->assigned.Take();
  v1::WorkerMessage draining;
  draining.set_draining(true);
  leaving->Say(draining);
  leaving->HandBack(job);
  EXPECT_TRUE(leaving->Leave().ok());
  auto other = NewWorker();
  other->Join("sleep", 2, 1);
  const Assigned again = other->assigned.Take();
  EXPECT_EQ(again.attempt, 2U);
  other->Answer(again, v1::OUTCOME_SUCCEEDED);
  EXPECT_EQ(client->results.Take().outcome, v1::OUTCOME_SUCCEEDED);
}

TEST_F(StreamsTest, JobThatCrossesTheWorkersLeavingRunsElsewhere) {
  Serve([](Options& options) { options.grace = 600; });
  auto leaving = NewWorker();
  leaving->Join("sleep", 1, 1);
  auto client = NewClient();
  client->Submit("sleep", 7);
  leaving->assigned.Take();
  EXPECT_TRUE(leaving->Leave().ok());
  auto other = NewWorker();
  other->Join("sleep", 2, 1);
  other->Answer(other->assigned.Take(), v1::OUTCOME_SUCCEEDED);
  EXPECT_EQ(client->results.Take().outcome, v1::OUTCOME_SUCCEEDED);
}

TEST_F(StreamsTest, WorkerThatHasLeftCannotSpeakForTheNextOne) {
  Serve();
  auto left = NewWorker();
  left->Join("sleep", 1, 1);
  v1::WorkerMessage leaving;
  leaving.set_leaving(true);
  left->Say(leaving);
  AwaitQueue("sleep", [](const v1::Queue& queue) { return queue.worker_processes() == 0; });
  auto next = NewWorker();
  next->Join("sleep", 2, 1);
  auto client = NewClient();
  client->Submit("sleep", 7);
  const Assigned job = next->assigned.Take();
  left->Answer(job, v1::OUTCOME_FAILED);
  EXPECT_EQ(left->End().code(), absl::StatusCode::kFailedPrecondition);
  next->Answer(job, v1::OUTCOME_SUCCEEDED);
  EXPECT_EQ(client->results.Take().outcome, v1::OUTCOME_SUCCEEDED);
}

TEST_F(StreamsTest, WorkerWithManySlotsGetsLargeJobsAsFastAsItReadsThem) {
  constexpr int kJobs = 40;
  Serve();
  auto client = NewClient();
  v1::JobOptions options;
  options.set_queue("sleep");
  const std::string spec(256 << 10, 'x');
  for (std::uint64_t tag = 1; tag <= kJobs; ++tag) client->Submit(options, tag, spec);
  AwaitQueue("sleep", [](const v1::Queue& queue) { return queue.waiting() == kJobs; });
  auto worker = NewWorker();
  worker->Join("sleep", 1, kJobs);
  for (int i = 0; i < kJobs; ++i) worker->Answer(worker->assigned.Take(), v1::OUTCOME_SUCCEEDED);
  for (int i = 0; i < kJobs; ++i) {
    EXPECT_EQ(client->results.Take().outcome, v1::OUTCOME_SUCCEEDED);
  }
}

TEST_F(StreamsTest, WorkerThatLeavesWhenEmptyIsSentHome) {
  Serve();
  auto client = NewClient();
  client->Submit("sleep", 1);
  AwaitQueue("sleep", [](const v1::Queue& queue) { return queue.waiting() == 1; });
  auto worker = NewWorker();
  v1::WorkerMessage message;
  v1::Hello& hello = *message.mutable_hello();
  hello.set_queue("sleep");
  hello.set_process_key(1);
  hello.set_slots(1);
  hello.set_leave_when_empty(true);
  worker->Say(message);
  worker->Answer(worker->assigned.Take(), v1::OUTCOME_SUCCEEDED);
  EXPECT_TRUE(worker->drained.Take());
  EXPECT_EQ(Queue("sleep").workers_draining(), 1U);
}

TEST_F(StreamsTest, WorkerCannotReportAnOutcomeThatIsTheFrontendsToDecide) {
  Serve();
  auto worker = NewWorker();
  worker->Join("sleep", 1, 1);
  auto client = NewClient();
  client->Submit("sleep", 7);
  worker->Answer(worker->assigned.Take(), v1::OUTCOME_ABANDONED);
  EXPECT_THAT(worker->End().message(), HasSubstr("OUTCOME_ABANDONED"));
}

}  // namespace
}  // namespace twofold::frontend
