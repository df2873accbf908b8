// Several whole frontends on one database: any of them answers for all queues.

#include <algorithm>
#include <set>
#include <thread>

#include "tests/frontend/cluster_fixture.h"

namespace twofold::frontend {
namespace {

/// What a stream of updates says first. A member that does not know yet who serves the queue now
/// may say "ask again".
v1::Job FollowFor(Member& asked, std::uint64_t id) {
  v1::FollowJobRequest request;
  request.set_id(id);
  v1::JobUpdate update;
  Cluster::Await("the job is followed", [&] {
    grpc::ClientContext context;
    const auto stream = asked.clients->FollowJob(&context, request);
    const bool came = stream->Read(&update);
    if (came) context.TryCancel();
    return stream->Finish().error_code() != grpc::StatusCode::UNAVAILABLE;
  });
  return update.job();
}

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

TEST_F(ClusterTest, WaitingJobThatNoStreamOwnsKeepsItsIdWhenItsQueueMoves) {
  v1::JobOptions options;
  options.set_queue(queue_);
  v1::Job submitted;
  v1::Job cancelled;
  ASSERT_TRUE(Other().Submit(options, &submitted).ok());
  ASSERT_TRUE(Other().Submit(options, &cancelled).ok());
  const std::string target = OtherName();
  ASSERT_TRUE(cluster_->Move(Other(), queue_, target).ok());
  for (Member* const member : cluster_->all()) {
    v1::Job found;
    const grpc::Status status = member->Get(submitted.id(), &found);
    ASSERT_TRUE(status.ok()) << status.error_message();
    EXPECT_EQ(found.state(), v1::JOB_STATE_WAITING);
  }
  owners_ = cluster_->AwaitOwners([&](auto& owners) { return owners.at(queue_) == target; });
  EXPECT_TRUE(Other().Cancel(cancelled.id(), &cancelled).ok());
  const auto worker = Join(71);
  const Assigned assigned = worker->assigned.Take();
  EXPECT_EQ(assigned.job, submitted.id());
  worker->Answer(assigned, v1::OUTCOME_SUCCEEDED);
  EXPECT_EQ(AwaitFinished(Other(), submitted.id()).outcome(), v1::OUTCOME_SUCCEEDED);
  worker->Leave();
}

TEST_F(ClusterTest, RunningJobThatNoStreamOwnsIsKnownWhereItIsWhenItsQueueHasMoved) {
  const auto worker = Join(73);
  const std::uint64_t id = Other().Submit(queue_).id();
  const Assigned assigned = worker->assigned.Take();
  const std::uint64_t other = Other().Submit(queue_).id();
  const std::string target = OtherName();
  ASSERT_TRUE(cluster_->Move(Other(), queue_, target).ok());
  cluster_->AwaitOwners([&](auto& owners) { return owners.at(queue_) == target; });
  v1::Job job;
  EXPECT_TRUE(Other().Cancel(other, &job).ok());
  for (Member* const member : cluster_->all()) {
    const grpc::Status status = member->Get(id, &job);
    EXPECT_TRUE(status.ok()) << status.error_message();
    EXPECT_EQ(job.state(), v1::JOB_STATE_RUNNING);
    EXPECT_EQ(FollowFor(*member, id).state(), v1::JOB_STATE_RUNNING);
  }
  EXPECT_TRUE(cluster_->at("a").Cancel(id, &job).ok());
  EXPECT_EQ(worker->cancelled.Take().job, id);
  worker->Answer(assigned, v1::OUTCOME_CANCELLED);
  for (Member* const member : cluster_->all()) {
    EXPECT_EQ(AwaitFinished(*member, id).outcome(), v1::OUTCOME_CANCELLED);
    EXPECT_EQ(FollowFor(*member, id).outcome(), v1::OUTCOME_CANCELLED);
    EXPECT_EQ(member->Cancel(id, &job).error_code(), StatusCode::FAILED_PRECONDITION);
    const std::uint64_t unknown = id + (std::uint64_t{1} << 33);  // of its place in the table
    EXPECT_EQ(member->Get(unknown, &job).error_code(), StatusCode::NOT_FOUND);
  }
  worker->Leave();
}

TEST_F(ClusterTest, CallThatWaitsForAJobOfNoStreamIsAnsweredThroughAMove) {
  v1::SubmitJobRequest request;
  request.mutable_options()->set_queue(queue_);
  request.set_wait(true);
  v1::Job ended;
  grpc::Status status;
  std::thread waits([&, &owner = Owner()] {
    status = owner.Call(owner.clients, &v1::Clients::Stub::SubmitJob, request, &ended);
  });
  Cluster::Await("the job waits", [&] { return Owner().Queues().at(queue_).waiting() == 1; });
  const std::string target = OtherName();
  ASSERT_TRUE(cluster_->Move(Other(), queue_, target).ok());
  owners_ = cluster_->AwaitOwners([&](auto& owners) { return owners.at(queue_) == target; });
  const auto worker = Join(72);
  worker->Answer(worker->assigned.Take(), v1::OUTCOME_SUCCEEDED);
  waits.join();
  EXPECT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(ended.outcome(), v1::OUTCOME_SUCCEEDED);
  worker->Leave();
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
