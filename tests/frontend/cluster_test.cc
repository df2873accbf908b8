// Several whole frontends on one database: any of them answers for all queues.

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "tests/frontend/cluster_fixture.h"
#include "tests/support/certificates.h"
#include "tests/support/program.h"

namespace twofold::frontend {
namespace {

using grpc::StatusCode;
using testing::Assigned;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::PostgresServer;
using ::testing::SizeIs;
using testing::SubmitStream;
using ::testing::UnorderedElementsAre;
using testing::WorkerStream;

const std::vector<std::string> kQueues = {"q0", "q1", "q2", "q3", "q4", "q5"};
const std::vector<std::string> kNames = {"a", "b", "c"};

/// Three frontends that the tests share, and leave as they are.
class ClusterTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (!PostgresServer::IsInstalled()) return;
    cluster_ = std::make_unique<Cluster>(kQueues);
    for (const std::string& name : kNames) cluster_->Add(name);
  }
  static void TearDownTestSuite() { cluster_.reset(); }

  void SetUp() override {
    if (!PostgresServer::IsInstalled()) GTEST_SKIP() << "PostgreSQL is not installed";
    owners_ = cluster_->AwaitOwners();
    queue_ = kQueues[0];
  }

  Member& Owner() { return cluster_->at(owners_.at(queue_)); }
  Member& Other() { return cluster_->at(owners_.at(queue_) == "a" ? "b" : "a"); }
  std::string OtherName() { return owners_.at(queue_) == "a" ? "b" : "a"; }

  /// A worker where the queue is served.
  std::unique_ptr<WorkerStream> Join(std::uint64_t key) {
    auto worker = std::make_unique<WorkerStream>(Owner().frontend().worker_address());
    worker->Join(queue_, key, 1);
    return worker;
  }

  v1::Job AwaitFinished(Member& asked, std::uint64_t id) {
    v1::Job job;
    Cluster::Await("job ends", [&] {
      return asked.Get(id, &job).ok() && job.state() == v1::JOB_STATE_FINISHED;
    });
    return job;
  }

  static std::unique_ptr<Cluster> cluster_;
  std::map<std::string, std::string> owners_;
  std::string queue_;
};

std::unique_ptr<Cluster> ClusterTest::cluster_;

// ---- Who serves what

TEST_F(ClusterTest, QueuesAreSpread) {
  std::set<std::string> names;
  for (const auto& [queue, owner] : owners_) names.insert(owner);
  EXPECT_THAT(names, ElementsAre("a", "b", "c"));
}

TEST_F(ClusterTest, EachFrontendListsAllWithWhatTheySayOfThemselves) {
  for (Member* const member : cluster_->all()) {
    const v1::ListFrontendsReply reply = member->List();
    ASSERT_EQ(reply.frontends_size(), 3);
    EXPECT_EQ(reply.unowned_size(), 0);
    std::map<std::string, std::string> owners;
    for (int i = 0; i < 3; ++i) {
      const v1::Frontend& one = reply.frontends(i);
      EXPECT_EQ(one.name(), kNames[static_cast<std::size_t>(i)]);
      EXPECT_EQ(one.away(), "");
      EXPECT_FALSE(one.draining());
      EXPECT_EQ(one.client_address(), cluster_->at(one.name()).frontend().client_address());
      for (const v1::Partition& partition : one.partitions()) {
        owners[partition.queue()] = one.name();
      }
    }
    EXPECT_EQ(owners, owners_);
  }
}

TEST_F(ClusterTest, QueuesComeInTheOrderOfTheCommandLine) {
  for (Member* const member : cluster_->all()) {
    v1::ListQueuesReply reply;
    ASSERT_TRUE(
        member->Call(member->admin, &v1::Admin::Stub::ListQueues, v1::ListQueuesRequest(), &reply)
            .ok());
    std::vector<std::string> names;
    for (const v1::Queue& queue : reply.queues()) names.push_back(queue.name());
    EXPECT_EQ(names, kQueues);
  }
}

// ---- Calls about queues of others

TEST_F(ClusterTest, AnyFrontendTakesAndFindsAndCancelsJobsOfAnyQueue) {
  for (Member* const member : cluster_->all()) {
    for (const std::string& queue : kQueues) {
      const v1::Job submitted = member->Submit(queue);
      for (Member* const asked : cluster_->all()) {
        v1::Job found;
        ASSERT_TRUE(asked->Get(submitted.id(), &found).ok());
        EXPECT_EQ(found.queue(), queue);
        EXPECT_EQ(found.state(), v1::JOB_STATE_WAITING);
      }
      v1::Job cancelled;
      ASSERT_TRUE(member->Cancel(submitted.id(), &cancelled).ok());
      EXPECT_EQ(cancelled.outcome(), v1::OUTCOME_CANCELLED);
    }
  }
}

