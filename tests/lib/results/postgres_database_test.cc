// Gathered writes and streams, on a table of the test's own.

#include "lib/results/postgres_database.h"

#include <absl/strings/str_cat.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "lib/results/statements.h"
#include "tests/lib/results/engines.h"
#include "tests/support/program.h"

namespace twofold::results {
namespace {

using Writes = PostgresDatabase::Writes;
using Rows = std::vector<std::vector<std::string>>;

// Some are sent ahead, and some are left.
constexpr int kMany = PostgresDatabase::kRowsAhead * 5 / 2;

class PostgresDatabaseTest : public ::testing::Test {
 protected:
  void SetUp() override {
    using twofold::testing::PostgresServer;
    if (!PostgresServer::IsInstalled()) GTEST_SKIP() << "PostgreSQL is not installed";
    engine_.emplace();
    engine_->Script("CREATE TABLE t (id bigint PRIMARY KEY, name text)");
    database_.emplace(engine_->target(), "SELECT 1", postgres::Patience{});
    sql_.emplace(*database_);
  }

  Rows All() { return engine_->Rows("SELECT id, name FROM t ORDER BY id"); }

  const RowWrite insert_ = InsertInto("t", {"id", "name"});
  const RowWrite rename_ = Update("t", {"name"}).Counted();
  const RowWrite delete_ = DeleteFrom("t", "id");
  std::optional<PostgresEngine> engine_;
  std::optional<PostgresDatabase> database_;
  std::optional<Statements> sql_;
};

TEST_F(PostgresDatabaseTest, GatheredRowsAreSentWithTheCommit) {
  database_->Begin(Writes::kGathered);
  for (int i = 0; i < 3; ++i) EXPECT_EQ((*sql_)[insert_].Run(i, std::string(1, 'a')), 1);
  EXPECT_EQ(engine_->Text("count(*) FROM pg_stat_activity WHERE datname = current_database()"
                          " AND state = 'idle in transaction'"),
            "0")
      << "nothing was sent yet";
  database_->Commit();
  EXPECT_EQ(All(), (Rows{{"0", "a"}, {"1", "a"}, {"2", "a"}}));
}

TEST_F(PostgresDatabaseTest, DeletesGoBeforeInsertsAndThoseBeforeUpdates) {
  engine_->Script("INSERT INTO t VALUES (1, 'old')");
  database_->Begin(Writes::kGathered);
  (*sql_)[rename_].Run(std::string("renamed"), 1);
  (*sql_)[insert_].Run(1, std::string("new"));
  (*sql_)[delete_].Run(1);
  database_->Commit();
  EXPECT_EQ(All(), (Rows{{"1", "renamed"}}));
}

TEST_F(PostgresDatabaseTest, QuerySeesWhatWasGathered) {
  database_->Begin(Writes::kGathered);
  (*sql_)[insert_].Run(1, std::string("a"));
  {
    Prepared::Rows row((*sql_)["SELECT name FROM t WHERE id = ?"], 1);
    ASSERT_TRUE(row.Next());
    EXPECT_EQ(row[0].Text(), "a");
  }
  database_->Rollback();
  EXPECT_EQ(All(), Rows{});
}

TEST_F(PostgresDatabaseTest, MissingRowOfACountedWriteIsNotAsExpected) {
  engine_->Script("INSERT INTO t VALUES (1, 'a')");
  database_->Begin(Writes::kGathered);
  (*sql_)[rename_].Run(std::string("b"), 1);
  (*sql_)[rename_].Run(std::string("b"), 2);
  EXPECT_THROW(database_->Commit(), NotAsExpected);
  database_->Rollback();
  EXPECT_EQ(All(), (Rows{{"1", "a"}}));
}

TEST_F(PostgresDatabaseTest, RowThatIsThereIsNotAsExpected) {
  engine_->Script("INSERT INTO t VALUES (1, 'a')");
  database_->Begin(Writes::kGathered);
  (*sql_)[insert_].Run(1, std::string("b"));
  EXPECT_THROW(database_->Commit(), NotAsExpected);
  database_->Rollback();
  database_->Begin(Writes::kRowByRow);
  EXPECT_EQ((*sql_)[rename_].Run(std::string("c"), 1), 1);
  EXPECT_EQ((*sql_)[rename_].Run(std::string("c"), 2), 0) << "row by row the answer is true";
  database_->Commit();
  EXPECT_EQ(All(), (Rows{{"1", "c"}}));
}

TEST_F(PostgresDatabaseTest, ManyRowsAreWrittenBeforeTheCommitAndCountWithIt) {
  database_->Begin(Writes::kGathered);
  for (int i = 0; i < kMany; ++i) (*sql_)[insert_].Run(i, std::string("a"));
  EXPECT_TRUE(twofold::testing::Await([this] {
    return engine_->Text(
               "count(*) FROM pg_stat_activity WHERE datname = current_database()"
               " AND query LIKE 'INSERT INTO t%'") == "1";
  }));
  EXPECT_EQ(All(), Rows{});
  for (int i = 0; i < kMany; ++i) (*sql_)[rename_].Run(std::string("b"), i);
  database_->Commit();
  EXPECT_EQ(engine_->Text("count(*) FROM t WHERE name = 'b'"), absl::StrCat(kMany));
}

TEST_F(PostgresDatabaseTest, ManyRowsAreTakenBack) {
  database_->Begin(Writes::kGathered);
  for (int i = 0; i < kMany; ++i) (*sql_)[insert_].Run(i, std::string("a"));
  database_->Rollback();
  EXPECT_EQ(All(), Rows{});
  database_->Begin(Writes::kGathered);
  (*sql_)[insert_].Run(1, std::string("b"));
  database_->Commit();
  EXPECT_EQ(All(), (Rows{{"1", "b"}}));
}

TEST_F(PostgresDatabaseTest, RowThatIsThereAmongManyIsNotAsExpected) {
  engine_->Script("INSERT INTO t VALUES (1, 'a')");
  database_->Begin(Writes::kGathered);
  for (int i = 0; i < kMany; ++i) (*sql_)[insert_].Run(i, std::string("b"));
  EXPECT_THROW(database_->Commit(), NotAsExpected);
  database_->Rollback();
  EXPECT_EQ(All(), (Rows{{"1", "a"}}));
}

TEST_F(PostgresDatabaseTest, FailedFenceTakesAllBack) {
  const postgres::Statement fence{"SELECT 1 / count(*) FROM t WHERE id = 7"};
  database_->Begin(Writes::kGathered);
  (*sql_)[insert_].Run(1, std::string("a"));
  EXPECT_THROW(database_->Commit(&fence), SqlError);
  database_->Rollback();
  EXPECT_EQ(All(), Rows{});
}

TEST_F(PostgresDatabaseTest, StreamGivesAllRowsAndCanBeLeftEarlyAndUsedAgain) {
  engine_->Script("INSERT INTO t SELECT i, 'x' FROM generate_series(1, 4000) AS i");
  database_->Begin(Writes::kRowByRow);
  for (const int wanted : {4001, 1, 2000, 2001, 4001}) {
    Prepared::Rows row(sql_->Stream("SELECT id FROM t WHERE id > ? ORDER BY id"), 0);
    int rows = 0;
    while (rows < wanted && row.Next()) EXPECT_EQ(row[0].Integer(), ++rows);
    EXPECT_EQ(rows, std::min(wanted, 4000));
  }
  database_->Commit();
}

}  // namespace
}  // namespace twofold::results
