// What becomes of durable jobs while the store cannot be written.

#include <atomic>
#include <thread>

#include "tests/frontend/tenures_fixture.h"

namespace twofold::frontend {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A store that fails while it is told to.
class SwitchedStore final : public results::Store {
 public:
  explicit SwitchedStore(results::Store& store) : store_(store) {}

  Status Commit(std::span<const results::Record> records) override {
    return fails ? absl::ResourceExhaustedError("the disk is full") : store_.Commit(records);
  }
  Result<std::map<std::string, std::uint64_t>> Load(const Visit& visit) override {
    return store_.Load(visit);
  }
  Result<results::StoredJob> Find(results::JobId job) const override { return store_.Find(job); }
  Result<std::vector<results::StoredJob>> List(const results::JobQuery& query) const override {
    return store_.List(query);
  }
  Result<std::size_t> Forget(const results::Retention& retention, std::size_t most) override {
    return store_.Forget(retention, most);
  }

  std::atomic<bool> fails = false;

 private:
  results::Store& store_;
};

class StoreFailureTest : public TenuresTest {
 protected:
  void SetUp() override {
    results::JournalOptions options;
    options.first_pause = options.longest_pause = std::chrono::milliseconds(1);
    options.on_change = [this] { Turn(host_, Now()); };  // as the ticker does
    journal_ = std::make_shared<results::Journal>(disk_, options);
    host_.Open({1, 1, journal_}, Now());
    Turn(host_, Now()).Serve();
  }
  ~StoreFailureTest() override {
    disk_.fails = false;
    journal_->Stop(std::chrono::seconds(10));
  }

  void AwaitTrouble() {
    while (journal_->writable()) std::this_thread::yield();
    Turn(host_, Now());  // whoever does something next knows of it
  }

  queue::Explanation Why(JobId job) { return *Turn(host_, Now()).core().Explain(Now(), job); }

