// What only PostgresStore does: tables, texts, groups, servers that come and go. Who may write:
// postgres_fence_test.cc.

#include "lib/results/postgres_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "lib/results/journal.h"
#include "lib/results/postgres_schema.h"
#include "tests/lib/results/benchmark_samples.h"
#include "tests/lib/results/engines.h"
#include "tests/lib/results/samples.h"

namespace twofold::results {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using twofold::testing::PostgresServer;

using Group = std::vector<Record>;

class PostgresStoreTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!PostgresServer::IsInstalled()) GTEST_SKIP() << "PostgreSQL is not installed";
    engine_.emplace();
  }

  std::unique_ptr<PostgresStore> Open() const {
    return PostgresStore::Open(engine_->target()).value();
  }

  std::optional<PostgresEngine> engine_;
};

TEST_F(PostgresStoreTest, ReopenedStoreHasEverything) {
  ASSERT_TRUE(Open()
                  ->Commit(Group{Accepted(1), StartedGang(1, 3), Accepted(2),
                                 EndedWith(2, FullResult()), SequenceUsed{"sleep", 2}})
                  .ok());
  const auto store = Open();
  EXPECT_EQ(store->Find(1)->state, (decltype(StoredJob::state)(StartedGang(1, 3))));
  EXPECT_EQ(store->Find(2)->state, (decltype(StoredJob::state)(EndedWith(2, FullResult()))));
  EXPECT_EQ(LoadAll(*store)->sequences.at("sleep"), 2u);
  EXPECT_EQ(*store->Forget({.keep_at_most = 0}, 10), 1u);
}

TEST_F(PostgresStoreTest, HasTheColumnsOfSqlite) {
  ASSERT_NE(Open(), nullptr);
  SqliteEngine sqlite;
  sqlite.OpenStore();
  auto in_sqlite = sqlite.Rows(
      "SELECT tables.name, columns.name FROM sqlite_schema AS tables"
      " JOIN pragma_table_info(tables.name) AS columns WHERE tables.type IN ('table', 'view')");
  auto in_postgres = engine_->Rows(
      "SELECT table_name, column_name FROM information_schema.columns"
      " WHERE table_schema = 'public' AND table_name NOT IN ('twofold', 'frontend', 'partition')");
  std::sort(in_sqlite.begin(), in_sqlite.end());
  std::sort(in_postgres.begin(), in_postgres.end());
  EXPECT_EQ(in_postgres, in_sqlite);
}

TEST_F(PostgresStoreTest, HasTheOutcomesAndQuantilesOfSqlite) {
  ASSERT_NE(Open(), nullptr);
  SqliteEngine sqlite;
  sqlite.OpenStore();
  for (const char* sql : {"SELECT number, name FROM outcome ORDER BY number",
                          "SELECT degrees, factor FROM student ORDER BY degrees"}) {
    EXPECT_EQ(engine_->Rows(sql), sqlite.Rows(sql));
  }
}

// ---- Texts

TEST_F(PostgresStoreTest, TextThatPostgresCannotStoreIsReplaced) {
  const auto store = Open();
  JobAccepted odd = Accepted(7);
  odd.suite = std::string("a\0b\xff", 4);
  JobEnded ended = Ended(7);
  ended.reason = std::string("\0", 1);
  ASSERT_TRUE(store->Commit(Group{odd, ended}).ok());
  ASSERT_TRUE(store->Commit(Group{odd, ended}).ok()) << "it is known as the same";
  const StoredJob found = store->Find(7).value();
  EXPECT_EQ(found.accepted.suite, "a\ufffdb\ufffd");
  EXPECT_EQ(found.accepted.spec, odd.spec) << "bytes stay as they are";
  EXPECT_EQ(std::get<JobEnded>(found.state).reason, "\ufffd");
}

// ---- Tables

