#include "lib/postgres/connection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <thread>

#include "tests/support/postgres_server.h"

namespace twofold::postgres {
namespace {

using ::testing::HasSubstr;
using twofold::testing::PostgresServer;

class ConnectionTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!PostgresServer::IsInstalled()) GTEST_SKIP() << "PostgreSQL is not installed";
    address_ = PostgresServer::Shared().NewDatabase();
    connection_ = Connection::Open(target(), "SELECT 1").value();
  }

  [[nodiscard]] Target target() const { return PostgresServer::TargetOf(address_); }

  std::string address_;
  std::unique_ptr<Connection> connection_;
};

Parameter Integer(std::int64_t value) { return Parameter::Of(Type::kInteger, value); }

TEST_F(ConnectionTest, ValuesComeBackAsTheyWere) {
  const std::string bytes("\0\xff'", 3);
  const auto rows = connection_->Run(
      "SELECT $1, $2, $3, $4, $5, $6::int4, $7",
      {Integer(std::numeric_limits<std::int64_t>::min()), Parameter::Of(Type::kReal, -1.5e-300),
       Parameter::Of(Type::kText, std::string_view("ü'")),
       Parameter::Of(Type::kBytes, std::string_view(bytes)), Parameter::Of(Type::kBoolean, true),
       Integer(-7), Parameter::Null(Type::kText)});
  ASSERT_TRUE(rows.ok()) << rows.status();
  ASSERT_EQ(rows->size(), 1);
  EXPECT_EQ(rows->Integer(0, 0), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(rows->Real(0, 1), -1.5e-300);
  EXPECT_EQ(rows->Text(0, 2), "ü'");
  EXPECT_EQ(rows->Text(0, 3), bytes);
  EXPECT_EQ(rows->Integer(0, 4), 1);
  EXPECT_EQ(rows->Integer(0, 5), -7);
  EXPECT_TRUE(rows->IsNull(0, 6));
}

TEST_F(ConnectionTest, ArraysOfEachTypeAreRows) {
  ASSERT_TRUE(
      connection_->Script("CREATE TABLE t (i int8, r float8, t text, b bytea, l bool)").ok());
  Array integers(Type::kInteger), reals(Type::kReal), texts(Type::kText), bytes(Type::kBytes),
      booleans(Type::kBoolean);
  for (std::int64_t i = 0; i < 3000; ++i) {
    integers.Add(i);
    reals.Add(static_cast<double>(i) / 2);
    i % 2 == 0 ? texts.AddNull() : texts.Add(std::string_view("odd"));
    bytes.Add(std::string_view("\0x", 2));
    booleans.Add(i % 2 == 0);
  }
  std::vector<Parameter> columns = {integers.Take(), reals.Take(), texts.Take(), bytes.Take(),
                                    booleans.Take()};
  const auto inserted = connection_->Run("INSERT INTO t SELECT * FROM unnest($1, $2, $3, $4, $5)",
                                         std::move(columns));
  ASSERT_TRUE(inserted.ok()) << inserted.status();
  EXPECT_EQ(inserted->changed(), 3000);
  const auto rows = connection_->Run(
      "SELECT sum(i)::int8, sum(r), count(t), (SELECT b FROM t LIMIT 1), count(*) FILTER (WHERE l) "
      "FROM t");
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_EQ(rows->Integer(0, 0), 3000 * 2999 / 2);
  EXPECT_EQ(rows->Real(0, 1), 3000 * 2999 / 4.0);
  EXPECT_EQ(rows->Integer(0, 2), 1500);
  EXPECT_EQ(rows->Text(0, 3), std::string_view("\0x", 2));
  EXPECT_EQ(rows->Integer(0, 4), 1500);
}

TEST_F(ConnectionTest, FailedStatementEndsTheRunAndNamesItself) {
  ASSERT_TRUE(connection_->Script("CREATE TABLE t (i int8 PRIMARY KEY)").ok());
  const Statement insert{"INSERT INTO t VALUES ($1)", {Integer(1)}};
  const auto rows = connection_->Run(std::vector<Statement>{{"BEGIN"}, insert, insert, {"COMMIT"}});
  EXPECT_TRUE(absl::IsAlreadyExists(rows.status())) << rows.status();
  EXPECT_EQ(connection_->failure().statement, 2u);
  EXPECT_EQ(connection_->failure().sql_state, "23505");
  ASSERT_TRUE(connection_->Run("ROLLBACK").ok());
  EXPECT_EQ(connection_->Run("SELECT count(*) FROM t")->Integer(0, 0), 0);
}

TEST_F(ConnectionTest, StatementThatWasNotPreparedIsPreparedLater) {
  const std::string sql = "SELECT count(*) FROM t";
  EXPECT_TRUE(absl::IsNotFound(connection_->Run(sql).status()));
  ASSERT_TRUE(connection_->Script("CREATE TABLE t (i int8)").ok());
  EXPECT_TRUE(connection_->Run(sql).ok());
}

TEST_F(ConnectionTest, WhatWasSentAheadIsPartOfTheNextRun) {
  ASSERT_TRUE(connection_->Script("CREATE TABLE t (i int8 PRIMARY KEY)").ok());
  const auto insert = [](int i) { return Statement{"INSERT INTO t VALUES ($1)", {Integer(i)}}; };
  ASSERT_TRUE(connection_->SendAhead({{"BEGIN"}, insert(1)}).ok());
  ASSERT_TRUE(connection_->SendAhead({insert(2)}).ok());
  const auto rows = connection_->Run(std::vector<Statement>{insert(3), {"COMMIT"}});
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_EQ(rows->size(), 5u);
  EXPECT_EQ(connection_->Run("SELECT count(*) FROM t")->Integer(0, 0), 3);
}

TEST_F(ConnectionTest, FailureOfWhatWasSentAheadIsToldByTheNextRun) {
  ASSERT_TRUE(connection_->SendAhead({{"BEGIN"}, {"SELECT 1 / 0"}}).ok());
  EXPECT_FALSE(connection_->Run(std::vector<Statement>{{"SELECT 1"}, {"COMMIT"}}).ok());
  EXPECT_EQ(connection_->failure().statement, 1u);
  EXPECT_EQ(connection_->failure().sql_state, "22012");
  ASSERT_TRUE(connection_->Script("ROLLBACK").ok());
  EXPECT_EQ(connection_->Run("SELECT 7")->Integer(0, 0), 7);
}

TEST_F(ConnectionTest, WarningMeansInDoubt) {
  const auto rows = connection_->Run(std::vector<Statement>{{"BEGIN"}, {"BEGIN"}, {"COMMIT"}});
  EXPECT_TRUE(absl::IsUnavailable(rows.status()));
  EXPECT_THAT(std::string(rows.status().message()), HasSubstr("in doubt"));
  EXPECT_FALSE(connection_->is_open());
}

TEST_F(ConnectionTest, LargeRunsDoNotBlockEachOther) {
  const std::string megabyte(1 << 20, 'x');
  const std::vector<Statement> echoes(
      20, {"SELECT $1", {Parameter::Of(Type::kText, std::string_view(megabyte))}});
  const auto rows = connection_->Run(echoes);
  ASSERT_TRUE(rows.ok()) << rows.status();
  ASSERT_EQ(rows->size(), 20u);
  EXPECT_EQ(rows->back().Text(0, 0), megabyte);
}

TEST_F(ConnectionTest, WrongDatabaseAndRoleAreToldApartFromAServerThatIsAway) {
  const auto open = [&](std::string from, const std::string& to) {
    std::string address = address_;
    address.replace(address.find(from), from.size(), to);
    return Connection::Open(PostgresServer::TargetOf(address), "SELECT 1").status();
  };
  EXPECT_TRUE(absl::IsNotFound(open("@/test", "@/missing")));
  EXPECT_TRUE(absl::IsPermissionDenied(open("tester@", "nobody@")));
  EXPECT_TRUE(absl::IsUnavailable(open("host=/", "host=/missing/")));
}

TEST_F(ConnectionTest, StreamGivesRowsOneByOneInTheTransaction) {
  ASSERT_TRUE(connection_->Run("BEGIN").ok());
  ASSERT_TRUE(connection_->Run("CREATE TABLE t AS SELECT generate_series(1, 5000)::int8").ok());
  std::int64_t sum = 0;
  const auto add = [&](const Rows& row) {
    EXPECT_EQ(row.size(), 1);
    sum += row.Integer(0, 0);
    return absl::OkStatus();
  };
  ASSERT_TRUE(connection_->Stream("SELECT * FROM t", add).ok());
  EXPECT_EQ(sum, 5000 * 5001 / 2);
  ASSERT_TRUE(connection_->Stream("SELECT * FROM t WHERE false", add).ok());
  EXPECT_EQ(sum, 5000 * 5001 / 2);
  EXPECT_TRUE(connection_->Run("COMMIT").ok()) << "it is used as before";
}

TEST_F(ConnectionTest, StreamThatFailsInTheMiddleSaysWhyAndTheConnectionGoesOn) {
  int rows = 0;
  const Status status = connection_->Stream(
      "SELECT 1 / (100 - i) FROM generate_series(1, 200) AS i", [&](const Rows&) {
        ++rows;
        return absl::OkStatus();
      });
  EXPECT_FALSE(status.ok());
  EXPECT_EQ(rows, 99);
  EXPECT_EQ(connection_->failure().sql_state, "22012");
  EXPECT_TRUE(connection_->Run("SELECT 1").ok());
}

TEST_F(ConnectionTest, StreamThatNobodyWantsAnyMoreEndsWithTheConnection) {
  int rows = 0;
  const Status status =
      connection_->Stream("SELECT * FROM generate_series(1, 1000000)", [&](const Rows&) -> Status {
        if (++rows < 3) return absl::OkStatus();
        return absl::CancelledError("enough");
      });
  EXPECT_TRUE(absl::IsCancelled(status)) << status;
  EXPECT_EQ(rows, 3);
  EXPECT_FALSE(connection_->is_open());
}

TEST_F(ConnectionTest, KilledServerBreaksTheConnectionAndANewOneWorks) {
  PostgresServer server;
  const auto target = PostgresServer::TargetOf(server.NewDatabase());
  const auto connection = Connection::Open(target, "SELECT 1").value();
  server.Kill();
  EXPECT_TRUE(absl::IsUnavailable(connection->Run("SELECT 1").status()));
  EXPECT_FALSE(connection->is_open());
  EXPECT_TRUE(absl::IsUnavailable(connection->Run("SELECT 1").status()));
  server.Start();
  EXPECT_TRUE(Connection::Open(target, "SELECT 1").ok());
}

TEST_F(ConnectionTest, FrozenServerIsGivenUp) {
  PostgresServer server;
  const auto target = PostgresServer::TargetOf(server.NewDatabase());
  const auto connection =
      Connection::Open(target, "SELECT 1", {.answer = std::chrono::milliseconds(100)}).value();
  server.Freeze();
  EXPECT_TRUE(absl::IsUnavailable(connection->Run("SELECT 1").status()));
  EXPECT_FALSE(connection->is_open());
  server.Thaw();
}

}  // namespace
}  // namespace twofold::postgres