TEST_F(ClusterTest, ErrorsOfTheOwnerReachTheCaller) {
  v1::Job job;
  v1::JobOptions options;
  options.set_queue("no such queue");
  EXPECT_EQ(Other().Submit(options, &job).error_code(), StatusCode::NOT_FOUND);
  const v1::Job submitted = Other().Submit(queue_);
  ASSERT_TRUE(Other().Cancel(submitted.id(), &job).ok());
  EXPECT_EQ(Other().Cancel(submitted.id(), &job).error_code(), StatusCode::FAILED_PRECONDITION);
}

TEST_F(ClusterTest, ForwardedCallIsNotForwardedAgain) {
  v1::JobOptions options;
  options.set_queue(queue_);
  v1::Job job;
  const grpc::Status status = Other().Submit(options, &job, true);
  EXPECT_EQ(status.error_code(), StatusCode::UNAVAILABLE);
  EXPECT_THAT(status.error_message(), HasSubstr("another frontend"));
  EXPECT_TRUE(Owner().Submit(options, &job, true).ok());
  EXPECT_EQ(Other().Get(job.id(), &job, true).error_code(), StatusCode::NOT_FOUND);
  EXPECT_TRUE(Owner().Cancel(job.id(), &job).ok());
}

TEST_F(ClusterTest, WorkersOfAllFrontendsAreListed) {
  std::vector<std::unique_ptr<WorkerStream>> workers;
  for (std::size_t i = 0; i < kQueues.size(); ++i) {
    queue_ = kQueues[i];
    workers.push_back(Join(100 + i));
  }
  for (Member* const member : cluster_->all()) {
    v1::ListWorkersReply reply;
    ASSERT_TRUE(
        member->Call(member->admin, &v1::Admin::Stub::ListWorkers, v1::WorkersRequest(), &reply)
            .ok());
    std::set<std::string> pods;
    for (const v1::Worker& worker : reply.workers()) pods.insert(worker.pod());
    EXPECT_THAT(pods, SizeIs(kQueues.size()));
  }
  for (const auto& worker : workers) EXPECT_TRUE(worker->Leave().ok());
}

TEST_F(ClusterTest, AnyFrontendPausesAndResumesAQueue) {
  v1::QueueRequest request;
  request.set_queue(queue_);
  v1::Queue queue;
  ASSERT_TRUE(Other().Call(Other().admin, &v1::Admin::Stub::PauseQueue, request, &queue).ok());
  EXPECT_TRUE(Owner().Queues().at(queue_).paused());
  ASSERT_TRUE(Other().Call(Other().admin, &v1::Admin::Stub::ResumeQueue, request, &queue).ok());
  EXPECT_FALSE(Owner().Queues().at(queue_).paused());
}

TEST_F(ClusterTest, DurableJobOfAnotherFrontendEndsAndIsRequeued) {
  const v1::Job submitted = Other().Submit(queue_, true);
  const auto worker = Join(1);
  const Assigned assigned = worker->assigned.Take();
  EXPECT_EQ(assigned.job, submitted.id());
  worker->Answer(assigned, v1::OUTCOME_FAILED);
  EXPECT_EQ(AwaitFinished(Other(), submitted.id()).outcome(), v1::OUTCOME_FAILED);
  v1::RequeueJobsRequest request;
  request.set_id(submitted.id());
  v1::RequeueJobsReply reply;
  const grpc::Status status =
      Other().Call(Other().clients, &v1::Clients::Stub::RequeueJobs, request, &reply);
  ASSERT_TRUE(status.ok()) << status.error_message();
  ASSERT_EQ(reply.to_size(), 1);
  const Assigned again = worker->assigned.Take();
  EXPECT_EQ(again.job, reply.to(0));
  worker->Answer(again, v1::OUTCOME_SUCCEEDED);
  EXPECT_EQ(AwaitFinished(Other(), reply.to(0)).outcome(), v1::OUTCOME_SUCCEEDED);
  worker->Leave();
}

