// Streams and followers of several whole frontends on one database, also when queues move.

#include <algorithm>

#include "tests/frontend/cluster_fixture.h"

namespace twofold::frontend {
namespace {

using testing::Assigned;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::SubmitStream;
using testing::WorkerStream;

// ---- Following a job

/// A FollowJob call, update by update.
class FollowStream {
 public:
  FollowStream(Member& asked, std::uint64_t id) {
    v1::FollowJobRequest request;
    request.set_id(id);
    request.set_output(true);
    call_ = asked.caller().Ask<v1::JobUpdate>("Clients/FollowJob", request);
  }

  /// Reads until the job is so. Output is gathered.
  bool Await(v1::JobState state) {
    while (const auto update = call_->Next()) {
      output += update->output();
      if (update->has_job()) last = update->job();
      if (update->has_job() && last.state() == state) return true;
    }
    return false;
  }
  bool AwaitOutput(const std::string& wanted) {
    while (output != wanted) {
      const auto update = call_->Next();
      if (!update) return false;
      output += update->output();
    }
    return true;
  }
  Status Finish() { return call_->End(); }
  Status Break() { return call_->Break(); }

  std::string output;
  v1::Job last;

 private:
  std::unique_ptr<testing::OpenCall<v1::FollowJobRequest, v1::JobUpdate>> call_;
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
  ASSERT_TRUE(Other().Cancel(job.id()).ok());
  FollowStream ended(Other(), job.id());
  EXPECT_TRUE(ended.Await(v1::JOB_STATE_FINISHED)) << "volatile jobs that have ended are kept";
  EXPECT_TRUE(ended.Finish().ok());
  EXPECT_TRUE(absl::IsNotFound(FollowStream(Other(), job.id() + 1).Finish()));
}

TEST_F(ClusterTest, FollowerThatGoesAwayIsForgottenByTheOwner) {
  const v1::Job job = Other().Submit(queue_);
  const auto worker = Join(1);
  const Assigned assigned = worker->assigned.Take();
  FollowStream follow(Other(), job.id());
  ASSERT_TRUE(follow.Await(v1::JOB_STATE_RUNNING));
  EXPECT_TRUE(worker->followed.Take());
  EXPECT_TRUE(absl::IsCancelled(follow.Break()));
  EXPECT_FALSE(worker->followed.Take());
  worker->Answer(assigned, v1::OUTCOME_SUCCEEDED);
  worker->Leave();
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
  const auto next = SubmitWhereItIs(moved, 2);
  ASSERT_NE(next, nullptr);

  EXPECT_TRUE(worker->moved.empty()) << "it still has a job to end";
  worker->Answer(runs, v1::OUTCOME_SUCCEEDED);
  EXPECT_EQ(client.results.Take().tag, 1U);
  const v1::Moved where = worker->moved.Take();
  ASSERT_EQ(where.shards_size(), 1);
  EXPECT_TRUE(worker->End().ok());
  const auto follower = Follow(where, 1);
  const Assigned again = follower->assigned.Take();
  follower->Answer(again, v1::OUTCOME_SUCCEEDED);
  EXPECT_EQ(next->results.Take().tag, 2U);
  client.HalfClose();
  EXPECT_TRUE(client.End().ok());
  EXPECT_TRUE(next->moved.empty());
  follower->Leave();
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
  const auto follower = Follow(where, 1, {runs});
  follower->Answer(runs, v1::OUTCOME_SUCCEEDED);
  const v1::Job ended = AwaitFinished(cluster_->at("c"), waits.id());
  EXPECT_EQ(ended.outcome(), v1::OUTCOME_SUCCEEDED);
  EXPECT_EQ(ended.attempts(), 1U);
  follower->Leave();
}

TEST_F(ClusterTest, QueueThatIsPausedAndDrainsDoesSoAfterAMove) {
  for (const char* const change : {"PauseQueue", "DrainQueue"}) {
    ASSERT_TRUE(Other().Do(change, queue_).ok());
  }
  const std::string source = owners_.at(queue_);
  for (const std::string& target : {OtherName(), source}) {
    ASSERT_TRUE(cluster_->Move(Owner(), queue_, target).ok());
    owners_ = cluster_->AwaitOwners([&](auto& owners) { return owners.at(queue_) == target; });
    const v1::Queue queue = Owner().Queues().at(queue_);
    EXPECT_EQ(queue.paused(), target != source);
    EXPECT_EQ(queue.draining(), target != source);
    ASSERT_TRUE(Other().Do("ResumeQueue", queue_).ok());
  }
}

TEST_F(ClusterTest, StreamAwaitsItsDurableJobsAlsoThoseThatHaveMoved) {
  const auto neighbour = std::find_if(kQueues.begin(), kQueues.end(), [&](const auto& queue) {
    return queue != queue_ && owners_.at(queue) == owners_.at(queue_);
  });
  ASSERT_NE(neighbour, kQueues.end()) << "each of three frontends has two of the six queues";
  SubmitStream client(Owner().frontend().client_address());
  v1::JobOptions options;
  options.set_durable(true);
  options.set_queue(queue_);
  client.Submit(options, 1);
  const std::uint64_t moves = client.accepted.Take().job;
  options.set_queue(*neighbour);
  client.Submit(options, 2);
  const std::uint64_t stays = client.accepted.Take().job;
  client.HalfClose();
  const std::string source = owners_.at(queue_);
  const std::string target = OtherName();
  ASSERT_TRUE(cluster_->Move(Owner(), queue_, target).ok());
  cluster_->AwaitOwners([&](auto& owners) { return owners.at(queue_) == target; });
  EXPECT_TRUE(client.ended.empty());
  ASSERT_TRUE(cluster_->at(source).Cancel(stays).ok());
  EXPECT_EQ(client.results.Take().tag, 2U);
  EXPECT_TRUE(client.ended.empty());
  EXPECT_TRUE(cluster_->at(source).Cancel(moves).ok());
  EXPECT_EQ(client.results.Take().tag, 1U);
  EXPECT_TRUE(client.End().ok());
}

// ---- Waiting for the end of a job

/// A SubmitJob call that waits for the end.
std::unique_ptr<testing::OpenCall<v1::SubmitJobRequest, v1::Job>> SubmitAndWait(
    Member& asked, const std::string& queue) {
  v1::SubmitJobRequest request;
  request.mutable_options()->set_queue(queue);
  request.mutable_options()->set_durable(true);
  request.set_wait(true);
  return asked.caller().Ask<v1::Job>("Clients/SubmitJob", request,
                                     {.patience = std::chrono::seconds(60)});
}

TEST_F(ClusterTest, WhoWaitsForADurableJobIsAnsweredThoughItsQueueMoves) {
  const auto here = SubmitAndWait(Owner(), queue_);
  const auto passed_on = SubmitAndWait(Other(), queue_);
  Cluster::Await("both wait", [&] { return Owner().Queues().at(queue_).waiting() == 2; });
  const std::string source = owners_.at(queue_);
  for (const std::string& target : {OtherName(), source}) {
    ASSERT_TRUE(cluster_->Move(Owner(), queue_, target).ok());
    owners_ = cluster_->AwaitOwners([&](auto& owners) { return owners.at(queue_) == target; });
    const auto worker = Join(1);
    const Assigned assigned = worker->assigned.Take();
    worker->Answer(assigned, v1::OUTCOME_SUCCEEDED);
    worker->Leave();
    AwaitFinished(Other(), assigned.job);
  }
  for (auto* const call : {here.get(), passed_on.get()}) {
    EXPECT_EQ(call->Next().value_or(v1::Job()).outcome(), v1::OUTCOME_SUCCEEDED);
    EXPECT_EQ(call->End(), absl::OkStatus());
  }
}

// ---- Looking after a run

/// An AttendRun call.
class Attending {
 public:
  Attending(Member& asked, const std::string& run, const std::string& queue,
            const std::string& who) {
    v1::AttendRunRequest request;
    request.set_id(run);
    request.set_queue(queue);
    request.set_who(who);
    call_ = asked.caller().Ask<v1::AttendRunReply>("Results/AttendRun", request);
    has_it = call_->Next().has_value();
  }

