#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "lib/results/store_end.h"
#include "lib/results/store_files.h"

namespace twofold::results {

/// A SQLite file. No frontend can open it as long as this lives.
class SqliteEnd final : public StoreEnd {
 public:
  static Result<std::unique_ptr<StoreEnd>> Open(const std::string& path, Use use);

  [[nodiscard]] const std::string& name() const override { return path_; }
  Result<std::int64_t> Count(const Table& table) override;
  Status Read(const Table& table, Take take) override;
  Status Clear(const Table& table) override;
  Status Add(const Table& table, Row row) override;
  Status Commit() override;
  Status CheckAlone() override;

 private:
  SqliteEnd(std::string path, FileLock lock, SQLite::Database database)
      : path_(std::move(path)), lock_(std::move(lock)), database_(std::move(database)) {}
  Status Begin(Use use);

  const std::string path_;
  const FileLock lock_;
  SQLite::Database database_;
  std::optional<StoreFiles> files_;  // nullopt: it is only read
  const Table* adding_to_ = nullptr;
  std::optional<SQLite::Statement> add_;  // of that table
};

}  // namespace twofold::results