TEST_F(ClusterTest, JobsOfARunAreCancelledOnAllFrontends) {
  v1::CreateRunRequest create;
  create.mutable_run()->set_id("sweep");
  create.mutable_run()->set_kind("IPerf");
  create.mutable_run()->set_definition("kind: BenchmarkSet\n");
  create.mutable_run()->set_jobs(6);
  create.add_permutations()->set_number(1);
  create.mutable_permutations(0)->set_varied("{}");
  create.set_last(true);
  grpc::ClientContext context;
  v1::CreateRunReply created;
  const auto writer = Other().results->CreateRun(&context, &created);
  writer->Write(create);
  writer->WritesDone();
  const grpc::Status status = writer->Finish();
  ASSERT_TRUE(status.ok()) << status.error_message();
  std::vector<std::uint64_t> ids;
  for (const std::string& queue : kQueues) {
    v1::JobOptions options;
    options.set_queue(queue);
    options.set_durable(true);
    options.set_run("sweep");
    v1::Job job;
    ASSERT_TRUE(Other().Submit(options, &job).ok());
    ids.push_back(job.id());
  }
  v1::CancelRunRequest request;
  request.set_id("sweep");
  v1::CancelRunReply reply;
  const grpc::Status cancelled =
      Owner().Call(Owner().results, &v1::Results::Stub::CancelRun, request, &reply);
  ASSERT_TRUE(cancelled.ok()) << cancelled.error_message();
  EXPECT_EQ(reply.cancelled(), kQueues.size());
  for (const std::uint64_t id : ids) {
    EXPECT_EQ(AwaitFinished(Other(), id).outcome(), v1::OUTCOME_CANCELLED);
  }
}

// ---- Following a job

/// A FollowJob call, update by update.
class FollowStream {
 public:
  FollowStream(Member& asked, std::uint64_t id) {
    v1::FollowJobRequest request;
    request.set_id(id);
    request.set_output(true);
    context_.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(30));
    reader_ = asked.clients->FollowJob(&context_, request);
  }

  /// Reads until the job is so. Output is gathered.
  bool Await(v1::JobState state) {
    v1::JobUpdate update;
    while (reader_->Read(&update)) {
      output += update.output();
      if (update.has_job()) last = update.job();
      if (update.has_job() && last.state() == state) return true;
    }
    return false;
  }
  bool AwaitOutput(const std::string& wanted) {
    v1::JobUpdate update;
    while (output != wanted && reader_->Read(&update)) output += update.output();
    return output == wanted;
  }
  grpc::Status Finish() {
    v1::JobUpdate update;
    while (reader_->Read(&update)) continue;
    return reader_->Finish();
  }
  void Cancel() { context_.TryCancel(); }

  std::string output;
  v1::Job last;

 private:
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReader<v1::JobUpdate>> reader_;
};

v1::WorkerMessage Printed(const Assigned& job, const std::string& text) {
  v1::WorkerMessage message;
  v1::Output& output = *message.add_output();
  output.set_job(job.job);
  output.set_attempt(job.attempt);
  output.set_data(text);
  return message;
}

TEST_F(ClusterTest, JobOfAnotherFrontendIsFollowedToItsEnd) {
  const v1::Job job = Other().Submit(queue_);
  FollowStream follow(Other(), job.id());
  ASSERT_TRUE(follow.Await(v1::JOB_STATE_WAITING));
  const auto worker = Join(1);
  const Assigned assigned = worker->assigned.Take();
  ASSERT_TRUE(follow.Await(v1::JOB_STATE_RUNNING));
  worker->Say(Printed(assigned, "hello"));
  EXPECT_TRUE(follow.AwaitOutput("hello")) << follow.output;
  worker->Answer(assigned, v1::OUTCOME_SUCCEEDED);
  EXPECT_TRUE(follow.Await(v1::JOB_STATE_FINISHED));
  EXPECT_EQ(follow.last.outcome(), v1::OUTCOME_SUCCEEDED);
  EXPECT_TRUE(follow.Finish().ok());
  worker->Leave();
}

TEST_F(ClusterTest, FollowingAJobThatThereIsNotEndsWithTheErrorOfItsOwner) {
  const v1::Job job = Other().Submit(queue_);
  v1::Job cancelled;
  ASSERT_TRUE(Other().Cancel(job.id(), &cancelled).ok());
  FollowStream ended(Other(), job.id());
  EXPECT_TRUE(ended.Await(v1::JOB_STATE_FINISHED)) << "volatile jobs that have ended are kept";
  EXPECT_TRUE(ended.Finish().ok());
  EXPECT_EQ(FollowStream(Other(), job.id() + 1).Finish().error_code(), StatusCode::NOT_FOUND);
}

