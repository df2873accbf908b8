#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lib/common/instant.h"
#include "lib/postgres/connection.h"
#include "lib/postgres/target.h"
#include "lib/results/job_tables.h"
#include "lib/results/postgres_database.h"
#include "lib/results/postgres_reads.h"
#include "lib/results/statements.h"
#include "lib/results/store.h"

namespace twofold::results {

struct PostgresOptions {
  std::string owner = {};  ///< the name of this frontend, for people who look into the tables
  Duration longest_read = kLongestRead;
  postgres::Patience patience = {};
};

/// A Store in a PostgreSQL database, documented in docs/store.md. Others may read it meanwhile.
///
/// The frontend that opened it last may write: each transaction makes sure of that before it
/// commits, so an earlier one never commits again, even if it was only frozen for a while.
///
/// What it has committed is as safe as the server makes it: on the server's disk, and with a
/// synchronous standby on that one's, too.
///
/// PostgreSQL has no NUL in texts: U+FFFD takes its place.
///
/// Errors   also kUnavailable: the server is away, or a commit is in doubt; kFailedPrecondition:
///          another frontend has opened the database.
/// Cost     Commit: one round trip, if nothing in it was there before; else one a row. A new name
///          of a metric, series or host takes two more, once.
class PostgresStore final : public Store {
 public:
  /// Makes the tables if there are none, or brings them up to date, and takes the database over.
  ///
  /// Errors   also kPermissionDenied, kNotFound: see postgres::Connection::Open;
  ///          kFailedPrecondition: a newer frontend has written it.
  static Result<std::unique_ptr<PostgresStore>> Open(const postgres::Target& target,
                                                     const PostgresOptions& options = {});

  Status Commit(std::span<const Record> records) override;
  Status Check() override;
  Result<std::map<std::string, std::uint64_t>> Load(const Visit& visit) override;
  Result<StoredJob> Find(JobId job) const override;
  Result<std::vector<StoredJob>> List(const JobQuery& query) const override;
  Result<std::size_t> Forget(const Retention& retention, std::size_t at_most) override;

 private:
  PostgresStore(const postgres::Target& target, const PostgresOptions& options);
  Status Start(const std::string& owner);  // throws SqlError

  template <typename Change>
  Status InTransaction(const Change& change);
  template <typename Change>
  Status Transact(PostgresDatabase::Writes writes, const Change& change);
  void AddNames(std::span<const Record> records);

  // Of the thread that commits.
  PostgresDatabase database_;
  Statements sql_{database_};
  JobTables tables_{sql_};
  postgres::Statement fence_;

  // Of all others.
  PostgresReads reads_;
  mutable JobReader reader_{reads_.sql()};
};

}  // namespace twofold::results
