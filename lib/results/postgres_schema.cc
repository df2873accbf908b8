#include "lib/results/postgres_schema.h"

#include <absl/strings/str_cat.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "lib/results/statements.h"

namespace twofold::results {
namespace {

std::int64_t FirstNumber(PostgresDatabase& database, const std::string& sql) {
  Prepared query(database.Prepare(sql));
  Prepared::Rows row(query);
  return row.Next() ? row[0].Integer() : 0;
}

/// Of the tables in the schema where new ones would go; 0: there are none.
std::size_t VersionOf(PostgresDatabase& database) {
  database.Begin(PostgresDatabase::Writes::kRowByRow);
  const bool has_table =
      FirstNumber(database,
                  "SELECT count(*) FROM information_schema.tables"
                  " WHERE table_schema = current_schema() AND table_name = 'twofold'") > 0;
  const std::int64_t version = has_table ? FirstNumber(database, "SELECT version FROM twofold") : 0;
  database.Commit();
  return static_cast<std::size_t>(version);
}

/// Who comes second fails: to make the table a second time, or to move a version that has moved.
Status TakeStep(PostgresDatabase& database, const char* step, std::size_t from) {
  const char* const first =
      from == 0 ? "CREATE TABLE twofold (version bigint NOT NULL); INSERT INTO twofold VALUES (0);"
                : "";
  const std::string move =
      absl::StrCat("WITH moved AS (UPDATE twofold SET version = version + 1 WHERE version = ", from,
                   " RETURNING 1) SELECT 1 / count(*) FROM moved;");
  return Guarded(database, [&]() -> Status {
    database.Script(absl::StrCat("BEGIN;", first, move, step, ";COMMIT"));
    return absl::OkStatus();
  });
}

Status NewerDatabase(const PostgresDatabase& database, std::size_t version, std::size_t known) {
  return absl::FailedPreconditionError(
      absl::StrCat(database.name(), " was written by a newer frontend: its schema has version ",
                   version, ", this one knows versions up to ", known));
}

}  // namespace

Status BringUpToDate(PostgresDatabase& database, Migrations steps) {
  for (;;) {
    const std::size_t version = VersionOf(database);
    if (version > steps.size()) return NewerDatabase(database, version, steps.size());
    if (version == steps.size()) return absl::OkStatus();
    Status status = TakeStep(database, steps[version], version);
    if (status.ok()) continue;
    database.Script("ROLLBACK");
    // Otherwise another frontend was quicker.
    if (VersionOf(database) == version) return status;
  }
}

Status CheckUpToDate(PostgresDatabase& database, Migrations steps) {
  const std::size_t version = VersionOf(database);
  if (version > steps.size()) return NewerDatabase(database, version, steps.size());
  if (version == steps.size()) return absl::OkStatus();
  if (version == 0) {
    return absl::NotFoundError(absl::StrCat(database.name(), " has no tables of twofold"));
  }
  return absl::FailedPreconditionError(
      absl::StrCat(database.name(), " has the schema of an older frontend, version ", version,
                   "; a frontend of this version brings it up to date when it starts"));
}

}  // namespace twofold::results