TEST_F(ClusterTest, FollowerThatGoesAwayIsForgottenByTheOwner) {
  const v1::Job job = Other().Submit(queue_);
  FollowStream follow(Other(), job.id());
  ASSERT_TRUE(follow.Await(v1::JOB_STATE_WAITING));
  follow.Cancel();
  EXPECT_EQ(follow.Finish().error_code(), StatusCode::CANCELLED);
  v1::Job cancelled;
  EXPECT_TRUE(Other().Cancel(job.id(), &cancelled).ok());
}

// ---- Admin

TEST_F(ClusterTest, QueueIsMovedByWhomeverIsAsked) {
  const std::string target = OtherName();
  const auto asked = std::find_if(kNames.begin(), kNames.end(), [&](const std::string& name) {
    return name != target && name != owners_.at(queue_);
  });
  const grpc::Status status = cluster_->Move(cluster_->at(*asked), queue_, target);
  ASSERT_TRUE(status.ok()) << status.error_message();
  cluster_->AwaitOwners([&](auto& owners) { return owners.at(queue_) == target; });
  const v1::Job job = cluster_->at("c").Submit(queue_);
  v1::Job cancelled;
  EXPECT_TRUE(cluster_->at("a").Cancel(job.id(), &cancelled).ok());
}

TEST_F(ClusterTest, MovesThatCannotBeAreRefused) {
  EXPECT_EQ(cluster_->Move(Other(), queue_, "nobody").error_code(),
            StatusCode::FAILED_PRECONDITION);
  EXPECT_EQ(cluster_->Move(Other(), "no such queue", "a").error_code(), StatusCode::NOT_FOUND);
  EXPECT_EQ(cluster_->AwaitOwners().at(queue_), owners_.at(queue_));
}

TEST_F(ClusterTest, LossIsAcceptedOnlyIfThereIsOne) {
  v1::AcceptLossRequest request;
  v1::ListFrontendsReply reply;
  const auto accept = [&](const std::string& queue) {
    request.set_queue(queue);
    return Other().Call(Other().frontends, &v1::Frontends::Stub::AcceptLoss, request, &reply);
  };
  EXPECT_EQ(accept(queue_).error_code(), StatusCode::FAILED_PRECONDITION);
  EXPECT_EQ(accept("no such queue").error_code(), StatusCode::NOT_FOUND);
}

// ---- Streams

TEST_F(ClusterTest, StreamsThatComeToTheWrongFrontendAreSentOn) {
  SubmitStream client(Other().frontend().client_address());
  client.Submit(queue_, 7);
  const v1::Moved moved = client.moved.Take();
  EXPECT_EQ(moved.queue(), queue_);
  EXPECT_THAT(moved.tags(), ElementsAre(7));
  ASSERT_EQ(moved.shards_size(), 1);
  EXPECT_EQ(moved.shards(0).client_address(), Owner().frontend().client_address());
  EXPECT_GT(moved.epoch(), 0U);

  WorkerStream worker(Other().frontend().worker_address());
  worker.SayHello(queue_, 1, 1);
  const v1::Moved where = worker.moved.Take();
  ASSERT_EQ(where.shards_size(), 1);
  EXPECT_EQ(where.shards(0).worker_address(), Owner().frontend().worker_address());
  EXPECT_TRUE(worker.End().ok());
}

TEST_F(ClusterTest, CallerThatKnowsANewerEpochIsHeldUntilItIsKnownHere) {
  const std::uint64_t epoch = Owner().Queues().at(queue_).epoch();
  v1::JobOptions options;
  options.set_queue(queue_);
  SubmitStream client(Other().frontend().client_address());
  client.Submit(options, 7, "", epoch + 1);
  const std::string target = "c" == owners_.at(queue_) ? OtherName() : "c";
  ASSERT_TRUE(cluster_->Move(Owner(), queue_, target).ok());
  const v1::Moved moved = client.moved.Take();
  EXPECT_GT(moved.epoch(), epoch);
  EXPECT_THAT(moved.tags(), ElementsAre(7));
  ASSERT_EQ(moved.shards_size(), 1);
  EXPECT_EQ(moved.shards(0).client_address(), cluster_->at(target).frontend().client_address());
}

