#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <span>
#include <string>

#include "lib/common/result.h"

namespace twofold::results {

/// SQL that brings a file from one version of the schema to the next: step 0 makes version 1 out of
/// an empty file. A step that was released never changes; what changes is added as a further one.
using Migrations = std::span<const char* const>;

/// All there are, each a file in lib/results/schema. Their number is the version of this
/// program; docs/store.md says what they make.
Migrations AllMigrations();

/// Takes the steps that the file has not seen, each in a transaction of its own. The version is in
/// PRAGMA user_version, whose file it is in PRAGMA application_id.
///
/// Errors   kFailedPrecondition: the file is newer than the last step; kInvalidArgument: it is
///          another program's. Nothing was changed. Throws SQLite::Exception.
Status BringUpToDate(SQLite::Database& database, const std::string& path, Migrations steps);

/// For who only reads: whether the file has seen all of `steps`.
///
/// Errors   as BringUpToDate.
Result<bool> IsUpToDate(SQLite::Database& database, const std::string& path, Migrations steps);

/// Opens a file to read it as it would be after all steps. It stays as it is, as a frontend of an
/// older version may be using it: what lags behind is copied, and the copy, which goes with the
/// connection, takes the steps.
///
/// Errors   as BringUpToDate.
Result<SQLite::Database> OpenToRead(const std::string& path);

}  // namespace twofold::results
