#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <memory>
#include <string>

#include "lib/results/statement.h"

namespace twofold::results {

/// Statements of a SQLite file. Rows are written one by one: the file is in the same process.
///
/// Errors   throws SQLite::Exception.
class SqliteDatabase final : public Database {
 public:
  /// `database` outlives this and its statements.
  explicit SqliteDatabase(SQLite::Database& database) : database_(database) {}

  std::unique_ptr<Statement> Prepare(const std::string& sql) override;
  std::unique_ptr<Statement> Prepare(const RowWrite& write) override;

 private:
  SQLite::Database& database_;
};

}  // namespace twofold::results