TEST_F(ClusterTest, MoveGivesBackWhatWaitsAndLetsEndWhatRuns) {
  SubmitStream client(Owner().frontend().client_address());
  const auto worker = Join(1);
  client.Submit(queue_, 1);
  const Assigned runs = worker->assigned.Take();
  client.Submit(queue_, 2);
  Cluster::Await("job 2 waits", [&] { return Owner().Queues().at(queue_).waiting() == 1; });

  const std::string target = OtherName();
  ASSERT_TRUE(cluster_->Move(Owner(), queue_, target).ok());
  const v1::Moved moved = client.moved.Take();
  EXPECT_THAT(moved.tags(), ElementsAre(2));
  ASSERT_EQ(moved.shards_size(), 1);
  EXPECT_EQ(moved.shards(0).client_address(), cluster_->at(target).frontend().client_address())
      << "from " << owners_.at(queue_) << " to " << target << ": " << moved.ShortDebugString();
  SubmitStream next(moved.shards(0).client_address());
  v1::JobOptions options;
  options.set_queue(queue_);
  next.Submit(options, 2, "", moved.epoch());

  EXPECT_TRUE(worker->moved.empty()) << "it still has a job to end";
  worker->Answer(runs, v1::OUTCOME_SUCCEEDED);
  EXPECT_EQ(client.results.Take().tag, 1U);
  const v1::Moved where = worker->moved.Take();
  ASSERT_EQ(where.shards_size(), 1);
  EXPECT_TRUE(worker->End().ok());
  WorkerStream follower(where.shards(0).worker_address());
  follower.SayHello(queue_, 1, 1, {}, where.epoch());
  const Assigned again = follower.assigned.Take();
  follower.Answer(again, v1::OUTCOME_SUCCEEDED);
  EXPECT_EQ(next.results.Take().tag, 2U);
  client.HalfClose();
  EXPECT_TRUE(client.End().ok());
  EXPECT_TRUE(next.moved.empty());
  follower.Leave();
}

TEST_F(ClusterTest, DurableJobsAreThereAfterAMoveAndTheirWorkerBringsItsResult) {
  const v1::Job waits = Other().Submit(queue_, true);
  const auto worker = Join(1);
  const Assigned runs = worker->assigned.Take();
  const std::string target = OtherName();
  ASSERT_TRUE(cluster_->Move(Owner(), queue_, target).ok());
  const v1::Moved where = worker->moved.Take();
  EXPECT_TRUE(worker->End().ok());
  ASSERT_EQ(where.shards_size(), 1);
  WorkerStream follower(where.shards(0).worker_address());
  follower.SayHello(queue_, 1, 1, {runs}, where.epoch());
  follower.welcomes.Take();
  follower.Answer(runs, v1::OUTCOME_SUCCEEDED);
  const v1::Job ended = AwaitFinished(cluster_->at("c"), waits.id());
  EXPECT_EQ(ended.outcome(), v1::OUTCOME_SUCCEEDED);
  EXPECT_EQ(ended.attempts(), 1U);
  follower.Leave();
}

// ---- Frontends that come and go

class ClustersTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!PostgresServer::IsInstalled()) GTEST_SKIP() << "PostgreSQL is not installed";
  }
};

TEST_F(ClustersTest, JobsOfAQueueThatNobodyServesAreHeldUntilSomebodyDoes) {
  Cluster cluster({"sleep"});
  Member& only = cluster.Add("a");
  SubmitStream client(only.frontend().client_address());
  client.Submit("sleep", 1);  // a queue that never had an owner is left alone for a while
  const v1::Moved moved = client.moved.Take();
  EXPECT_THAT(moved.tags(), ElementsAre(1));
  cluster.AwaitOwners();
  if (moved.shards_size() == 0) return;  // patience is as long as that
  EXPECT_EQ(moved.shards(0).client_address(), only.frontend().client_address());
}

