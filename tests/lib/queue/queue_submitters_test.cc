#include "tests/lib/queue/queue_fixture.h"

namespace twofold::queue {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using QueueSubmitters = QueueTest;

TEST_F(QueueSubmitters, ReplyTellsWhoWhatAndHowLong) {
  const JobId job = Submit({}, kBob);
  now += seconds(3);
  const ProcessId process = Join(1);
  now += seconds(4);
  queue.Step(now,
             input::Completed{process,
                              {.job = job,
                               .attempt = 1,
                               .outcome = Outcome::kTimedOut,
                               .run_time = seconds(2),
                               .report = "report"}},
             effects);
  EXPECT_EQ(OnlyReply(), (Replied{kBob, last_tag, job, Outcome::kTimedOut, 1, true, process,
                                  seconds(3), seconds(2), seconds(7), "report", ""}));
}

TEST_F(QueueSubmitters, StandingSaysHowManyRunAndWhatTheyWaited) {
  Submit();
  Submit();
  Submit({}, kBob);
  now += seconds(3);
  const ProcessId process = Join(1, 3);
  Standing standing = queue.StandingOf(kAda);
  EXPECT_EQ(standing.jobs, 2U);
  EXPECT_EQ(standing.running, 2U);
  EXPECT_EQ(standing.waited, seconds(6));
  EXPECT_TRUE(Complete(process, effects.Of<Assigned>().at(0).job));
  standing = queue.StandingOf(kAda);
  EXPECT_EQ(standing.jobs, 1U);
  EXPECT_EQ(standing.running, 1U);
  EXPECT_EQ(standing.waited, seconds(3));
  EXPECT_EQ(standing.most_running, 2U);
  EXPECT_EQ(queue.StandingOf(kBob).running, 1U);
}

TEST_F(QueueSubmitters, SpecIsCopied) {
  std::string spec = "first";
  TrySubmit({}, kAda, spec);
  spec = "other";
  Join(1);
  EXPECT_EQ(effects.Of<Assigned>().at(0).spec, "first");
}

TEST_F(QueueSubmitters, WorkerCannotSayThatAJobIsAbandoned) {
  const ProcessId process = Join(1);
  EXPECT_TRUE(Complete(process, Submit(), 1, Outcome::kAbandoned));
  EXPECT_EQ(OnlyReply().outcome, Outcome::kFailed);
}

// ---- Cancel

TEST_F(QueueSubmitters, CancelledWaitingJobHadNoProcess) {
  const JobId job = Submit();
  now += seconds(5);
  EXPECT_TRUE(queue.Step(now, input::Cancel{job}, effects));
  EXPECT_EQ(OnlyReply(),
            (Replied{kAda, last_tag, job, Outcome::kCancelled, 0, false, ProcessId{0}, seconds(5),
                     Duration(0), seconds(5), "", "cancelled on request"}));
  EXPECT_EQ(queue.waiting(), 0U);
}

TEST_F(QueueSubmitters, CancelledRunningJobEndsAtOnceAndItsSlotIsFreeWhenTheWorkerAnswers) {
  const ProcessId process = Join(1);
  const JobId job = Submit();
  const JobId next = Submit();
  effects.Clear();
  EXPECT_TRUE(queue.Step(now, input::Cancel{job}, effects));
  EXPECT_THAT(effects.all(), ElementsAre(Recorded(Stopped{process, job, 1}),
                                         testing::VariantWith<Replied>(testing::_)));
  EXPECT_FALSE(Complete(process, job, 1, Outcome::kCancelled));
  EXPECT_THAT(HandedOut(), ElementsAre(next));
  EXPECT_EQ(queue.Stats().refused_results, 0U) << "it was asked to answer so";
}

TEST_F(QueueSubmitters, CancelledRunningJobSaysHowLongItRan) {
  const JobId job = Submit();
  now += seconds(2);
  Join(1);
  now += seconds(3);
  queue.Step(now, input::Cancel{job}, effects);
  EXPECT_EQ(OnlyReply().wait, seconds(2));
  EXPECT_EQ(OnlyReply().run_time, seconds(3));
}

TEST_F(QueueSubmitters, ResultThatCrossesTheCancelCountsAsRefused) {
  const ProcessId process = Join(1);
  const JobId job = Submit();
  queue.Step(now, input::Cancel{job}, effects);
  EXPECT_FALSE(Complete(process, job, 1, Outcome::kSucceeded));
  EXPECT_EQ(queue.Stats().refused_results, 1U);
}

TEST_F(QueueSubmitters, CancelOfNoJobIsFalse) {
  EXPECT_FALSE(queue.Step(now, input::Cancel{JobId{0}}, effects));
  EXPECT_FALSE(queue.Step(now, input::Cancel{JobId{~0ULL}}, effects));
  EXPECT_THAT(effects.all(), IsEmpty());
}

TEST_F(QueueSubmitters, CancelOfAJobWhoseProcessIsAwayIsToldWhenItComesBack) {
  const ProcessId process = Join(1);
  const JobId job = Submit();
  queue.Step(now, input::WorkerGone{process}, effects);
  queue.Step(now, input::Cancel{job}, effects);
  EXPECT_THAT(effects.Of<Stopped>(), IsEmpty());
  Join(1, 1, {{job, 1}});
  EXPECT_THAT(effects.Of<Stopped>(), ElementsAre(Stopped{process, job, 1}));
}

// ---- SubmitterGone

TEST_F(QueueSubmitters, JobsOfAGoneSubmitterEndWithoutReplies) {
  const ProcessId process = Join(1);
  const JobId running = Submit();
  const JobId waiting = Submit();
  const JobId of_bob = Submit({}, kBob);
  effects.Clear();
  queue.Step(now, input::SubmitterGone{kAda}, effects);
  EXPECT_THAT(effects.all(), ElementsAre(Recorded(Stopped{process, running, 1})));
  EXPECT_EQ(Finished(Outcome::kAbandoned), 2U);
  EXPECT_FALSE(queue.Find(now, waiting));
  EXPECT_TRUE(queue.Find(now, of_bob));
}

TEST_F(QueueSubmitters, DetachedJobsOutliveEverybody) {
  const JobId job = Submit({}, kDetached);
  queue.Step(now, input::SubmitterGone{kDetached}, effects);
  queue.Step(now, input::SubmitterGone{kAda}, effects);
  EXPECT_TRUE(queue.Find(now, job));
  Complete(Join(1), job);
  EXPECT_EQ(OnlyReply().submitter, kDetached);
}

TEST_F(QueueSubmitters, VeryManyJobsOfAGoneSubmitterEndSliceBySlice) {
  constexpr std::uint64_t kMany = 2 * Queue::kMostAtOnce + 1;
  for (std::uint64_t i = 0; i < kMany; ++i) Submit();
  const JobId of_bob = Submit({}, kBob);
  queue.Step(now, input::SubmitterGone{kAda}, effects);
  EXPECT_EQ(Finished(Outcome::kAbandoned), Queue::kMostAtOnce) << "one call must not take long";
  EXPECT_EQ(queue.NextDeadline(), now) << "it goes on at once";
  queue.Step(now, input::Tick{}, effects);
  EXPECT_EQ(Finished(Outcome::kAbandoned), 2 * Queue::kMostAtOnce);
  queue.Step(now, input::Tick{}, effects);
  EXPECT_EQ(Finished(Outcome::kAbandoned), kMany);
  EXPECT_EQ(queue.NextDeadline(), std::nullopt);
  EXPECT_EQ(queue.waiting(), 1U);
  EXPECT_TRUE(queue.Find(now, of_bob));
}

TEST_F(QueueSubmitters, VeryManyJobsThatAGoneSubmitterFollowsAreLeftSliceBySlice) {
  constexpr std::uint64_t kMany = Queue::kMostAtOnce + 1;
  for (std::uint64_t i = 0; i < kMany; ++i) {
    const JobOptions options{.dedup_key = std::to_string(i)};
    Submit(options, kAda);
    Submit(options, kBob);
  }
  queue.Step(now, input::SubmitterGone{kBob}, effects);
  EXPECT_EQ(queue.NextDeadline(), now);
  queue.Step(now, input::Tick{}, effects);
  EXPECT_EQ(queue.NextDeadline(), std::nullopt);
  queue.Step(now, input::SubmitterGone{kAda}, effects);
  queue.Step(now, input::Tick{}, effects);
  EXPECT_EQ(queue.waiting(), 0U) << "nobody has inherited a job";
}

// ---- Admin

TEST_F(QueueSubmitters, PausedQueueAcceptsButHandsOutNothing) {
  Join(1);
  queue.Step(now, input::Pause{}, effects);
  const JobId job = Submit();
  EXPECT_THAT(HandedOut(), IsEmpty());
  EXPECT_TRUE(queue.Stats().paused);
  queue.Step(now, input::Resume{}, effects);
  EXPECT_THAT(HandedOut(), ElementsAre(job));
}

TEST_F(QueueSubmitters, DrainingQueueAcceptsNothingButRunsWhatItHas) {
  const JobId job = Submit();
  queue.Step(now, input::Drain{}, effects);
  EXPECT_EQ(TrySubmit().admission, Admission::kDraining);
  EXPECT_EQ(Finished(Outcome::kRejected), 1U);
  Join(1);
  EXPECT_THAT(HandedOut(), ElementsAre(job));
  queue.Step(now, input::Resume{}, effects);
  EXPECT_EQ(TrySubmit().admission, Admission::kAccepted);
}

// ---- Questions

TEST_F(QueueSubmitters, FindShowsAJobOnItsWay) {
  const JobId job = Submit({.suite = "sleep"});
  now += seconds(2);
  EXPECT_FALSE(queue.Find(now, job)->running);
  EXPECT_EQ(queue.Find(now, job)->wait, seconds(2));
  const ProcessId process = Join(1);
  now += seconds(3);
  const JobView view = *queue.Find(now, job);
  EXPECT_TRUE(view.running);
  EXPECT_EQ(view.process, process);
  EXPECT_EQ(view.attempt, 1U);
  EXPECT_EQ(view.wait, seconds(2));
  EXPECT_EQ(view.run_time, seconds(3));
  EXPECT_EQ(view.options->suite, "sleep");
  EXPECT_EQ(view.spec_size, 4U);
}

TEST_F(QueueSubmitters, ListGoesPageByPageThroughAllJobs) {
  std::vector<JobId> jobs;
  for (int i = 0; i < 10; ++i) jobs.push_back(Submit());
  queue.Step(now, input::Cancel{jobs[4]}, effects);  // also the last of its page
  std::vector<JobId> listed;
  std::uint32_t from = 0;
  do {
    const std::size_t before = listed.size();
    from = queue.List(now, {.from = from, .limit = 4},
                      [&](const JobView& view) { listed.push_back(view.job); });
    EXPECT_LE(listed.size() - before, 4U);
  } while (from != 0);
  jobs.erase(jobs.begin() + 4);
  EXPECT_EQ(listed, jobs);
}

TEST_F(QueueSubmitters, ListGoesOnAfterJobsThatHaveEndedMeanwhile) {
  const JobId first = Submit();
  const JobId second = Submit();
  const JobId third = Submit();
  const std::uint32_t from = queue.List(now, {.limit = 1}, [](const JobView&) {});
  queue.Step(now, input::Cancel{first}, effects);
  queue.Step(now, input::Cancel{second}, effects);
  std::vector<JobId> listed;
  queue.List(now, {.from = from, .limit = 10},
             [&](const JobView& view) { listed.push_back(view.job); });
  EXPECT_THAT(listed, ElementsAre(third));
}

TEST_F(QueueSubmitters, ListShowsTheJobsOfOneRun) {
  std::vector<JobId> of_run;
  for (int i = 0; i < 10; ++i) {
    Submit();
    of_run.push_back(Submit({.run = "night"}));
    Submit({.run = "day"});
  }
  queue.Step(now, input::Cancel{of_run[3]}, effects);
  of_run.erase(of_run.begin() + 3);
  std::vector<JobId> listed;
  std::uint32_t from = 0;
  do {
    from = queue.List(now, {.from = from, .limit = 4, .run = "night"},
                      [&](const JobView& view) { listed.push_back(view.job); });
    EXPECT_LE(listed.size(), of_run.size());
  } while (from != 0);
  EXPECT_EQ(listed, of_run);
  EXPECT_EQ(queue.List(now, {.run = "dawn"}, [](const JobView&) { FAIL(); }), 0U);
}

TEST_F(QueueSubmitters, ListShowsOnlyTheJobsThatWaitOrThoseThatRun) {
  Join(1, 2);
  std::vector<JobId> jobs;
  for (int i = 0; i < 4; ++i) jobs.push_back(Submit({.run = i % 2 == 0 ? "night" : "day"}));
  const auto listed = [&](JobPage page) {
    std::vector<JobId> found;
    queue.List(now, page, [&](const JobView& view) { found.push_back(view.job); });
    return found;
  };
  EXPECT_THAT(listed({.waiting = false}), ElementsAre(jobs[0], jobs[1]));
  EXPECT_THAT(listed({.running = false}), ElementsAre(jobs[2], jobs[3]));
  EXPECT_THAT(listed({.limit = 1, .running = false}), ElementsAre(jobs[2]));
  EXPECT_THAT(listed({.run = "night", .waiting = false}), ElementsAre(jobs[0]));
  EXPECT_THAT(listed({.run = "night", .running = false}), ElementsAre(jobs[2]));
  EXPECT_THAT(listed({.waiting = false, .running = false}), IsEmpty());
}

TEST_F(QueueSubmitters, ListLooksAtSoManyJobsOfARunACall) {
  for (std::uint32_t i = 0; i <= Queue::kMostListed; ++i) Submit({.run = "night"});
  const JobPage running = {.run = "night", .waiting = false};
  const auto visit = [](const JobView&) { FAIL() << "none runs"; };
  const std::uint32_t from = queue.List(now, running, visit);
  EXPECT_NE(from, 0U) << "one call must not take long";
  EXPECT_EQ(queue.List(now, {.from = from, .run = "night", .waiting = false}, visit), 0U);
}

TEST_F(QueueSubmitters, ListLooksAtSoManyPlacesACall) {
  std::vector<JobId> jobs;
  for (std::uint32_t i = 0; i <= 2 * Queue::kMostListed; ++i) jobs.push_back(Submit());
  for (std::size_t i = 0; i + 1 < jobs.size(); ++i)
    queue.Step(now, input::Cancel{jobs[i]}, effects);
  std::vector<JobId> listed;
  const auto visit = [&](const JobView& view) { listed.push_back(view.job); };
  std::uint32_t from = queue.List(now, {}, visit);
  EXPECT_THAT(listed, IsEmpty()) << "one call must not take long";
  EXPECT_EQ(from, Queue::kMostListed);
  while (from != 0) from = queue.List(now, {.from = from}, visit);
  EXPECT_THAT(listed, ElementsAre(jobs.back()));
}

}  // namespace
}  // namespace twofold::queue
