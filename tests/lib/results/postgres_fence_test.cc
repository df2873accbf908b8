// PostgresStore as one of several that write: each commits for its partition as long as the row of
// that says so, and notices when the database has lost what it had acknowledged.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "lib/results/postgres_store.h"
#include "tests/lib/results/benchmark_samples.h"
#include "tests/lib/results/engines.h"
#include "tests/lib/results/samples.h"

namespace twofold::results {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using twofold::testing::PostgresServer;

using Group = std::vector<Record>;

constexpr Fence kFence{.partition = 1, .epoch = 5, .incarnation = 77, .version = 3};
constexpr Duration kHang = std::chrono::seconds(30);

class PostgresFenceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!PostgresServer::IsInstalled()) GTEST_SKIP() << "PostgreSQL is not installed";
    engine_.emplace();
    engine_->OpenStore();  // makes the tables
    engine_->Script(
        "INSERT INTO partition VALUES (1, 'sleep', 5, 'me', 77, '', 3, 0),"
        " (2, 'media', 9, 'other', 88, '', 0, 0)");
  }

  std::unique_ptr<PostgresStore> Open(const Fence& fence = kFence) const {
    return PostgresStore::Open(engine_->target(), {.fence = fence}).value();
  }

  std::string Version() { return engine_->Text("version FROM partition WHERE number = 1"); }

  /// All connections but the one that does this end.
  void BreakConnections() {
    engine_->Script(
        "SELECT pg_terminate_backend(pid, 20000) FROM pg_stat_activity"
        " WHERE datname = current_database() AND pid <> pg_backend_pid()");
  }

  /// The connection breaks, and the store notices.
  void Disconnect(PostgresStore& store) {
    BreakConnections();
    EXPECT_TRUE(absl::IsUnavailable(store.Check()));
  }

  /// Checks until the version is counted: about a second after it was counted last.
  void AwaitVersion(PostgresStore& store, std::uint64_t version) {
    for (const Instant end = Now() + kHang; store.version() < version && Now() < end;) {
      ASSERT_TRUE(store.Check().ok());
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    EXPECT_EQ(store.version(), version);
  }

  std::optional<PostgresEngine> engine_;
};

// ---- Who may write

TEST_F(PostgresFenceTest, ItCommitsWhileTheRowSaysSo) {
  const auto store = Open();
  EXPECT_TRUE(store->Commit(Group{Accepted(Id(1, 1))}).ok());
  EXPECT_TRUE(store->Check().ok());
  engine_->Script("UPDATE partition SET losses = 2, next = 'you' WHERE number = 1");
  EXPECT_TRUE(store->Commit(Group{Accepted(Id(1, 2))}).ok());
}

