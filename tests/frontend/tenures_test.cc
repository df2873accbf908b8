// Queues that come and go: what becomes of jobs, workers and watchers when a host begins and ends
// to serve its queue.

#include "tests/frontend/tenures_fixture.h"

namespace twofold::frontend {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

// ---- Closed hosts

TEST_F(TenuresTest, ClosedHostSaysThatItDoesNotServe) {
  EXPECT_TRUE(host_.CheckServed().ok());
  Close();
  EXPECT_TRUE(absl::IsUnavailable(host_.CheckServed()));
  EXPECT_TRUE(absl::IsUnavailable(Turn(host_, Now()).CheckServed()));
  EXPECT_FALSE(Turn(host_, Now()).served());
  EXPECT_FALSE(host_.Look(Now()).served);
}

TEST_F(TenuresTest, HostThatIsBeingOpenedDoesNotServeYet) {
  Close();
  host_.Open({2, 1, journal_}, Now());
  EXPECT_FALSE(Turn(host_, Now()).served());
  Turn(host_, Now()).Serve();
  EXPECT_TRUE(Turn(host_, Now()).served());
  EXPECT_EQ(Turn(host_, Now()).epoch(), 2U);
}

TEST_F(TenuresTest, TenuresThatAreOverAreKnownByTheirEpochs) {
  EXPECT_LE(host_.NextEpoch(), 1U);
  Close();
  EXPECT_EQ(host_.NextEpoch(), 2U);
  OpenAndServe(4);
  EXPECT_LE(host_.NextEpoch(), 4U);
  Close();
  EXPECT_EQ(host_.NextEpoch(), 5U);
}

TEST_F(TenuresTest, CloseReturnsTheJournalOnce) {
  EXPECT_EQ(Turn(host_, Now()).Close(), journal_);
  EXPECT_EQ(Turn(host_, Now()).Close(), nullptr);
  EXPECT_TRUE(absl::IsFailedPrecondition(host_.CanStore()));
}

TEST_F(TenuresTest, DurableJobsWaitWhileTheyAreSuspended) {
  EXPECT_TRUE(host_.CanStore().ok());
  Turn(host_, Now()).Suspend(true);
  EXPECT_TRUE(absl::IsUnavailable(host_.CanStore()));
  EXPECT_NE(StoreTrouble(host_.Look(Now())), "");
  Turn(host_, Now()).Suspend(false);
  EXPECT_TRUE(host_.CanStore().ok());
}

TEST_F(TenuresTest, QueueThatIsNotStrictTakesVolatileJobsWhileItIsSuspended) {
  Turn(host_, Now()).Suspend(true);
  EXPECT_TRUE(Turn(host_, Now()).CanTake(false).ok());
  EXPECT_FALSE(host_.Look(Now()).stats.paused);
}

TEST_F(TenuresTest, StrictQueueStandsStillWhileItIsSuspended) {
  host_.Open({.epoch = 6, .journal = journal_, .strict = true}, Now());
  Turn(host_, Now()).Serve();
  Turn(host_, Now()).Suspend(true);
  EXPECT_TRUE(absl::IsUnavailable(Turn(host_, Now()).CanTake(false)));
  EXPECT_TRUE(host_.Look(Now()).stats.paused);
  Turn(host_, Now()).Suspend(false);
  EXPECT_TRUE(Turn(host_, Now()).CanTake(false).ok());
  EXPECT_FALSE(host_.Look(Now()).stats.paused);
}

TEST_F(TenuresTest, StrictQueueGoesOnAsPeopleWantIt) {
  host_.Open({.epoch = 6, .journal = journal_, .strict = true}, Now());
  Turn(host_, Now()).Serve();
  Turn(host_, Now()).Pause();
  Turn(host_, Now()).Suspend(true);
  Turn(host_, Now()).Suspend(false);
  EXPECT_TRUE(host_.Look(Now()).stats.paused) << "as before";
  Turn(host_, Now()).Suspend(true);
  Turn(host_, Now()).Resume();
  EXPECT_TRUE(host_.Look(Now()).stats.paused) << "nobody may resume it while it is suspended";
  Turn(host_, Now()).Suspend(false);
  EXPECT_FALSE(host_.Look(Now()).stats.paused);
}

// ---- Jobs that wait

TEST_F(TenuresTest, CloseGivesWaitingVolatileJobsBackOnce) {
  Submit(1);
  Submit(2);
  Close();
  EXPECT_THAT(submitter_->given_back, UnorderedElementsAre(1, 2));
  EXPECT_GT(submitter_->flushes, 0);
  EXPECT_THAT(submitter_->replies, IsEmpty());
  EXPECT_EQ(Turn(host_, Now()).core().waiting(), 0U);
  Close();
  OpenAndServe(2);
  EXPECT_THAT(submitter_->given_back, SizeIs(2));
}

TEST_F(TenuresTest, VeryManyWaitingJobsAreAllGivenBack) {
  constexpr std::size_t kJobs = 3 * queue::Queue::kMostListed + 1;
  for (std::size_t i = 1; i <= kJobs; ++i) Submit(i);
  Close();
  EXPECT_THAT(submitter_->given_back, SizeIs(kJobs));
}

TEST_F(TenuresTest, JobThatNoStreamOwnsIsLeftInTheStoreForTheNextOwner) {
  const JobId first = SubmitDetached();
  const JobId second = SubmitDetached({.delay = std::chrono::hours(1), .fair_key = "ada"}, "spec");
  std::vector<v1::Job> ended;
  finished_->WhenFinished(first, [&](const v1::Job& one) { ended.push_back(one); });
  Close();
  Sync();
  EXPECT_THAT(ended, IsEmpty());
  EXPECT_EQ(Stored(), 2U);

  OpenAndServe(2);
  RestoreAll();
  Sync();
  EXPECT_EQ(Stored(), 0U) << "it is volatile again";
  const Turn turn(host_, Now());
  ASSERT_TRUE(turn.core().Find(Now(), first).has_value());
  const auto delayed = turn.core().Save(second);
  ASSERT_TRUE(delayed.has_value());
  EXPECT_EQ(delayed->spec, "spec");
  EXPECT_EQ(delayed->options->fair_key, "ada");
  EXPECT_GT(delayed->accepted, Now() + std::chrono::minutes(59));
}

TEST_F(TenuresTest, JobThatCannotBeLeftIsAbandoned) {
  std::vector<v1::Job> ended;
  finished_->WhenFinished(SubmitDetached(), [&](const v1::Job& one) { ended.push_back(one); });
  Turn(host_, Now()).SetJournal(nullptr);
  Close();
  ASSERT_THAT(ended, SizeIs(1));
  EXPECT_EQ(ended[0].outcome(), v1::OUTCOME_ABANDONED);
}

// ---- Jobs that run

TEST_F(TenuresTest, RunningJobThatNoStreamOwnsGoesOnWhenItsQueueIsBack) {
  Join(worker_);
  const JobId job = SubmitDetached();
  ASSERT_THAT(worker_->assigned, SizeIs(1));
  std::vector<v1::Job> ended;
  finished_->WhenFinished(job, [&](const v1::Job& one) { ended.push_back(one); });
  Close();
  OpenAndServe(2);
  EXPECT_EQ(worker_->moved, 1);
  EXPECT_TRUE(Turn(host_, Now()).core().Find(Now(), job)->running);
  const ProcessId back =
      Turn(host_, Now())
          .Join(ProcessKey{last_key_}, 1, worker_->assigned, {"node", "pod"}, worker_, {});
  EXPECT_THAT(worker_->cancelled, IsEmpty());
  EXPECT_TRUE(Complete(back, worker_->assigned[0]));
  ASSERT_THAT(ended, SizeIs(1));
  EXPECT_EQ(ended[0].outcome(), v1::OUTCOME_SUCCEEDED);
}

TEST_F(TenuresTest, RunningVolatileJobsEndAndThenTheirWorkerIsSentAway) {
  const ProcessId process = Join(worker_, 2);
  Submit(1);
  Submit(2);
  ASSERT_THAT(worker_->assigned, SizeIs(2));
  Close();
  EXPECT_THAT(submitter_->given_back, IsEmpty());
  EXPECT_EQ(worker_->moved, 0);
  EXPECT_TRUE(Complete(process, worker_->assigned[0]));
  EXPECT_EQ(worker_->moved, 0);
  EXPECT_TRUE(Complete(process, worker_->assigned[1]));
  EXPECT_EQ(worker_->moved, 1);
  EXPECT_THAT(submitter_->replies, UnorderedElementsAre(std::pair{1U, Outcome::kSucceeded},
                                                        std::pair{2U, Outcome::kSucceeded}));
}

TEST_F(TenuresTest, AnswerToWhatWasCancelledBeforeDoesNotSendAwayWhoStillRuns) {
  const ProcessId process = Join(worker_, 2);
  const JobId cancelled = Submit(1).job;
  Submit(2);
  Turn(host_, Now()).Cancel(cancelled);
  Close();
  const Held late{cancelled, 1};
  const Held runs = worker_->assigned[0] == late ? worker_->assigned[1] : worker_->assigned[0];
  Complete(process, late);
  EXPECT_EQ(worker_->moved, 0);
  Complete(process, runs);
  EXPECT_EQ(worker_->moved, 1);
}

TEST_F(TenuresTest, WorkersWithoutVolatileJobsAreSentAwayAtOnce) {
  const auto idle = std::make_shared<FakeWorker>();
  Join(worker_);
  Submit(1, true);
  Sync();
  ASSERT_THAT(worker_->assigned, SizeIs(1));
  Join(idle);
  Close();
  EXPECT_EQ(worker_->moved, 1) << "its durable job goes with it";
  EXPECT_EQ(idle->moved, 1);
}

TEST_F(TenuresTest, JobThatAWorkerHandsBackLaterIsGivenBack) {
  const ProcessId process = Join(worker_);
  Submit(1);
  Close();
  Complete(process, worker_->assigned.at(0), true);
  EXPECT_THAT(submitter_->given_back, ElementsAre(1));
  EXPECT_THAT(worker_->assigned, SizeIs(1));
  EXPECT_EQ(worker_->moved, 1);
}

TEST_F(TenuresTest, JobWhoseWorkerVanishesLaterIsGivenBack) {
  const ProcessId process = Join(worker_);
  Submit(1);
  Close();
  Turn(host_, Now()).Gone(process, worker_.get());
  Turn(host_, Now() + std::chrono::hours(1)).Tick();
  EXPECT_THAT(submitter_->given_back, ElementsAre(1));
}

TEST_F(TenuresTest, MembersOfAVolatileGangStayUntilItHasEnded) {
  const ProcessId first = Join(worker_);
  const auto second_worker = std::make_shared<FakeWorker>();
  const ProcessId second = Join(second_worker);
  auto options = std::make_shared<queue::JobOptions>();
  options->gang.size = 2;
  {
    Turn turn(host_, Now());
    turn.AddSubmitter(kSubmitter, submitter_);
    turn.Submit(kSubmitter, 1, options, "");
  }
  ASSERT_THAT(worker_->assigned, SizeIs(1));
  ASSERT_THAT(second_worker->assigned, SizeIs(1));
  Close();
  Complete(first, worker_->assigned[0]);
  EXPECT_EQ(worker_->moved, 1);
  EXPECT_EQ(second_worker->moved, 0);
  Complete(second, second_worker->assigned[0]);
  EXPECT_EQ(second_worker->moved, 1);
  EXPECT_THAT(submitter_->replies, ElementsAre(std::pair{1U, Outcome::kSucceeded}));
}

TEST_F(TenuresTest, WhoStaysIsToldOnceThatTheTenureEnds) {
  const auto stays = std::make_shared<FakeWatcher>();
  const auto left = std::make_shared<FakeWatcher>();
  {
    Turn turn(host_, Now());
    turn.Stay(stays);
    turn.Stay(left);
    turn.Leave(left.get());
  }
  Close();
  Close();
  EXPECT_EQ(stays->moved, 1);
  EXPECT_EQ(left->moved, 0);
  EXPECT_EQ(stays.use_count(), 1);
}

// ---- What people have asked

TEST_F(TenuresTest, QueueOpensAsPeopleHaveLeftIt) {
  host_.Open({.epoch = 2, .journal = journal_, .halted = {.paused = true, .drains = true}}, Now());
  Turn(host_, Now()).Serve();
  EXPECT_TRUE(host_.Look(Now()).stats.paused);
  EXPECT_TRUE(host_.Look(Now()).stats.draining);
  Turn(host_, Now()).Resume();
  EXPECT_FALSE(host_.Look(Now()).stats.paused);
  EXPECT_FALSE(host_.Look(Now()).stats.draining);
}

TEST_F(TenuresTest, StrictQueueThatGoesOnIsStillPausedByPeople) {
  host_.Open({.epoch = 2, .journal = journal_, .strict = true, .halted = {.paused = true}}, Now());
  Turn(host_, Now()).Suspend(true);
  Turn(host_, Now()).Serve();
  Turn(host_, Now()).Suspend(false);
  EXPECT_TRUE(host_.Look(Now()).stats.paused);
}

// ---- Durable jobs

TEST_F(TenuresTest, WhatWasDecidedBeforeIsWrittenAndNothingAfter) {
  const ProcessId process = Join(worker_);
  Submit(1, true);
  Sync();
  const Held attempt = worker_->assigned.at(0);
  Submit(2, true);
  Close();
  Sync();
  EXPECT_THAT(submitter_->accepted, ElementsAre(1, 2));
  EXPECT_THAT(submitter_->durable_moved, ElementsAre(host_.number()));
  EXPECT_THAT(submitter_->given_back, IsEmpty());
  const auto id = static_cast<std::uint64_t>(attempt.job);
  Complete(process, attempt);
  Turn(host_, Now()).Cancel(attempt.job);
  Turn(host_, Now() + std::chrono::hours(1)).Tick();
  Sync();
  EXPECT_TRUE(std::holds_alternative<results::AttemptStarted>(store_.Find(id)->state));
  EXPECT_EQ(Stored(), 2U);
  EXPECT_THAT(worker_->kept, IsEmpty()) << "the worker delivers it where the queue is now";
  EXPECT_THAT(submitter_->replies, IsEmpty());
}

TEST_F(TenuresTest, LongSpecsOfDurableJobsWaitInTheStoreAlone) {
  const std::string spec(results::kLongSpec + 1, 'x');
  const JobId job = SubmitDetached({.max_attempts = 3, .durable = true}, spec);
  const JobId short_job = SubmitDetached({.durable = true}, "short");
  EXPECT_EQ(host_.Look(Now()).stats.waiting_bytes, 5U);
  EXPECT_EQ(Turn(host_, Now()).core().Find(Now(), job)->spec_size, spec.size());
  const ProcessId process = Join(worker_);
  Sync();
  ASSERT_TRUE(Complete(process, {job, 1}, true)) << "it is handed out again";
  Sync();
  ASSERT_TRUE(Complete(process, {job, 2}));
  Sync();
  EXPECT_THAT(worker_->assigned, ElementsAre(Held{job, 1}, Held{job, 2}, Held{short_job, 1}));
  EXPECT_THAT(worker_->specs, ElementsAre(spec, spec, "short"));
}

TEST_F(TenuresTest, AProcessGetsMoreWhenWhatItWasGivenHasLeft) {
  const std::string spec(3000, 'x');
  for (int i = 0; i < 3; ++i) SubmitDetached({.durable = i == 0}, spec);
  const ProcessId process = Join(worker_, 3);
  Sync();
  EXPECT_EQ(worker_->assigned.size(), 2U) << "5000 bytes may be under way, and the rest of a spec";
  EXPECT_EQ(worker_->asked, 1);
  Turn(host_, Now()).Sent(process);
  EXPECT_EQ(worker_->assigned.size(), 3U);
  EXPECT_EQ(worker_->asked, 2) << "3000 bytes are half of it, too";
}

TEST_F(TenuresTest, WhatAProcessWasGivenIsAskedForBehindItsAttemptsThatAreNotOnDisk) {
  Join(worker_, 9);
  {
    const auto options = std::make_shared<queue::JobOptions>();
    const auto durable = std::make_shared<queue::JobOptions>();
    durable->durable = true;
    Turn turn(host_, Now());
    turn.Submit(queue::kDetached, 0, durable, std::string(1000, 'x'));
    turn.Submit(queue::kDetached, 0, options, std::string(2000, 'x'));
  }
  Sync();
  EXPECT_EQ(worker_->assigned.size(), 2U);
  EXPECT_EQ(worker_->asked_after, 2U) << "the second one passed the half of 5000, and was sent";
}

TEST_F(TenuresTest, AWorkerThatLeavesWhenTheQueueIsEmptyHasItsDurableJobsFirst) {
  for (int i = 0; i < 3; ++i) SubmitDetached({.durable = true});
  const ProcessId process = Join(worker_, 2, {.leave_when_empty = true});
  Sync();
  EXPECT_EQ(worker_->drained_after, std::nullopt) << "one waits for it";
  const Held first = worker_->assigned.at(0);
  {
    Turn turn(host_, Now());
    turn.Completed(process, {.job = first.job, .attempt = 1, .outcome = Outcome::kSucceeded});
    turn.LeaveIfFree(process);
  }
  Sync();
  EXPECT_EQ(worker_->drained_after, 3U);
}

TEST_F(TenuresTest, LongSpecsStayInTheStoreAfterARestart) {
  const std::string spec(results::kLongSpec + 1, 'x');
  const JobId job = SubmitDetached({.durable = true}, spec);
  Sync();
  Close();
  OpenAndServe(2, 500);
  RestoreAll();
  EXPECT_EQ(host_.Look(Now()).stats.waiting_bytes, 0U);
  EXPECT_EQ(Turn(host_, Now()).core().Find(Now(), job)->spec_size, spec.size());
  Join(worker_);
  Sync();
  EXPECT_THAT(worker_->specs, ElementsAre(spec));
}

TEST_F(TenuresTest, MembersOfAGangGetTheirLongSpec) {
  const std::string spec(results::kLongSpec + 1, 'x');
  queue::JobOptions options{.durable = true};
  options.gang.size = 2;
  SubmitDetached(options, spec);
  Join(worker_, 2);
  Sync();
  EXPECT_THAT(worker_->specs, ElementsAre(spec, spec));
}

TEST_F(TenuresTest, AJobThatSomebodyHasDeletedFromTheStoreFailsAndIsNotRunWithoutItsSpec) {
  const std::string spec(results::kLongSpec + 1, 'x');
  const JobId job = SubmitDetached({.durable = true}, spec);
  const JobId next = SubmitDetached({.durable = true}, spec);
  Sync();
  const auto id = static_cast<results::JobId>(job);
  ASSERT_TRUE(store_.Commit(std::vector<results::Record>{results::JobTaken{id}}).ok());
  Join(worker_);
  Sync();
  EXPECT_THAT(worker_->specs, IsEmpty());
  Turn(host_, Now()).Tick();
  Sync();
  EXPECT_FALSE(Turn(host_, Now()).core().Find(Now(), job).has_value());
  EXPECT_THAT(worker_->assigned, ElementsAre(Held{next, 1}));
  EXPECT_THAT(worker_->specs, ElementsAre(spec));
}

TEST_F(TenuresTest, WhoWaitsForADecisionThatIsDroppedLearnsIt) {
  auto held = std::make_shared<int>(0);
  const std::weak_ptr<int> dropped = held;
  Close();
  Submit(1, true, [held = std::move(held)] { ADD_FAILURE() << "it was never stored"; });
  EXPECT_TRUE(dropped.expired());
  Sync();
  EXPECT_EQ(Stored(), 0U);
}

// ---- Watchers

TEST_F(TenuresTest, WatchersAreToldOnce) {
  const auto watcher = std::make_shared<FakeWatcher>();
  const JobId job = Submit(1).job;
  Turn(host_, Now()).Watch(job, watcher);
  ASSERT_EQ(watcher->jobs, 1);
  Close();
  EXPECT_EQ(watcher->moved, 1);
  OpenAndServe(2);
  EXPECT_EQ(watcher->moved, 1);
  EXPECT_EQ(watcher->jobs, 1) << "its job has not ended: it is given back";
}

// ---- The next tenure

TEST_F(TenuresTest, OpenBeginsEmptyWithNewIds) {
  const JobId before = Submit(1).job;
  const auto first = static_cast<std::uint64_t>(Submit(2, true).job);
  Close();
  OpenAndServe(2, 500);
  EXPECT_EQ(host_.Look(Now()).stats.waiting, 0U);
  EXPECT_FALSE(Turn(host_, Now()).core().Find(Now(), before).has_value());
  EXPECT_NE(Submit(3).job, before);
  EXPECT_GE(queue::Sequence(Submit(4, true).job), 500U);
  EXPECT_NE(first, static_cast<std::uint64_t>(Submit(5, true).job));
}

TEST_F(TenuresTest, OpenGivesBackWhatStillRuns) {
  Join(worker_);
  Submit(1);
  Close();
  OpenAndServe(2);
  EXPECT_THAT(submitter_->given_back, ElementsAre(1));
  EXPECT_THAT(submitter_->replies, IsEmpty());
  EXPECT_EQ(worker_->moved, 1);
}

TEST_F(TenuresTest, OpenWithoutACloseEndsTheTenureBefore) {
  Join(worker_);
  Submit(1);
  Submit(2);
  OpenAndServe(2);
  EXPECT_THAT(submitter_->given_back, UnorderedElementsAre(1, 2));
  EXPECT_GE(worker_->moved, 1);
  EXPECT_EQ(host_.Look(Now()).epoch, 2U);
}

TEST_F(TenuresTest, WorkerOfTheLastTenureChangesNothing) {
  const ProcessId process = Join(worker_);
  Submit(1);
  const Held attempt = worker_->assigned.at(0);
  Close();
  OpenAndServe(2);
  const auto next = std::make_shared<FakeWorker>();
  const ProcessId same_id = Join(next);
  ASSERT_EQ(same_id, process);
  Submit(2);
  ASSERT_THAT(next->assigned, SizeIs(1));
  {
    Turn turn(host_, Now());
    EXPECT_FALSE(turn.HasJoined(process, worker_.get()));
    turn.Gone(process, worker_.get());
    turn.Left(process, worker_.get());
    EXPECT_TRUE(turn.HasJoined(same_id, next.get()));
  }
  EXPECT_FALSE(Complete(process, attempt)) << "its id is of no job";
  EXPECT_EQ(host_.Look(Now()).stats.running, 1U);
  EXPECT_THAT(submitter_->replies, IsEmpty());
}

TEST_F(TenuresTest, TurnsThatMeetAnOpenSeeOneTenureOrTheOther) {
  std::atomic<bool> over = false;
  auto turns = std::async(std::launch::async, [&] {
    while (!over) {
      Turn turn(host_, Now());
      EXPECT_GE(turn.epoch(), 1U);
      if (turn.served()) turn.Tick();
    }
  });
  for (std::uint64_t epoch = 2; epoch < 300; ++epoch) OpenAndServe(epoch);
  over = true;
}

}  // namespace
}  // namespace twofold::frontend