  Status End() { return call_->End(); }

  bool has_it = false;

 private:
  std::unique_ptr<testing::OpenCall<v1::AttendRunRequest, v1::AttendRunReply>> call_;
};

TEST_F(ClusterTest, OneAttendsARunWhomeverIsAsked) {
  auto first = std::make_unique<Attending>(Other(), "run-1", queue_, "first");
  EXPECT_TRUE(first->has_it);
  for (Member* const member : cluster_->all()) {
    Attending second(*member, "run-1", queue_, "second");
    EXPECT_FALSE(second.has_it);
    const Status status = second.End();
    EXPECT_TRUE(absl::IsAlreadyExists(status)) << status;
    EXPECT_THAT(status.message(), HasSubstr("looked after by first"));
  }
  EXPECT_TRUE(Attending(Owner(), "run-2", queue_, "second").has_it) << "another run is free";
  first.reset();
  Cluster::Await("run-1 is free",
                 [&] { return Attending(Owner(), "run-1", queue_, "second").has_it; });
}

TEST_F(ClusterTest, WhoAttendsARunIsToldThatItsQueueMoves) {
  Attending here(Owner(), "run-3", queue_, "first");
  Attending passed_on(Other(), "run-4", queue_, "first");
  const std::string target = OtherName();
  ASSERT_TRUE(cluster_->Move(Owner(), queue_, target).ok());
  EXPECT_TRUE(absl::IsUnavailable(here.End()));
  EXPECT_TRUE(absl::IsUnavailable(passed_on.End()));
  owners_ = cluster_->AwaitOwners([&](auto& owners) { return owners.at(queue_) == target; });
  Attending anew(Other(), "run-3", queue_, "first");
  EXPECT_TRUE(anew.has_it);
  EXPECT_FALSE(Attending(Owner(), "run-3", queue_, "second").has_it);
}

}  // namespace
}  // namespace twofold::frontend
