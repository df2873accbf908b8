#include "lib/results/postgres_store.h"

#include <absl/strings/str_cat.h>

#include <optional>
#include <utility>

#include "lib/results/postgres_schema.h"
#include "lib/results/postgres_sql.h"

namespace twofold::results {
namespace {

// The journal's statements name rows by their keys. With arrays of unknown length the planner would
// rather read whole tables, and those rows that are long dead.
constexpr const char* kWriteSettings =
    "SET plan_cache_mode = force_generic_plan;"
    "SET enable_hashjoin = off; SET enable_mergejoin = off;"
    "SET enable_bitmapscan = off; SET enable_seqscan = off;"
    "SET default_transaction_isolation = 'read committed';"
    // Who waits in the middle of a transaction keeps its successor out.
    "SET idle_in_transaction_session_timeout = 10000;"
    "SET lock_timeout = 10000;"
    "SELECT set_config('synchronous_commit', 'on', false)"
    " WHERE current_setting('synchronous_commit') IN ('off', 'local')";

// Last in its transaction: a frontend that vanishes before must not hold the row that its successor
// has to change.
postgres::Statement FenceOf(std::int64_t epoch) {
  return {
      "SELECT 1 / count(*) FROM"
      " (SELECT 1 FROM partition WHERE number = 0 AND epoch = $1 FOR SHARE) AS held",
      {postgres::Parameter::Of(postgres::Type::kInteger, epoch)}};
}

}  // namespace

PostgresStore::PostgresStore(const postgres::Target& target, const PostgresOptions& options)
    : database_(target, kWriteSettings, options.patience),
      reads_(target, options.longest_read, options.patience) {}

Result<std::unique_ptr<PostgresStore>> PostgresStore::Open(const postgres::Target& target,
                                                           const PostgresOptions& options) {
  std::unique_ptr<PostgresStore> store(new PostgresStore(target, options));
  Status status = Guarded(store->database_, [&] { return store->Start(options.owner); });
  if (!status.ok()) return status;
  return store;
}

Status PostgresStore::Start(const std::string& owner) {
  if (Status status = BringUpToDate(database_, PostgresMigrations()); !status.ok()) return status;
  database_.Begin(PostgresDatabase::Writes::kRowByRow);
  {
    Prepared::Rows claimed(sql_["UPDATE partition SET epoch = epoch + 1, owner = ?"
                                " WHERE number = 0 RETURNING epoch"],
                           owner);
    if (!claimed.Next()) throw Damaged("table partition has no row 0");
    fence_ = FenceOf(claimed[0].Integer());
  }
  database_.Commit();
  return absl::OkStatus();
}

Status PostgresStore::Commit(std::span<const Record> records) {
  Status named = Guarded(database_, [&]() -> Status {
    AddNames(records);
    return absl::OkStatus();
  });
  if (!named.ok()) {
    database_.Rollback();
    tables_.RolledBack();
    return named;
  }
  return InTransaction([&] { return tables_.Write(records); });
}

/// In a transaction of its own, in the order of the names, so that frontends that write the same
/// ones do not wait for each other in a circle.
void PostgresStore::AddNames(std::span<const Record> records) {
  if (!tables_.FindNewNames(records)) return;
  database_.Begin(PostgresDatabase::Writes::kRowByRow);
  tables_.AddNewNames();
  database_.Commit(&fence_);
}

/// A group is sent as if all in it were new, as it is unless it was committed before. What `change`
/// takes for granted then is checked by the statements themselves.
template <typename Change>
Status PostgresStore::InTransaction(const Change& change) {
  try {
    return Transact(PostgresDatabase::Writes::kGathered, change);
  } catch (const NotAsExpected&) {
    database_.Rollback();
    tables_.RolledBack();
  }
  return Transact(PostgresDatabase::Writes::kRowByRow, change);
}

template <typename Change>
Status PostgresStore::Transact(PostgresDatabase::Writes writes, const Change& change) {
  Status status = Guarded(database_, [&]() -> Status {
    database_.Begin(writes);
    if (Status changed = change(); !changed.ok()) return changed;
    database_.Commit(&fence_);
    tables_.Committed();
    return absl::OkStatus();
  });
  if (!status.ok()) {
    database_.Rollback();
    tables_.RolledBack();
  }
  return status;
}

Status PostgresStore::Check() {
  return Transact(PostgresDatabase::Writes::kRowByRow, [] { return absl::OkStatus(); });
}

Result<std::map<std::string, std::uint64_t>> PostgresStore::Load(const Visit& visit) {
  std::map<std::string, std::uint64_t> sequences;
  Status status = Transact(PostgresDatabase::Writes::kRowByRow, [&]() -> Status {
    sequences = tables_.Load(visit);
    return absl::OkStatus();
  });
  if (!status.ok()) return status;
  return sequences;
}

Result<StoredJob> PostgresStore::Find(JobId job) const {
  return reads_.Run([&]() -> Result<StoredJob> {
    std::optional<StoredJob> found = reader_.Find(job);
    if (!found) return absl::NotFoundError(absl::StrCat("no job ", job, " in ", reads_.name()));
    return *std::move(found);
  });
}

Result<std::vector<StoredJob>> PostgresStore::List(const JobQuery& query) const {
  return reads_.Run([&]() -> Result<std::vector<StoredJob>> { return reader_.List(query); });
}

Result<std::size_t> PostgresStore::Forget(const Retention& retention, std::size_t at_most) {
  std::size_t forgotten = 0;
  Status status = InTransaction([&]() -> Status {
    const std::vector<JobId> jobs = tables_.Forgettable(retention, at_most);
    tables_.Delete(jobs);
    forgotten = jobs.size();
    return absl::OkStatus();
  });
  if (!status.ok()) return status;
  return forgotten;
}

}  // namespace twofold::results