TEST_F(ClustersTest, DrainedFrontendHandsAllOverAndTakesNothingBack) {
  Cluster cluster(kQueues);
  for (const char* const name : {"a", "b"}) cluster.Add(name);
  const auto before = cluster.AwaitOwners([](auto& owners) {
    return std::any_of(owners.begin(), owners.end(), [](auto& one) { return one.second == "a"; });
  });
  v1::DrainFrontendRequest request;
  request.set_frontend("a");
  v1::ListFrontendsReply reply;
  Member& asked = cluster.at("b");
  ASSERT_TRUE(
      asked.Call(asked.frontends, &v1::Frontends::Stub::DrainFrontend, request, &reply).ok());
  cluster.AwaitOwners([](auto& owners) {
    return std::all_of(owners.begin(), owners.end(), [](auto& one) { return one.second == "b"; });
  });
  Cluster::Await("b knows that a drains", [&] {
    const v1::ListFrontendsReply seen = asked.List();
    return seen.frontends_size() == 2 && seen.frontends(0).draining();
  });
  EXPECT_EQ(cluster.Move(asked, kQueues[0], "a").error_code(), StatusCode::FAILED_PRECONDITION);
  request.set_frontend("nobody");
  EXPECT_EQ(asked.Call(asked.frontends, &v1::Frontends::Stub::DrainFrontend, request, &reply)
                .error_code(),
            StatusCode::NOT_FOUND);
}

TEST_F(ClustersTest, FrontendThatEndsLeavesItsJobsToTheOther) {
  Cluster cluster(kQueues);
  for (const char* const name : {"a", "b"}) cluster.Add(name);
  cluster.AwaitOwners();
  std::vector<std::uint64_t> ids;
  for (const std::string& queue : kQueues) ids.push_back(cluster.at("b").Submit(queue, true).id());
  cluster.Remove("a");
  cluster.AwaitOwners();
  for (const std::uint64_t id : ids) {
    v1::Job job;
    ASSERT_TRUE(cluster.at("b").Get(id, &job).ok());
    EXPECT_EQ(job.state(), v1::JOB_STATE_WAITING);
  }
  std::set<std::uint64_t> all(ids.begin(), ids.end());
  for (const std::string& queue : kQueues) all.insert(cluster.at("b").Submit(queue, true).id());
  EXPECT_THAT(all, SizeIs(2 * kQueues.size())) << "no id is given out twice";
}

TEST_F(ClustersTest, FrontendsCallEachOtherByTlsWithTheTokenOfTheCaller) {
  const testing::TempDir folder;
  const testing::Authority authority;
  const testing::KeyPair pair = authority.Issue("frontend");
  const auto file = [&](const char* name, const std::string& text) {
    testing::WriteFile(folder / name, text);
    return folder / name;
  };
  const std::string ca = file("ca.crt", authority.cert());
  const std::string cert = file("tls.crt", pair.cert);
  const std::string key = file("tls.key", pair.key);
  const std::string tokens = file("tokens",
                                  "client load client-client-client\n"
                                  "admin root admin-admin-admin-admin\n");
  const auto peer = [&](const char* name, const char* token) {
    return security::Client::Open(
               {{.prefix = "", .cert = "", .key = "", .ca = ca}, "", file(name, token)})
        .value();
  };
  Cluster cluster(
      kQueues,
      [&](Options& options) {
        options.security.cert = cert;
        options.security.key = key;
        options.security.token_file = tokens;
        options.peers_ca = ca;
      },
      peer("admin", "admin-admin-admin-admin"));
  for (const char* const name : {"a", "b"}) cluster.Add(name);
  cluster.AwaitOwners();
  for (const std::string& queue : kQueues) {
    for (Member* const member : cluster.all()) member->Submit(queue);
  }
  // Whom one of them refuses, none serves.
  const auto stub = v1::Admin::NewStub(rpc::Connect(cluster.at("a").frontend().client_address(),
                                                    peer("client", "client-client-client")));
  grpc::ClientContext context;
  rpc::Authorize(context, peer("client", "client-client-client"));
  v1::ListQueuesReply reply;
  EXPECT_EQ(stub->ListQueues(&context, {}, &reply).error_code(), StatusCode::PERMISSION_DENIED);
}

TEST_F(ClustersTest, FrontendWithTlsNeedsTheCaOfTheOthers) {
  const testing::TempDir folder;
  const testing::Authority authority;
  const testing::KeyPair pair = authority.Issue("frontend");
  testing::WriteFile(folder / "tls.crt", pair.cert);
  testing::WriteFile(folder / "tls.key", pair.key);
  Options options;
  options.queues = kQueues;
  options.storage.url = PostgresServer::Shared().NewDatabase();
  options.client_address = options.worker_address = options.http_address = "127.0.0.1:0";
  options.security.cert = folder / "tls.crt";
  options.security.key = folder / "tls.key";
  const Status status = Frontend::Start(options).status();
  EXPECT_TRUE(absl::IsInvalidArgument(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("--peers-tls-ca"));
}

}  // namespace
}  // namespace twofold::frontend
