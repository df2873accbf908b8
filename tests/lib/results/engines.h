#pragma once

#include <SQLiteCpp/SQLiteCpp.h>
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lib/postgres/connection.h"
#include "lib/results/postgres_store.h"
#include "lib/results/run_reader.h"
#include "lib/results/sqlite_store.h"
#include "lib/results/store_address.h"
#include "tests/lib/results/temp_dir.h"
#include "tests/support/postgres_server.h"

/// The engines that keep a store in tables, for tests that look into these.
namespace twofold::results {

/// An empty database of a test's own.
class TestEngine {
 public:
  virtual ~TestEngine() = default;

  /// Where it is.
  [[nodiscard]] virtual StoreAddress where() const = 0;
  virtual std::unique_ptr<Store> OpenStore() = 0;
  virtual std::unique_ptr<RunReader> OpenReader() = 0;
  /// The values of a query as texts. What both engines understand is the same in both.
  virtual std::vector<std::vector<std::string>> Rows(const std::string& sql) = 0;
  virtual void Script(const std::string& sql) = 0;

  /// The first value of a query: Text("name FROM run").
  std::string Text(const std::string& select) {
    const auto rows = Rows("SELECT " + select);
    return rows.empty() ? "no row" : rows.front().front();
  }
  std::int64_t Count(const std::string& table) {
    return std::stoll(Text("count(*) FROM " + table));
  }
};

class SqliteEngine final : public TestEngine {
 public:
  [[nodiscard]] StoreAddress where() const override { return StoreFile{path_}; }
  std::unique_ptr<Store> OpenStore() override { return SqliteStore::Open(path_).value(); }
  std::unique_ptr<RunReader> OpenReader() override { return RunReader::Open(path_).value(); }
  std::vector<std::vector<std::string>> Rows(const std::string& sql) override {
    SQLite::Database file(path_, SQLite::OPEN_READONLY);
    SQLite::Statement row(file, sql);
    std::vector<std::vector<std::string>> rows;
    while (row.executeStep()) {
      std::vector<std::string>& values = rows.emplace_back();
      for (int i = 0; i < row.getColumnCount(); ++i) values.push_back(row.getColumn(i).getString());
    }
    return rows;
  }
  void Script(const std::string& sql) override {
    SQLite::Database(path_, SQLite::OPEN_READWRITE).exec(sql);
  }

 private:
  const TempDir dir_;
  const std::string path_ = dir_.Path("jobs.db");
};

/// REQUIRES: PostgresServer::IsInstalled().
class PostgresEngine final : public TestEngine {
 public:
  [[nodiscard]] const std::string& address() const { return address_; }
  [[nodiscard]] postgres::Target target() const {
    return twofold::testing::PostgresServer::TargetOf(address_);
  }

  [[nodiscard]] StoreAddress where() const override { return target(); }
  std::unique_ptr<Store> OpenStore() override { return PostgresStore::Open(target()).value(); }
  std::unique_ptr<RunReader> OpenReader() override { return RunReader::Open(target()); }
  std::vector<std::vector<std::string>> Rows(const std::string& sql) override {
    // A row as an array of texts, one value a line.
    const auto found = Connect()->Run(
        "SELECT (SELECT string_agg(coalesce(value, ''), E'\\x1f' ORDER BY place) FROM"
        " json_each_text(row_to_json(r)) WITH ORDINALITY AS each(key, value, place)) FROM (" +
        sql + ") AS r");
    EXPECT_TRUE(found.ok()) << found.status();
    std::vector<std::vector<std::string>> rows;
    for (int i = 0; found.ok() && i < found->size(); ++i) {
      std::vector<std::string>& values = rows.emplace_back(1);
      for (const char c : found->Text(i, 0)) {
        if (c == '\x1f') {
          values.emplace_back();
        } else {
          values.back() += c;
        }
      }
    }
    return rows;
  }
  void Script(const std::string& sql) override {
    const Status status = Connect()->Script(sql);
    EXPECT_TRUE(status.ok()) << status;
  }

 private:
  [[nodiscard]] std::unique_ptr<postgres::Connection> Connect() const {
    return postgres::Connection::Open(target(), "SELECT 1").value();
  }

  const std::string address_ = twofold::testing::PostgresServer::Shared().NewDatabase();
};

/// A parameter of tests: which engine.
enum class EngineKind { kSqlite, kPostgres };

inline const auto kEngineKinds = ::testing::Values(EngineKind::kSqlite, EngineKind::kPostgres);

inline std::string EngineName(const ::testing::TestParamInfo<EngineKind>& info) {
  return info.param == EngineKind::kSqlite ? "sqlite" : "postgres";
}

/// nullptr: it is not installed.
inline std::unique_ptr<TestEngine> MakeEngine(EngineKind kind) {
  if (kind == EngineKind::kSqlite) return std::make_unique<SqliteEngine>();
  if (!twofold::testing::PostgresServer::IsInstalled()) return nullptr;
  return std::make_unique<PostgresEngine>();
}

}  // namespace twofold::results
