#include "lib/results/schema.h"

#include <SQLiteCpp/Backup.h>
#include <absl/strings/str_cat.h>
#include <sqlite3.h>

namespace twofold::results {
namespace {

// "TwOf": what `file` and other programs tell our files by.
constexpr int kApplicationId = 0x54774f66;

constexpr int kReadBusyMs = 1000;

int Pragma(SQLite::Database& database, const std::string& name) {
  return database.execAndGet("PRAGMA " + name).getInt();
}

/// A file that has something in it, and not from us.
bool IsForeign(SQLite::Database& database) {
  if (Pragma(database, "application_id") == kApplicationId) return false;
  return database.execAndGet("SELECT count(*) FROM sqlite_schema").getInt() > 0 ||
         Pragma(database, "user_version") != 0;
}

Status OthersFile(const std::string& path) {
  return absl::InvalidArgumentError(absl::StrCat(path, " is the database of another program"));
}

Status NewerFile(const std::string& path, int version, int known) {
  return absl::FailedPreconditionError(
      absl::StrCat(path, " was written by a newer frontend: its schema has version ", version,
                   ", this frontend knows versions up to ", known));
}

void Take(SQLite::Database& database, const char* step, int version) {
  SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
  database.exec(step);
  database.exec(absl::StrCat("PRAGMA application_id = ", kApplicationId));
  database.exec(absl::StrCat("PRAGMA user_version = ", version));
  transaction.commit();
}

}  // namespace

Status BringUpToDate(SQLite::Database& database, const std::string& path, Migrations steps) {
  if (IsForeign(database)) return OthersFile(path);
  const int known = static_cast<int>(steps.size());
  int version = Pragma(database, "user_version");
  if (version > known) return NewerFile(path, version, known);
  while (version < known) {
    const char* const step = steps[static_cast<std::size_t>(version)];
    Take(database, step, ++version);
  }
  return absl::OkStatus();
}

Result<bool> IsUpToDate(SQLite::Database& database, const std::string& path, Migrations steps) {
  if (Pragma(database, "application_id") != kApplicationId) return OthersFile(path);
  const int known = static_cast<int>(steps.size());
  const int version = Pragma(database, "user_version");
  if (version > known) return NewerFile(path, version, known);
  return version == known;
}

Result<SQLite::Database> OpenToRead(const std::string& path) {
  SQLite::Database file(path, SQLite::OPEN_READONLY | SQLITE_OPEN_NOMUTEX, kReadBusyMs);
  const Result<bool> is_up_to_date = IsUpToDate(file, path, AllMigrations());
  if (!is_up_to_date.ok()) return is_up_to_date.status();
  if (*is_up_to_date) return file;
  SQLite::Database copy("", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
                        kReadBusyMs);
  SQLite::Backup(copy, file).executeStep();
  if (Status status = BringUpToDate(copy, path, AllMigrations()); !status.ok()) return status;
  return copy;
}

}  // namespace twofold::results
