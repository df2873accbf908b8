#pragma once

#include <string>

#include "lib/common/mutex.h"
#include "lib/results/postgres_database.h"
#include "lib/results/read_connection.h"

namespace twofold::results {

/// Reads a PostgreSQL database. Connects when it is first used, and again after the connection
/// broke.
class PostgresReads final : public ReadConnection {
 public:
  PostgresReads(const postgres::Target& target, Duration longest_read,
                const postgres::Patience& patience);

  [[nodiscard]] Statements& sql() const override { return sql_; }
  [[nodiscard]] const std::string& name() const override { return database_.name(); }

 private:
  Status InTransaction(absl::FunctionRef<Status()> read) const override;
  Status Once(absl::FunctionRef<Status()> read) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  mutable Mutex mutex_;
  mutable PostgresDatabase database_;  // guarded by mutex_
  mutable Statements sql_{database_};
};

}  // namespace twofold::results
