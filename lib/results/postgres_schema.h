#pragma once

#include "lib/common/result.h"
#include "lib/results/postgres_database.h"
#include "lib/results/schema.h"

namespace twofold::results {

/// The steps of a PostgreSQL database: files schema/postgres_*.sql. Their number has nothing to do
/// with that of SQLite's.
Migrations PostgresMigrations();

/// Takes the steps that the database has not seen, each in a transaction of its own. The version
/// is in table `twofold`. Two frontends may do this at the same time.
///
/// Errors   kFailedPrecondition: the database is newer than the last step. Throws SqlError.
Status BringUpToDate(PostgresDatabase& database, Migrations steps);

/// For who only reads: whether the database has seen all of `steps`.
///
/// Errors   kFailedPrecondition: it has not, or is newer; kNotFound: it has none of our tables.
///          Throws SqlError.
Status CheckUpToDate(PostgresDatabase& database, Migrations steps);

}  // namespace twofold::results
