// Several whole frontends on one database: any of them answers for all queues.

#include <algorithm>
#include <future>
#include <optional>
#include <set>

#include "tests/frontend/cluster_fixture.h"

namespace twofold::frontend {
namespace {

/// What a stream of updates says first. A member that does not know yet who serves the queue now
/// may say "ask again".
v1::Job FollowFor(Member& asked, std::uint64_t id) {
  v1::FollowJobRequest request;
  request.set_id(id);
  std::optional<v1::JobUpdate> update;
  Cluster::Await("the job is followed", [&] {
    const auto call = asked.caller().Ask<v1::JobUpdate>("Clients/FollowJob", request);
    update = call->Next();
    return !absl::IsUnavailable(call->Break());
  });
  return update.value_or(v1::JobUpdate()).job();
}

using absl::IsFailedPrecondition;
using absl::IsNotFound;
using testing::Assigned;
using ::testing::ElementsAre;
using testing::Good;
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
    const auto reply =
        Good(member->Call<v1::ListQueuesReply>("Admin/ListQueues", v1::ListQueuesRequest()));
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
        const v1::Job found = Good(asked->Get(submitted.id()));
        EXPECT_EQ(found.queue(), queue);
        EXPECT_EQ(found.state(), v1::JOB_STATE_WAITING);
      }
      EXPECT_EQ(Good(member->Cancel(submitted.id())).outcome(), v1::OUTCOME_CANCELLED);
    }
  }
}

TEST_F(ClusterTest, ErrorsOfTheOwnerReachTheCaller) {
  v1::JobOptions options;
  options.set_queue("no such queue");
  EXPECT_TRUE(IsNotFound(Other().Submit(options).status()));
  const v1::Job submitted = Other().Submit(queue_);
  ASSERT_TRUE(Other().Cancel(submitted.id()).ok());
  EXPECT_TRUE(IsFailedPrecondition(Other().Cancel(submitted.id()).status()));
}

TEST_F(ClusterTest, CallThatWasPassedOnThreeTimesIsPassedOnNoMore) {
  v1::JobOptions options;
  options.set_queue(queue_);
  const Status status = Other().Submit(options, true).status();
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
  EXPECT_THAT(status.message(), HasSubstr("another frontend"));
  const v1::Job job = Good(Owner().Submit(options, true));
  EXPECT_TRUE(IsNotFound(Other().Get(job.id(), true).status()));
  EXPECT_TRUE(Owner().Cancel(job.id()).ok());
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
    const auto reply = Good(member->Call<v1::ListWorkersReply>("Admin/ListWorkers", request));
    std::set<std::string> pods;
    for (const v1::Worker& worker : reply.workers()) pods.insert(worker.pod());
    EXPECT_THAT(pods, SizeIs(kQueues.size()));
  }
  for (const auto& worker : workers) EXPECT_TRUE(worker->Leave().ok());
}

TEST_F(ClusterTest, AnyFrontendPausesAndResumesAQueue) {
  ASSERT_TRUE(Other().Do("PauseQueue", queue_).ok());
  EXPECT_TRUE(Owner().Queues().at(queue_).paused());
  ASSERT_TRUE(Other().Do("ResumeQueue", queue_).ok());
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
  const auto reply = Good(Other().Call<v1::RequeueJobsReply>("Clients/RequeueJobs", request));
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
  ASSERT_TRUE(Other().caller().Call<v1::CreateRunReply>("Results/CreateRun", create).ok());
  std::vector<std::uint64_t> ids;
  for (const std::string& queue : kQueues) {
    v1::JobOptions options;
    options.set_queue(queue);
    options.set_durable(true);
    options.set_run("sweep");
    ids.push_back(Good(Other().Submit(options)).id());
  }
  v1::CancelRunRequest request;
  request.set_id("sweep");
  EXPECT_EQ(Good(Owner().Call<v1::CancelRunReply>("Results/CancelRun", request)).cancelled(),
            kQueues.size());
  for (const std::uint64_t id : ids) {
    EXPECT_EQ(AwaitFinished(Other(), id).outcome(), v1::OUTCOME_CANCELLED);
  }
  v1::RequeueJobsRequest requeue;
  requeue.set_run("sweep");
  const auto all_again = [&] {
    return Good(Other().Call<v1::RequeueJobsReply>("Clients/RequeueJobs", requeue));
  };
  const v1::RequeueJobsReply requeued = all_again();
  EXPECT_EQ(requeued.next_page_token(), "");
  EXPECT_THAT(requeued.from(), UnorderedElementsAreArray(ids));
  EXPECT_EQ(all_again().to_size(), 0) << "all are requeued";
  for (const std::uint64_t id : requeued.to()) EXPECT_TRUE(Other().Cancel(id).ok());
}