TEST_F(PostgresFenceTest, EveryWriteIsRefusedWhenTheEpochHasChanged) {
  const auto store = Open();
  ASSERT_TRUE(store->Commit(Group{Accepted(Id(1, 1)), Ended(Id(1, 1))}).ok());
  engine_->Script("UPDATE partition SET epoch = 6 WHERE number = 1");
  EXPECT_TRUE(absl::IsFailedPrecondition(store->Commit(Group{Accepted(Id(1, 2))})));
  EXPECT_TRUE(
      absl::IsFailedPrecondition(store->Commit(Group{Accepted(Id(1, 1)), Accepted(Id(1, 3))})))
      << "row by row neither";
  EXPECT_TRUE(absl::IsFailedPrecondition(
      store->Commit(Group{Accepted(Id(1, 4)), EndedWith(Id(1, 4), FullResult())})));
  EXPECT_TRUE(absl::IsFailedPrecondition(store->Forget({.keep_at_most = 0}, 10).status()));
  EXPECT_TRUE(absl::IsFailedPrecondition(LoadAll(*store).status()));
  const Status status = store->Check();
  EXPECT_TRUE(absl::IsFailedPrecondition(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("another frontend"));
  EXPECT_THAT(IdsOf(*store->List({})), ElementsAre(Id(1, 1))) << "reading goes on";
  EXPECT_EQ(engine_->Count("metric"), 0);
}

TEST_F(PostgresFenceTest, AnotherIncarnationWithTheSameEpochIsRefused) {
  const auto store = Open();
  engine_->Script("UPDATE partition SET owner_incarnation = 78 WHERE number = 1");
  EXPECT_TRUE(absl::IsFailedPrecondition(store->Commit(Group{Accepted(Id(1, 1))})));
  EXPECT_EQ(engine_->Count("job"), 0);
}

TEST_F(PostgresFenceTest, NextOwnerLearnsThatTheQueueIsHalted) {
  const auto store = Open();
  ASSERT_TRUE(LoadAll(*store).ok());
  EXPECT_EQ(store->halted(), QueueHalted());
  ASSERT_TRUE(store->Commit(Group{QueueHalted{.paused = true}, Accepted(Id(1, 1))}).ok());
  ASSERT_TRUE(store->Commit(Group{Accepted(Id(1, 2))}).ok());
  EXPECT_EQ(Version(), "4") << "it is counted at once";
  engine_->Script("UPDATE partition SET epoch = 6 WHERE number = 1");
  const QueueHalted all{.paused = true, .drains = true};
  EXPECT_FALSE(store->Commit(Group{all}).ok()) << "by its owner alone";
  Fence fence = kFence;
  fence.epoch = 6;
  const auto next = Open(fence);
  ASSERT_TRUE(LoadAll(*next).ok());
  EXPECT_EQ(next->halted(), QueueHalted{.paused = true});
  ASSERT_TRUE(next->Commit(Group{all, QueueHalted{.drains = true}}).ok());
  const auto last = Open(fence);
  ASSERT_TRUE(LoadAll(*last).ok());
  EXPECT_EQ(last->halted(), QueueHalted{.drains = true});
  const auto other = Open({.partition = 2, .epoch = 9, .incarnation = 88, .version = 0});
  ASSERT_TRUE(LoadAll(*other).ok());
  EXPECT_EQ(other->halted(), QueueHalted());
}

TEST_F(PostgresFenceTest, OthersMayWriteTheirPartitions) {
  const auto mine = Open();
  const auto other = Open({.partition = 2, .epoch = 9, .incarnation = 88, .version = 0});
  engine_->Script("UPDATE partition SET epoch = 6 WHERE number = 1");
  EXPECT_TRUE(other->Commit(Group{Accepted(Id(2, 1))}).ok());
  EXPECT_FALSE(mine->Commit(Group{Accepted(Id(1, 1))}).ok());
}

TEST_F(PostgresFenceTest, OnlyUnfinishedJobsOfThePartitionAreLoaded) {
  const auto store = PostgresStore::Open(engine_->target()).value();
  ASSERT_TRUE(store
                  ->Commit(Group{Accepted(Id(0, 9)), Accepted(Id(1, 1)), Accepted(Id(1, 2)),
                                 Ended(Id(1, 2)), Accepted(Id(2, 1)), Accepted(Id(255, 1))})
                  .ok());
  EXPECT_THAT(LoadAll(*Open())->ids(), ElementsAre(Id(1, 1)));
  engine_->Script("INSERT INTO partition VALUES (255, 'last', 1, 'me', 77, '', 0, 0)");
  const auto last = Open({.partition = 255, .epoch = 1, .incarnation = 77, .version = 0});
  EXPECT_THAT(LoadAll(*last)->ids(), ElementsAre(Id(255, 1)));
}

// ---- Versions

TEST_F(PostgresFenceTest, VersionIsCountedByCommitsOnceASecond) {
  const Instant begin = Now();
  const auto store = Open();
  ASSERT_TRUE(store->Check().ok());
  ASSERT_TRUE(LoadAll(*store).ok());
  EXPECT_EQ(Version(), "3") << "only commits count";
  for (std::uint64_t i = 1; i <= 50; ++i) {
    ASSERT_TRUE(store->Commit(Group{Accepted(Id(1, i))}).ok());
  }
  EXPECT_GE(store->version(), 4U);
  EXPECT_LE(store->version(), 4U + static_cast<std::uint64_t>(ToSeconds(Now() - begin)));
  EXPECT_EQ(Version(), std::to_string(store->version()));
}

TEST_F(PostgresFenceTest, CheckCountsWhatCommitsHaveLeftUncounted) {
  const auto store = Open();
  std::uint64_t before = 0;
  for (std::uint64_t i = 1; before != store->version(); ++i) {  // till a commit was not counted
    before = store->version();
    ASSERT_TRUE(store->Commit(Group{Accepted(Id(1, i))}).ok());
  }
  AwaitVersion(*store, before + 1);
  EXPECT_EQ(Version(), std::to_string(before + 1));
}

// ---- Lost commits

TEST_F(PostgresFenceTest, NothingIsMissedAfterAReconnect) {
  const auto store = Open();
  for (std::uint64_t i = 1; i <= 3; ++i) {
    ASSERT_TRUE(store->Commit(Group{Accepted(Id(1, i)), Ended(Id(1, i))}).ok());
  }
  Disconnect(*store);
  EXPECT_TRUE(store->Check().ok());
  EXPECT_TRUE(store->Commit(Group{Accepted(Id(1, 4))}).ok());
}

TEST_F(PostgresFenceTest, NewestJobThatIsGoneAfterAReconnectIsALoss) {
  const auto store = Open();
  ASSERT_TRUE(store->Commit(Group{Accepted(Id(1, 1))}).ok());
  ASSERT_TRUE(store->Commit(Group{Accepted(Id(1, 2))}).ok());
  Disconnect(*store);
  engine_->Script("DELETE FROM live; DELETE FROM job WHERE id = " + std::to_string(Id(1, 2)));
  EXPECT_TRUE(absl::IsDataLoss(store->Commit(Group{Accepted(Id(1, 3))})));
  EXPECT_TRUE(absl::IsDataLoss(store->Check())) << "for as long as it is so";
  EXPECT_EQ(engine_->Count("job"), 1);
}

TEST_F(PostgresFenceTest, NewestEndThatIsGoneAfterAReconnectIsALoss) {
  const auto store = Open();
  ASSERT_TRUE(store->Commit(Group{Accepted(Id(1, 1))}).ok());
  ASSERT_TRUE(store->Commit(Group{Ended(Id(1, 1))}).ok());
  Disconnect(*store);
  engine_->Script("DELETE FROM ended");
  EXPECT_TRUE(absl::IsDataLoss(store->Check()));
}

TEST_F(PostgresFenceTest, VersionThatHasGoneBackIsALoss) {
  const auto store = Open();
  ASSERT_TRUE(store->Commit(Group{Accepted(Id(1, 1))}).ok());
  Disconnect(*store);
  engine_->Script("UPDATE partition SET version = 3 WHERE number = 1");
  EXPECT_TRUE(absl::IsDataLoss(store->Check()));
}

TEST_F(PostgresFenceTest, LossIsNoticedBeforeNewNamesAreWritten) {
  const auto store = Open();
  ASSERT_TRUE(store->Commit(Group{Accepted(Id(1, 1))}).ok());
  ASSERT_TRUE(store->Commit(Group{Accepted(Id(1, 2))}).ok());
  Disconnect(*store);
  engine_->Script("DELETE FROM live; DELETE FROM job");
  const Group with_names{Accepted(Id(1, 3)), EndedWith(Id(1, 3), FullResult())};
  EXPECT_TRUE(absl::IsDataLoss(store->Commit(with_names)));
  EXPECT_EQ(engine_->Count("metric"), 0);
}

TEST_F(PostgresFenceTest, WhatAnotherStoreForgetsIsNoLossOnceItIsCounted) {
  const auto store = Open();
  ASSERT_TRUE(store->Commit(Group{Accepted(Id(1, 1))}).ok());
  ASSERT_TRUE(store->Commit(Group{Ended(Id(1, 1))}).ok());
  AwaitVersion(*store, store->version() + 1);
  const auto other = Open({.partition = 2, .epoch = 9, .incarnation = 88, .version = 0});
  EXPECT_EQ(*other->Forget({.keep_at_most = 0}, 10), 1U);
  Disconnect(*store);
  EXPECT_TRUE(store->Check().ok());
}

// ---- Sequences

TEST_F(PostgresFenceTest, SequencesAreWrittenAheadAndNeverGivenOutTwice) {
  const auto first = Open();
  ASSERT_TRUE(first->Commit(Group{Accepted(Id(1, 1)), SequenceUsed{"sleep", Id(1, 1)}}).ok());
  const std::uint64_t reserved = LoadAll(*first)->sequences.at("sleep");
  EXPECT_GT(reserved, Id(1, 1000)) << "so that few commits write one";
  ASSERT_TRUE(first->Commit(Group{Accepted(Id(1, 2)), SequenceUsed{"sleep", Id(1, 2)}}).ok());
  EXPECT_EQ(LoadAll(*first)->sequences.at("sleep"), reserved);
  ASSERT_TRUE(first->Commit(Group{SequenceUsed{"sleep", reserved}}).ok());
  EXPECT_EQ(LoadAll(*first)->sequences.at("sleep"), reserved) << "that was written already";
  ASSERT_TRUE(first->Commit(Group{SequenceUsed{"sleep", reserved + 1}}).ok());
  const std::uint64_t next = LoadAll(*first)->sequences.at("sleep");
  EXPECT_GT(next, reserved + 1000);

  engine_->Script("UPDATE partition SET epoch = 6 WHERE number = 1");
  const auto second = Open({.partition = 1, .epoch = 6, .incarnation = 77, .version = 9});
  EXPECT_EQ(LoadAll(*second)->sequences.at("sleep"), next);
  EXPECT_FALSE(first->Commit(Group{SequenceUsed{"sleep", next + 1}}).ok());
  EXPECT_EQ(LoadAll(*second)->sequences.at("sleep"), next);
}

TEST_F(PostgresFenceTest, SequenceOfAGroupThatFailedIsWrittenWithTheNextOne) {
  const auto store = Open();
  BreakConnections();
  const Group group{Accepted(Id(1, 1)), SequenceUsed{"sleep", Id(1, 1)}};
  EXPECT_TRUE(absl::IsUnavailable(store->Commit(group)));
  EXPECT_TRUE(store->Commit(group).ok());
  EXPECT_GT(LoadAll(*store)->sequences.at("sleep"), Id(1, 1));
}

}  // namespace
}  // namespace twofold::results