TEST_F(PostgresStoreTest, SeveralMakeTheTablesAtTheSameTime) {
  std::vector<Status> opened(4);
  std::vector<std::thread> threads;
  for (Status& status : opened) {
    threads.emplace_back([&] { status = PostgresStore::Open(engine_->target()).status(); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Status& status : opened) EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(engine_->Text("version FROM twofold"), std::to_string(PostgresMigrations().size()));
  EXPECT_EQ(engine_->Count("partition"), 0) << "opening takes nothing";
}

TEST_F(PostgresStoreTest, NewerSchemaIsRefusedAndLeftAsItIs) {
  ASSERT_NE(Open(), nullptr);
  engine_->Script("UPDATE twofold SET version = 99");
  const Status status = PostgresStore::Open(engine_->target()).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("its schema has version 99"));
  EXPECT_EQ(engine_->Text("version FROM twofold"), "99");
}

TEST_F(PostgresStoreTest, MissingDatabaseIsNamedWithoutItsSettings) {
  std::string address = engine_->address();
  address.replace(address.find("@/test"), 6, "@/missing");
  const Status status = PostgresStore::Open(PostgresServer::TargetOf(address)).status();
  EXPECT_TRUE(absl::IsNotFound(status)) << status;
  EXPECT_THAT(std::string(status.message()), Not(HasSubstr("host=")));
}

// ---- Groups

TEST_F(PostgresStoreTest, GroupOfWhichAPartIsThereIsWrittenRowByRow) {
  const auto store = Open();
  ASSERT_TRUE(store->Commit(Group{Accepted(1), Accepted(2), Started(2), Accepted(3)}).ok());
  ASSERT_TRUE(store
                  ->Commit(Group{Accepted(1), Ended(1), Started(2, 2), Accepted(4),
                                 StartedGang(4, 3), Ended(9), JobRequeued{.from = 1, .to = 4}})
                  .ok());
  EXPECT_EQ(store->Find(1)->requeued_as, 4u);
  EXPECT_EQ(store->Find(2)->state, (decltype(StoredJob::state)(Started(2, 2))));
  EXPECT_EQ(store->Find(4)->state, (decltype(StoredJob::state)(StartedGang(4, 3))));
  EXPECT_THAT(IdsOf(*store->List({})), ElementsAre(1, 2, 3, 4));
}

TEST_F(PostgresStoreTest, LargeGroupsAreWrittenAndForgotten) {
  const auto store = Open();
  Group accepted, ended;
  constexpr JobId kJobs = 3000;
  for (JobId id = 1; id <= kJobs; ++id) {
    accepted.emplace_back(Accepted(id, "run-" + std::to_string(id % 7)));
    ended.emplace_back(EndedWith(id, FullResult()));
  }
  ASSERT_TRUE(store->Commit(accepted).ok());
  EXPECT_EQ(LoadAll(*store)->jobs.size(), kJobs);
  ASSERT_TRUE(store->Commit(ended).ok());
  EXPECT_THAT(LoadAll(*store)->jobs, IsEmpty());
  EXPECT_EQ(engine_->Count("measured"), 3 * static_cast<std::int64_t>(kJobs));
  EXPECT_EQ(*store->Forget({.keep_at_most = 1}, kJobs), kJobs - 1);
  EXPECT_EQ(engine_->Count("measured"), 3);
  EXPECT_EQ(engine_->Count("run"), 2) << "that of the last job, and row 0";
}

TEST_F(PostgresStoreTest, ReadThatTakesTooLongIsEnded) {
  const auto store =
      PostgresStore::Open(engine_->target(), {.longest_read = std::chrono::milliseconds(50)})
          .value();
  const auto holder = postgres::Connection::Open(engine_->target(), "SELECT 1").value();
  ASSERT_TRUE(holder->Script("BEGIN; LOCK TABLE job IN ACCESS EXCLUSIVE MODE").ok());
  EXPECT_TRUE(absl::IsDeadlineExceeded(store->Find(1).status()));
  ASSERT_TRUE(holder->Script("COMMIT").ok());
  EXPECT_TRUE(absl::IsNotFound(store->Find(1).status()));
}

// ---- Servers that come and go

class LostServer : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!PostgresServer::IsInstalled()) GTEST_SKIP() << "PostgreSQL is not installed";
    server_.emplace();
    store_ = PostgresStore::Open(PostgresServer::TargetOf(server_->NewDatabase())).value();
  }

  std::optional<PostgresServer> server_;
  std::unique_ptr<PostgresStore> store_;
};

TEST_F(LostServer, WhatWasCommittedIsThereAndTheNextCommitSucceeds) {
  ASSERT_TRUE(store_->Commit(Group{Accepted(1)}).ok());
  ASSERT_TRUE(store_->Find(1).ok());
  server_->Kill();
  EXPECT_TRUE(absl::IsUnavailable(store_->Commit(Group{Accepted(2)})));
  EXPECT_TRUE(absl::IsUnavailable(store_->Check()));
  EXPECT_TRUE(absl::IsUnavailable(store_->Find(1).status()));
  server_->Start();
  EXPECT_TRUE(store_->Commit(Group{Accepted(1), Accepted(2)}).ok());
  EXPECT_THAT(IdsOf(*store_->List({})), ElementsAre(1, 2));
}

TEST_F(LostServer, RestartBetweenReadsIsNotNoticed) {
  ASSERT_TRUE(store_->Commit(Group{Accepted(1)}).ok());
  ASSERT_TRUE(store_->Find(1).ok());
  server_->Stop();
  server_->Start();
  EXPECT_TRUE(store_->Find(1).ok());
}

TEST_F(LostServer, JournalGoesOnWhenItIsBack) {
  std::atomic<int> done = 0;
  Journal journal(*store_, {.first_pause = std::chrono::milliseconds(1),
                            .longest_pause = std::chrono::milliseconds(20)});
  constexpr JobId kJobs = 200;
  for (JobId id = 1; id <= kJobs; ++id) {
    if (id == kJobs / 2) server_->Kill();
    journal.Append({Accepted(id), Ended(id)}, [&] { ++done; });
  }
  server_->Start();
  EXPECT_TRUE(journal.Stop(std::chrono::seconds(60)));
  EXPECT_EQ(done, static_cast<int>(kJobs));
  EXPECT_EQ(store_->List({.limit = 1000})->size(), kJobs);
}

}  // namespace
}  // namespace twofold::results
