#include "frontend/queues/moved_jobs.h"

#include <gmock/gmock.h>

#include "tests/fakes/memory_store.h"
#include "tests/frontend/tenures_fixture.h"
#include "tests/lib/results/samples.h"
#include "tests/support/program.h"

namespace twofold::frontend {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

/// Calls come on the thread of MovedJobs.
class WaitingSubmitter final : public FakeSubmitter {
 public:
  void Flush() override {
    const MutexLock lock(mutex_);
    ++flushed_;
  }
  bool AwaitFlushes(int count) {
    return ::twofold::testing::Await([&] {
      const MutexLock lock(mutex_);
      return flushed_ == count;
    });
  }

 private:
  Mutex mutex_;
  int flushed_ ABSL_GUARDED_BY(mutex_) = 0;
};

class MovedJobsTest : public ::testing::Test {
 protected:
  void Store(const results::Record& record) { ASSERT_TRUE(store_.Commit({&record, 1}).ok()); }
  static TaggedJob Tagged(results::JobId id) { return {queue::JobId{id}, id + 100}; }

  results::MemoryStore store_;
  std::shared_ptr<WaitingSubmitter> submitter_ = std::make_shared<WaitingSubmitter>();
};

TEST_F(MovedJobsTest, EndsAreToldAsTheyComeIntoTheStore) {
  Store(results::Accepted(1));
  Store(results::Accepted(2));
  Store(results::Ended(1));
  MovedJobs moved(store_);
  moved.Await(submitter_, "sleep", {Tagged(1), Tagged(2)});
  EXPECT_TRUE(submitter_->AwaitFlushes(1));
  Store(results::Ended(2));
  EXPECT_TRUE(submitter_->AwaitFlushes(2));
  EXPECT_THAT(submitter_->ended_elsewhere,
              ElementsAre(Pair(101, v1::OUTCOME_SUCCEEDED), Pair(102, v1::OUTCOME_SUCCEEDED)));
  EXPECT_THAT(submitter_->given_back, IsEmpty());
}

TEST_F(MovedJobsTest, WhatTheStoreNeverHadIsGivenBack) {
  Store(results::Accepted(2));
  Store(results::Ended(2));
  MovedJobs moved(store_, Duration(0));
  moved.Await(submitter_, "sleep", {Tagged(1), Tagged(2)});
  EXPECT_TRUE(submitter_->AwaitFlushes(2));
  EXPECT_THAT(submitter_->given_back, ElementsAre(101));
}

TEST_F(MovedJobsTest, OneWhoIsGoneIsForgottenAndTheOthersAreNot) {
  Store(results::Accepted(1));
  Store(results::Accepted(2));
  MovedJobs moved(store_);
  moved.Await(std::make_shared<WaitingSubmitter>(), "sleep", {Tagged(1)});
  moved.Await(submitter_, "sleep", {Tagged(2)});
  Store(results::Ended(2));
  EXPECT_TRUE(submitter_->AwaitFlushes(1));
}

TEST_F(MovedJobsTest, EndsWhileJobsAreAwaited) {
  Store(results::Accepted(1));
  MovedJobs moved(store_);
  moved.Await(submitter_, "sleep", {Tagged(1)});
}

}  // namespace
}  // namespace twofold::frontend