// ---- Admin

TEST_F(ClusterTest, QueueIsMovedByWhomeverIsAsked) {
  const std::string target = OtherName();
  const auto asked = std::find_if(kNames.begin(), kNames.end(), [&](const std::string& name) {
    return name != target && name != owners_.at(queue_);
  });
  ASSERT_EQ(cluster_->Move(cluster_->at(*asked), queue_, target), absl::OkStatus());
  cluster_->AwaitOwners([&](auto& owners) { return owners.at(queue_) == target; });
  const v1::Job job = cluster_->at("c").Submit(queue_);
  EXPECT_TRUE(cluster_->at("a").Cancel(job.id()).ok());
}

TEST_F(ClusterTest, WaitingJobThatNoStreamOwnsKeepsItsIdWhenItsQueueMoves) {
  v1::JobOptions options;
  options.set_queue(queue_);
  const v1::Job submitted = Good(Other().Submit(options));
  const v1::Job cancelled = Good(Other().Submit(options));
  const std::string target = OtherName();
  ASSERT_TRUE(cluster_->Move(Other(), queue_, target).ok());
  for (Member* const member : cluster_->all()) {
    EXPECT_EQ(Good(member->Get(submitted.id())).state(), v1::JOB_STATE_WAITING);
  }
  owners_ = cluster_->AwaitOwners([&](auto& owners) { return owners.at(queue_) == target; });
  EXPECT_TRUE(Other().Cancel(cancelled.id()).ok());
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
  EXPECT_TRUE(Other().Cancel(other).ok());
  for (Member* const member : cluster_->all()) {
    EXPECT_EQ(Good(member->Get(id)).state(), v1::JOB_STATE_RUNNING);
    EXPECT_EQ(FollowFor(*member, id).state(), v1::JOB_STATE_RUNNING);
  }
  EXPECT_TRUE(cluster_->at("a").Cancel(id).ok());
  EXPECT_EQ(worker->cancelled.Take().job, id);
  worker->Answer(assigned, v1::OUTCOME_CANCELLED);
  for (Member* const member : cluster_->all()) {
    EXPECT_EQ(AwaitFinished(*member, id).outcome(), v1::OUTCOME_CANCELLED);
    EXPECT_EQ(FollowFor(*member, id).outcome(), v1::OUTCOME_CANCELLED);
    EXPECT_TRUE(IsFailedPrecondition(member->Cancel(id).status()));
    const std::uint64_t unknown = id + (std::uint64_t{1} << 33);  // of its place in the table
    EXPECT_TRUE(IsNotFound(member->Get(unknown).status()));
  }
  worker->Leave();
}

TEST_F(ClusterTest, CallThatWaitsForAJobOfNoStreamIsAnsweredThroughAMove) {
  v1::SubmitJobRequest request;
  request.mutable_options()->set_queue(queue_);
  request.set_wait(true);
  auto waits = std::async(std::launch::async, [&, &owner = Owner()] {
    return owner.Call<v1::Job>("Clients/SubmitJob", request);
  });
  Cluster::Await("the job waits", [&] { return Owner().Queues().at(queue_).waiting() == 1; });
  const std::string target = OtherName();
  ASSERT_TRUE(cluster_->Move(Other(), queue_, target).ok());
  owners_ = cluster_->AwaitOwners([&](auto& owners) { return owners.at(queue_) == target; });
  const auto worker = Join(72);
  worker->Answer(worker->assigned.Take(), v1::OUTCOME_SUCCEEDED);
  EXPECT_EQ(Good(waits.get()).outcome(), v1::OUTCOME_SUCCEEDED);
  worker->Leave();
}

TEST_F(ClusterTest, MovesThatCannotBeAreRefused) {
  EXPECT_TRUE(IsFailedPrecondition(cluster_->Move(Other(), queue_, "nobody")));
  EXPECT_TRUE(IsNotFound(cluster_->Move(Other(), "no such queue", "a")));
  EXPECT_EQ(cluster_->AwaitOwners().at(queue_), owners_.at(queue_));
}

TEST_F(ClusterTest, LossIsAcceptedOnlyIfThereIsOne) {
  const auto accept = [&](const std::string& queue) {
    v1::AcceptLossRequest request;
    request.set_queue(queue);
    return Other().Call<v1::ListFrontendsReply>("Frontends/AcceptLoss", request).status();
  };
  EXPECT_TRUE(IsFailedPrecondition(accept(queue_)));
  EXPECT_TRUE(IsNotFound(accept("no such queue")));
}

}  // namespace
}  // namespace twofold::frontend
