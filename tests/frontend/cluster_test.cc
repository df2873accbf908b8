// Several whole frontends on one database: any of them answers for all queues.

#include <algorithm>
#include <set>

#include "tests/frontend/cluster_fixture.h"

namespace twofold::frontend {
namespace {

using grpc::StatusCode;
using testing::Assigned;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAreArray;
using testing::WorkerStream;

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

TEST_F(ClusterTest, CallThatWasPassedOnThreeTimesIsPassedOnNoMore) {
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
  v1::WorkersRequest request;
  request.set_pod("pod-10?");  // others may be within their grace period
  for (Member* const member : cluster_->all()) {
    v1::ListWorkersReply reply;
    ASSERT_TRUE(member->Call(member->admin, &v1::Admin::Stub::ListWorkers, request, &reply).ok());
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

TEST_F(ClusterTest, JobsOfARunAreCancelledAndRequeuedOnAllFrontends) {
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
  v1::RequeueJobsRequest requeue;
  requeue.set_run("sweep");
  v1::RequeueJobsReply requeued;
  const auto all_again = [&] {
    return Other().Call(Other().clients, &v1::Clients::Stub::RequeueJobs, requeue, &requeued);
  };
  const grpc::Status again = all_again();
  ASSERT_TRUE(again.ok()) << again.error_message();
  EXPECT_EQ(requeued.next_page_token(), "");
  EXPECT_THAT(requeued.from(), UnorderedElementsAreArray(ids));
  const v1::RequeueJobsReply first = requeued;
  ASSERT_TRUE(all_again().ok());
  EXPECT_EQ(requeued.to_size(), 0) << "all are requeued";
  for (const std::uint64_t id : first.to()) {
    v1::Job job;
    EXPECT_TRUE(Other().Cancel(id, &job).ok());
  }
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

}  // namespace
}  // namespace twofold::frontend