  SwitchedStore disk_{store_};
};

TEST_F(StoreFailureTest, AttemptThatIsNotOnDiskIsTakenBackAndVolatileJobsHaveItsSlot) {
  const ProcessId process = Join(worker_);
  disk_.fails = true;
  const JobId durable = Submit(1, true).job;
  AwaitTrouble();
  EXPECT_EQ(Why(durable).reason, queue::WaitReason::kHeld);
  JobId plain{};
  for (std::uint64_t tag = 2; tag < 5; ++tag) {
    plain = Submit(tag).job;
    ASSERT_THAT(worker_->assigned, ElementsAre(Held{plain, 1}));
    worker_->assigned.clear();
    EXPECT_TRUE(Complete(process, {plain, 1}));
  }
  EXPECT_THAT(submitter_->accepted, IsEmpty());
  disk_.fails = false;
  Sync();
  Sync();  // what was handed out when the store was back
  EXPECT_THAT(submitter_->accepted, ElementsAre(1));
  EXPECT_THAT(worker_->assigned, ElementsAre(Held{durable, 2}));
  EXPECT_THAT(worker_->cancelled, IsEmpty());
}

TEST_F(StoreFailureTest, WhatAWorkerWasGivenIsAskedForAgainWhenItsAttemptsAreTakenBack) {
  const ProcessId process = Join(worker_, 9);
  disk_.fails = true;
  SubmitDetached({.durable = true}, std::string(1000, 'x'));
  SubmitDetached({}, std::string(2000, 'x'));
  AwaitTrouble();
  EXPECT_EQ(worker_->asked, 1) << "what was not sent is taken back";
  SubmitDetached({}, std::string(3000, 'x'));
  Turn(host_, Now()).Sent(process);
  SubmitDetached({}, std::string(3000, 'x'));
  EXPECT_EQ(worker_->assigned.size(), 3U);
  EXPECT_EQ(worker_->asked, 2);
}

TEST_F(StoreFailureTest, AttemptOfAWorkerThatHasLeftIsNotTakenBackFromTheOneInItsPlace) {
  const ProcessId process = Join(worker_);
  disk_.fails = true;
  SubmitDetached({.max_attempts = 3, .durable = true});
  Turn(host_, Now()).Left(process, worker_.get());
  const auto other = std::make_shared<FakeWorker>();
  ASSERT_EQ(Join(other), process);
  AwaitTrouble();
  EXPECT_EQ(host_.Look(Now()).stats.refused_results, 0U);
}

TEST_F(StoreFailureTest, LentWorkerGoesWhenTheAttemptThatItWaitedForIsTakenBack) {
  Join(worker_);
  disk_.fails = true;
  const auto options = std::make_shared<queue::JobOptions>();
  options->durable = true;
  {
    Turn turn(host_, Now() + 2 * Turn::kShortestStay);
    turn.Submit(queue::kDetached, 1, options, "");
    ASSERT_EQ(turn.Lend({.to = "sleep/1", .slots = 1, .pressing = true}), 1U);
  }
  AwaitTrouble();
  EXPECT_EQ(worker_->moved, 0) << "after what the journal has to say to it";
  disk_.fails = false;
  Sync();
  Sync();
  EXPECT_EQ(worker_->moved_to, "sleep/1");
  EXPECT_THAT(worker_->assigned, IsEmpty());
}

TEST_F(StoreFailureTest, GangThatIsNotOnDiskIsTakenBack) {
  Join(worker_, 2);
  disk_.fails = true;
  const auto options = std::make_shared<queue::JobOptions>();
  options->durable = true;
  options->gang.size = 2;
  const JobId gang = Turn(host_, Now()).Submit(queue::kDetached, 1, options, "", {}).job;
  AwaitTrouble();
  EXPECT_EQ(Why(gang).reason, queue::WaitReason::kHeld);
  Submit(2);
  Submit(3);
  EXPECT_EQ(worker_->assigned.size(), 2U) << "both slots are free";
}

TEST_F(StoreFailureTest, JobsThatWaitTakeNoSlotsWhileTheStoreFails) {
  const ProcessId process = Join(worker_);
  const JobId plain = Submit(1).job;
  for (std::uint64_t tag = 2; tag < 5; ++tag) Submit(tag, true);
  Sync();
  disk_.fails = true;
  Submit(5, true);
  AwaitTrouble();
  EXPECT_TRUE(Complete(process, {plain, 1}));
  EXPECT_EQ(Turn(host_, Now()).core().Stats().running, 0U);
  disk_.fails = false;
  Sync();
  EXPECT_EQ(Turn(host_, Now()).core().Stats().running, 1U);
}

TEST_F(StoreFailureTest, JobThatNobodyKnowsOfIsRefusedWhenTheStoreFails) {
  const auto options = std::make_shared<queue::JobOptions>();
  options->durable = true;
  std::promise<Status> refused;
  bool stored = false;
  disk_.fails = true;
  const JobId job =
      Turn(host_, Now())
          .Submit(queue::kDetached, 1, options, "",
                  {[&] { stored = true; }, [&](const Status& why) { refused.set_value(why); }})
          .job;
  const Status why = refused.get_future().get();
  EXPECT_EQ(why.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(why.message()), HasSubstr("the disk is full"));
  disk_.fails = false;
  Sync();
  EXPECT_FALSE(stored);
  const auto found = store_.Find(static_cast<std::uint64_t>(job));
  ASSERT_TRUE(found.ok());
  ASSERT_TRUE(std::holds_alternative<results::JobEnded>(found->state));
  EXPECT_EQ(std::get<results::JobEnded>(found->state).outcome, Outcome::kCancelled);
}

TEST_F(StoreFailureTest, JobWithADedupKeyWaitsUntilTheStoreIsBack) {
  const auto options = std::make_shared<queue::JobOptions>();
  options->durable = true;
  options->dedup_key = "nightly";
  std::promise<void> stored;
  disk_.fails = true;
  Turn(host_, Now())
      .Submit(queue::kDetached, 1, options, "",
              {[&] { stored.set_value(); }, [](const Status&) { FAIL() << "it is others', too"; }});
  AwaitTrouble();
  disk_.fails = false;
  stored.get_future().get();
}

TEST_F(StoreFailureTest, VolatileJobThatCannotBeLeftForTheNextOwnerIsAbandoned) {
  std::promise<v1::Outcome> ended;
  finished_->WhenFinished(SubmitDetached(),
                          [&](const v1::Job& one) { ended.set_value(one.outcome()); });
  disk_.fails = true;
  Close();
  journal_ = std::make_shared<results::Journal>(disk_);
  EXPECT_EQ(ended.get_future().get(), v1::OUTCOME_ABANDONED);
}

}  // namespace
}  // namespace twofold::frontend
